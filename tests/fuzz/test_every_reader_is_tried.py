"""The fuzzer tries every reader and every command there is, and no file is opened past a reader."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.fuzz.commands import find_command_of, find_commands, list_sound_lines
from tests.fuzz.content import lay_out
from tests.fuzz.corpus import (
    CORPUS,
    OWN_BOUNDARIES,
    TRIED_BY_HAND,
    Sample,
    find_readers,
    list_samples,
)
from tests.fuzz.sound_files import make_sound_files

SOUND = make_sound_files()


def test_every_reader_has_a_corpus() -> None:
    known = [*find_readers(), *OWN_BOUNDARIES]

    tried = [*CORPUS, *TRIED_BY_HAND]
    assert sorted(known) == sorted(tried), "give it a sample in tests/fuzz/corpus.py"


def test_every_command_has_a_sound_line() -> None:
    commands = find_commands()
    tried = {find_command_of(line, commands).words for line in list_sound_lines()}

    assert set(commands) == tried, "give it a line in tests/fuzz/commands.py"


@pytest.mark.parametrize(
    "sample", [pytest.param(one, id=f"{name}-{one.file}") for name, one in list_samples()]
)
def test_what_is_mutated_is_sound(sample: Sample, tmp_path: Path) -> None:
    lay_out({name: SOUND[name] for name in (sample.file, *sample.beside)}, tmp_path)

    assert sample.call(tmp_path / sample.file) is not None


# Who opens files

BESIDE_READERS = {
    "engine/base/child_main.py": "/dev/null",
    "engine/dataset/annotations/csv_file.py": "a part of read_annotations",
    "engine/media/clip.py": "media, in a process of their own",
    "engine/media/video.py": "media, in a process of their own",
    "engine/moments/check/zip_files.py": "a part of check_submission",
    "engine/moments/early_checks.py": "a look at a first line before the reader's",
    "engine/sessions/": "the store, which has its own checks",
    "engine/text/child_memory.py": "a file of the system",
    "engine/text/mapping/likeness.py": "comes with the program",
    "engine/text/mapping/odds.py": "comes with the program",
    "engine/text/mapping/table.py": "comes with the program",
    "engine/text/model_files.py": "the folder of a model that was named outright",
    "engine/text/vector_cache.py": "a cache of our own, made anew if it is damaged",
    "tui/cli/__init__.py": "/dev/null",
    "tui/cli/shared/console.py": "/dev/null",
    "tui/cli/shared/guard.py": "a file of the system",
    "tui/frames/filmstrip.py": "comes with the program",
    "tui/keys/footer.py": "comes with the program",
    "tui/look/last_words.py": "a terminal",
    "tui/widgets/line_table.py": "comes with the program",
    "tui/widgets/lines_view.py": "comes with the program",
}
"""Modules and rooms that open files without a reader of their own, and why they may."""

OPENERS = {
    *("open", "os.open", "io.open", "gzip.open", "bz2.open", "lzma.open", "av.open"),
    *("numpy.load", "numpy.memmap", "numpy.fromfile", "numpy.loadtxt", "numpy.genfromtxt"),
    *("mmap.mmap", "PIL.Image.open", "zipfile.ZipFile", "tarfile.open", "sqlite3.connect"),
    *("pandas.read_csv", "pandas.read_parquet", "tokenizers.Tokenizer.from_file"),
    *(f"pyarrow.parquet.{name}" for name in ("ParquetFile", "read_table", "read_metadata")),
    *("torch.load", "safetensors.safe_open", "sentence_transformers.SentenceTransformer"),
    *(f"safetensors.{name}.load_file" for name in ("numpy", "torch")),
}
"""By their full names, whatever they are called where they are imported."""
OPENING_METHODS = {"read_bytes", "read_text", "from_pretrained"}


def find_openers(module: Path) -> Iterator[str]:
    """What a module calls that opens a file, by its full name."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    aliases = dict(_find_aliases(tree))
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        first, dot, rest = ast.unparse(node.func).partition(".")
        name = f"{aliases.get(first, first)}{dot}{rest}"
        if (
            name in OPENERS
            or name.rpartition(".")[2] in OPENING_METHODS
            or (name.endswith(".open") and node.args and _is_mode(node.args[0]))
        ):
            yield name


def _find_aliases(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """What imported names stand for, wherever in the module they are imported."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            for one in node.names:
                yield one.asname or one.name, f"{node.module}.{one.name}"
        elif isinstance(node, ast.Import):
            for one in node.names:
                if one.asname:
                    yield one.asname, one.name


def _is_mode(argument: ast.expr) -> bool:
    """Whether it is the mode of a file, such as "rb"."""
    text = argument.value if isinstance(argument, ast.Constant) else None
    return isinstance(text, str) and 0 < len(text) < 4 and set(text) <= set("rwxabt+")


def list_modules_with_openers() -> dict[str, list[str]]:
    found = {}
    for package in ("engine", "tui"):
        for module in (ROOT / package).rglob("*.py"):
            name = module.relative_to(ROOT).as_posix()
            if not name.startswith("engine/files/") and (openers := list(find_openers(module))):
                found[name] = openers
    return found


def test_files_are_opened_by_readers_and_their_parts_alone() -> None:
    readers = {reader.function.__module__ for reader in find_readers().values()}
    modules = {f"{name.replace('.', '/')}.py" for name in readers}

    others = set(list_modules_with_openers()) - modules

    assert sorted(name for name in others if not name.startswith(tuple(BESIDE_READERS))) == []


def test_who_opens_no_file_any_more_is_not_listed() -> None:
    opening = list_modules_with_openers()

    assert [n for n in BESIDE_READERS if not any(name.startswith(n) for name in opening)] == []


@pytest.mark.parametrize(
    ("code", "opener"),
    [
        ("import numpy as np\nnp.load(p)", "numpy.load"),
        ("from numpy import load as fetch\nfetch(p)", "numpy.load"),
        ("def f():\n from torch import load\n load(p)", "torch.load"),
        ("import torch\ntorch.load(p)", "torch.load"),
        ("from safetensors import safe_open\nsafe_open(p)", "safetensors.safe_open"),
        ("from safetensors.torch import load_file\nload_file(p)", "safetensors.torch.load_file"),
        ("import pyarrow.parquet as pq\npq.ParquetFile(p)", "pyarrow.parquet.ParquetFile"),
        ('with p.open("rb") as f: pass', "p.open"),
        ("open(p)", "open"),
        ("q.read_text()", "q.read_text"),
        ("AutoModel.from_pretrained(p)", "AutoModel.from_pretrained"),
    ],
)
def test_a_way_around_the_readers_is_seen(code: str, opener: str, tmp_path: Path) -> None:
    module = tmp_path / "m.py"
    module.write_text(f"{code}\nstore.open()\n")

    assert [*find_openers(module)] == [opener]
