"""No file is written past the file layer, where every fault is tried; and what a screen writes is
tried like what a command writes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from supply.code_rules import find_imported_names, name_called
from tests.faults.inspector_writers import list_writers
from tests.modules import read_modules_above_files

WRITERS = {
    *(f"os.{name}" for name in ("open", "replace", "rename", "remove", "unlink", "rmdir", "mkdir")),
    *(f"os.{name}" for name in ("makedirs", "link", "symlink", "truncate", "mkfifo", "mknod")),
    *(f"shutil.{name}" for name in ("copy", "copy2", "copyfile", "copytree", "move", "rmtree")),
    *(f"tempfile.{name}" for name in ("mkstemp", "mkdtemp", "NamedTemporaryFile")),
    *(f"tempfile.{name}" for name in ("TemporaryFile", "TemporaryDirectory")),
    *(f"numpy.{name}" for name in ("save", "savez", "savez_compressed", "savetxt", "memmap")),
    *("sqlite3.connect", "logging.FileHandler"),
}
"""By their full names, whatever they are called where they are imported."""
WRITING_METHODS = {
    *("write_text", "write_bytes", "touch", "unlink", "mkdir", "rmdir", "rename"),
    *("symlink_to", "hardlink_to", "to_csv", "to_parquet", "to_pickle", "save_file", "tofile"),
}
"""Of a path, or of what can be saved; `replace`, which texts have too, with one argument."""

OPENERS = {"open", "fdopen", "ZipFile", "GzipFile"}
"""With a mode to write in."""

BESIDE_THE_LAYER = {
    "engine/base/child_main.py": "/dev/null",
    "engine/dataset/equal_media.py": "reads",
    "engine/keywords/run_archive.py": "into memory",
    "engine/media/clip.py": "reads",
    "engine/sessions/": "the store: tests/faults/stores.py",
    "engine/text/vector_cache.py": "the cache: tests/faults/stores.py",
    "tui/cli/__init__.py": "/dev/null",
    "tui/cli/shared/console.py": "/dev/null",
    "tui/look/last_words.py": "a terminal",
}
"""Modules and rooms that call what could write a file, and why they may."""

LAYER = {
    *("write_whole", "replace_whole", "make_whole", "add_text", "make_folder", "remove_file"),
    *("change_file", "take_back", "write_new", "remember_phrase"),
}
"""What writes files, each fault tried; the last two pass it on."""

TRIED = {
    "engine/dataset/remember.py": "inspector: learn a phrase",
    "engine/metrics/research/retrieval_metrics.py": "for who calls it as a library",
    "engine/report/per_query/write.py": "--per-query",
    "engine/report/run/trec.py": "--export-trec",
    "engine/sessions/exchange.py": "sessions repair",
    "engine/sessions/repair.py": "sessions repair",
    "engine/text/known_digests.py": "a note that every command may write",
    "tui/cli/gate/command.py": "gate --github",
    "tui/cli/map/learn.py": "map learn",
    "tui/cli/shared/output.py": "--out",
    "tui/dialogs/basic_dialogs.py": "inspector: write an error",
    "tui/opening/remember.py": "config set",
    "tui/shell/writing.py": "inspector: write a table",
    "tui/work/documents.py": "inspector: write an answer",
    "tui/work/evaluation_store.py": "a cache that every evaluation may write",
    "tui/work/phrase_memory.py": "inspector: take a phrase back",
}
"""Who calls it, and by which command line or work of a screen that is tried."""


def find_writing(text: str) -> Iterator[str]:
    """What a module calls that may write a file, by its full name."""
    tree = ast.parse(text)
    names = find_imported_names(ast.walk(tree))
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call):
            continue
        called = name_called(call.func, names)
        where, _, last = called.rpartition(".")
        if where.startswith(("engine.", "tui.", "self")) or called in own:
            continue  # ours, which is looked at by itself
        if (
            called in WRITERS
            or last in WRITING_METHODS
            or (last == "replace" and where != "dataclasses" and _has_one_argument(call))
            or (last in OPENERS and any(map(_is_writing_mode, _list_arguments(call))))
        ):
            yield called


def _has_one_argument(call: ast.Call) -> bool:
    return len(call.args) == 1 and not isinstance(call.args[0], ast.Starred)


def _list_arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _is_writing_mode(argument: ast.expr) -> bool:
    """Whether it is a mode such as "wb"."""
    text = argument.value if isinstance(argument, ast.Constant) else None
    is_mode = isinstance(text, str) and 0 < len(text) < 4 and set(text) <= set("rwxabt+")
    return is_mode and bool(set("wxa+") & set(str(text)))


def list_writing_modules() -> dict[str, list[str]]:
    found = {name: list(find_writing(text)) for name, text in read_modules_above_files().items()}
    return {name: calls for name, calls in found.items() if calls}


def test_files_are_written_by_the_file_layer_alone() -> None:
    writing = list_writing_modules()

    assert {n: c for n, c in writing.items() if not n.startswith(tuple(BESIDE_THE_LAYER))} == {}


def test_who_writes_no_file_any_more_is_not_listed() -> None:
    writing = list_writing_modules()

    assert [n for n in BESIDE_THE_LAYER if not any(name.startswith(n) for name in writing)] == []


def test_whoever_writes_is_tried() -> None:
    modules = read_modules_above_files()

    calling = {name for name, text in modules.items() if LAYER & _find_called(ast.parse(text))}
    assert calling == TRIED.keys(), (
        "say how it is tried, and try it: tests/faults/inspector_writers.py"
    )


def _find_called(tree: ast.Module) -> set[str]:
    """The last names of what a module calls or passes on."""
    names = find_imported_names(ast.walk(tree))
    used = (node for node in ast.walk(tree) if isinstance(node, ast.Name | ast.Attribute))
    return {name_called(node, names).rpartition(".")[2] for node in used}


def test_what_screens_write_is_there_to_be_tried() -> None:
    named = {how for how in TRIED.values() if how.startswith("inspector: ")}

    assert named <= list_writers().keys()


@pytest.mark.parametrize(
    ("code", "call"),
    [
        ("p.write_text('a')", "p.write_text"),
        ("Path(name).write_bytes(b'a')", "….write_bytes"),
        ("open(p, 'w')", "open"),
        ("p.open(mode='ab')", "p.open"),
        ("from os import replace as swap\nswap(p, q)", "os.replace"),
        ("p.replace(q)", "p.replace"),
        ("import numpy as np\nnp.save(p, a)", "numpy.save"),
        ("import shutil\nshutil.copyfile(p, q)", "shutil.copyfile"),
    ],
)
def test_a_way_around_the_layer_is_seen(code: str, call: str) -> None:
    assert list(find_writing(code)) == [call]


def test_what_only_reads_or_has_such_a_name_is_not_taken_for_it() -> None:
    code = "open(p)\np.open('rb')\ntext.replace('a', 'b')\nself.store.rename(1, 'a')\n"

    assert list(find_writing(f"from dataclasses import replace\nreplace(a)\n{code}")) == []
