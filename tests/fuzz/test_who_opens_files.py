"""No file is opened past a reader: whatever opens one is a reader, or a part of one beside it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from supply.code_rules import find_imported_names, name_called
from tests.modules import read_modules_above_files

BESIDE_READERS = {
    "engine/base/child_main.py": "/dev/null",
    "engine/dataset/annotations/csv_file.py": "a part of read_annotations",
    "engine/dataset/annotations/parquet_file.py": "a part of read_annotations",
    "engine/dataset/embeddings/files.py": "a part of read_embeddings and read_query_vectors",
    "engine/dataset/equal_media.py": "media, whose bytes are digested and not read",
    "engine/keywords/run_archive.py": "bytes of a cache of our own",
    "engine/labels/data/file_shapes.py": "a look before the reader's: what is odd is left to it",
    "engine/media/clip.py": "media, in a process of their own",
    "engine/media/video.py": "media, in a process of their own",
    "engine/moments/check/zip_files.py": "a part of check_submission",
    "engine/moments/early_checks.py": "a look at a first line before the reader's",
    "engine/rankings/formats/parquet.py": "a part of read_run and read_qrels",
    "engine/sessions/": "the store, which has its own checks",
    "engine/text/child_memory.py": "a file of the system",
    "engine/text/embedded/model.py": "comes with the program",
    "engine/text/mapping/likeness.py": "comes with the program",
    "engine/text/mapping/odds.py": "comes with the program",
    "engine/text/mapping/table.py": "comes with the program",
    "engine/text/model_files.py": "the folder of a model that was named outright",
    "engine/text/vector_cache.py": "a cache of our own, made anew if it is damaged",
    "engine/text/wordnet/table.py": "comes with the program",
    "tui/cli/__init__.py": "/dev/null",
    "tui/cli/completion/glance.py": "a look before the reader's: what is odd is left to it",
    "tui/cli/shared/console.py": "/dev/null",
    "tui/cli/shared/guard.py": "a file of the system",
    "tui/frames/filmstrip.py": "comes with the program",
    "tui/frames/large_frame.py": "comes with the program",
    "tui/frames/picture_screen.py": "comes with the program",
    "tui/keys/footer.py": "comes with the program",
    "tui/look/last_words.py": "a terminal",
    "tui/work/evaluation_store.py": "a cache of our own, made anew if it is damaged",
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


FILE_LAYER = {
    *(f"engine.files.large_files.{name}" for name in ("read_data", "read_unpacked", "read_raw")),
    *(f"engine.files.npy.{name}" for name in ("read_npy", "map_npy", "open_npz")),
    *(f"engine.files.reading.{name}" for name in ("guard_reading", "read_first_bytes")),
    *("engine.files.parquet.open_parquet", "engine.files.array_file.ArrayFile"),
}
"""Our own, which bound what is read and know nothing of what it should be."""


def find_openers(node: ast.AST, names: dict[str, str]) -> Iterator[str]:
    """What a piece of code calls that opens a file, by its full name."""
    for call in ast.walk(node):
        if not isinstance(call, ast.Call):
            continue
        called = name_called(call.func, names)
        if (
            called in OPENERS | FILE_LAYER
            or called.rpartition(".")[2] in OPENING_METHODS
            or (called.endswith(".open") and call.args and _is_mode(call.args[0]))
        ):
            yield called


def _is_mode(argument: ast.expr) -> bool:
    """Whether it is the mode of a file, such as "rb"."""
    text = argument.value if isinstance(argument, ast.Constant) else None
    return isinstance(text, str) and 0 < len(text) < 4 and set(text) <= set("rwxabt+")


def find_unguarded(text: str) -> dict[str, list[str]]:
    """The parts of a module that open files and that none of its readers uses, with what they
    call."""
    tree = ast.parse(text)
    names = find_imported_names(ast.walk(tree))
    guarded = _find_used_by_readers(tree)
    found: dict[str, list[str]] = {}
    for part in tree.body:
        name = _name_part(part)
        if name not in guarded and (openers := list(find_openers(part, names))):
            found.setdefault(name, []).extend(openers)
    return found


def _name_part(part: ast.stmt) -> str:
    """A function, a class, or a name that is given a value; nothing for what else there is."""
    target = part.target if isinstance(part, ast.AnnAssign) else None
    if isinstance(part, ast.Assign):
        target = part.targets[0]
    return getattr(part, "name", getattr(target, "id", ""))


def _find_used_by_readers(tree: ast.Module) -> set[str]:
    """The readers of a module, and whatever they or what they use call by name."""
    parts = {_name_part(part): part for part in tree.body if _name_part(part)}
    waiting = [name for name, part in parts.items() if any(map(_is_mark, ast.walk(part)))]
    used = set(waiting)
    while waiting:
        inner = {node.id for node in ast.walk(parts[waiting.pop()]) if isinstance(node, ast.Name)}
        new = (inner & parts.keys()) - used
        used |= new
        waiting += new
    return used


def _is_mark(node: ast.AST) -> bool:
    marks = getattr(node, "decorator_list", ())
    return any(isinstance(one, ast.Call) and ast.unparse(one.func) == "reads" for one in marks)


def list_unguarded() -> dict[str, dict[str, list[str]]]:
    found = {name: find_unguarded(text) for name, text in read_modules_above_files().items()}
    return {name: parts for name, parts in found.items() if parts}


def test_files_are_opened_by_readers_and_their_parts_alone() -> None:
    unguarded = list_unguarded()

    assert {n: p for n, p in unguarded.items() if not n.startswith(tuple(BESIDE_READERS))} == {}


def test_who_opens_no_file_any_more_is_not_listed() -> None:
    opening = list_unguarded()

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
        ("from engine.files.npy import read_npy\nread_npy(p)", "engine.files.npy.read_npy"),
        ("from engine.files.text import read_text\nread_text(p)", "engine.files.text.read_text"),
    ],
)
def test_a_way_around_the_readers_is_seen(code: str, opener: str) -> None:
    assert [*find_unguarded(f"{code}\nstore.open()\n").values()] == [[opener]]


MODULE = """
@reads("a table")
def read(path): return _FORMATS[path.suffix](path)

def _read_csv(path): return path.read_text()

_FORMATS = {".csv": _read_csv}

def peek(path): return path.read_bytes()
"""


def test_what_a_reader_uses_is_behind_it_and_what_stands_beside_it_is_not() -> None:
    assert find_unguarded(MODULE) == {"peek": ["path.read_bytes"]}
