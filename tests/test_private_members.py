"""Nobody reaches into a library: what begins with an underscore is its author's to change."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.modules import read_modules

PUBLIC = {"_exit", "_replace", "_asdict", "_fields"}
"""Documented all the same: of `os`, and of named tuples."""

ALLOWED = {
    ("tui/keys/order.py", "_check_bindings"),
    ("tui/look/keyboard.py", "_xterm_parser"),
    ("tui/cli/shared/groups.py", "_typeshed"),  # types alone, which no library of ours has
}
"""Where there is no public way; the place says why."""


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__") and name not in PUBLIC


def own_names(tree: ast.Module) -> set[str]:
    """What a module itself defines, in whatever class: it may use that of any object."""
    defined = {
        node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
    stored = {
        node.attr if isinstance(node, ast.Attribute) else node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Store)
    }
    return defined | stored


def is_own(value: ast.expr) -> bool:
    """`self`, `cls` and `super()`: a class may use what it inherits."""
    if isinstance(value, ast.Call):
        value = value.func
    return isinstance(value, ast.Name) and value.id in ("self", "cls", "super")


def private_members(source: str) -> Iterator[str]:
    tree = ast.parse(source)
    own = own_names(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            if not is_own(node.value) and node.attr not in own:
                yield node.attr
        elif (
            isinstance(node, ast.ImportFrom)
            and node.module
            and node.module.split(".")[0] not in (*("engine", "tui", "sample_data", "__future__"),)
        ):
            yield from filter(is_private, (*node.module.split("."), *(n.name for n in node.names)))


def test_what_is_private_is_found() -> None:
    source = """
from typer._click.core import Context
class Own:
    def _mine(self, other, library):
        self._there = other._mine() + super()._inherited() + os._exit + row._replace
        return library._internal
"""
    assert list(private_members(source)) == ["_click", "_internal"]


def test_no_private_member_of_a_library_is_used() -> None:
    found = {
        (file, name)
        for file, text in read_modules("engine", "tui", "sample_data", "benchmarks").items()
        for name in private_members(text)
    }

    assert found == ALLOWED
