"""The floor plan: which rooms there are, and which way imports point between them.

A room may import itself and the rooms above it in its list, also inside functions and under
TYPE_CHECKING. Rooms side by side (a tuple in the list) never import each other.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

LAYERS: tuple[str | tuple[str, ...], ...] = (
    "engine.base",
    "engine.files",
    "engine.stats",
    "engine.metrics",
    "engine.search",
    "engine.text",
    "engine.dataset",
    "engine.media",
    "engine.results",
    "engine.keywords",
    "engine.rankings",
    "engine.labels",
    "engine.moments",
    "engine.compare",
    "engine.gate",
    "engine.sessions",
    "engine.report",
    "tui.look",
    "tui.keys",
    "tui.opening",
    "tui.work",
    "tui.widgets",
    "tui.dialogs",
    "tui.frames",
    "tui.shell",
    ("tui.inspect", "tui.evaluate", "tui.compare", "tui.sessions", "tui.moments"),
    "tui.app",
    "tui.cli",
)

ORDER = {
    room: place
    for place, rooms in enumerate(LAYERS)
    for room in ((rooms,) if isinstance(rooms, str) else rooms)
}


@dataclass(frozen=True)
class Import:
    """One import of the project's own code: who imports what, and where that stands."""

    file: Path
    line: int
    module: str
    name: str

    @property
    def importer(self) -> str:
        return ".".join(self.file.relative_to(ROOT).parts[:2])

    @property
    def imported(self) -> str:
        return ".".join(self.module.split(".")[:2])


def imports_of(file: Path) -> Iterator[Import]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(file, node.lineno, alias.name, "")
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{file}:{node.lineno}: imports are absolute"
            for alias in node.names:
                yield Import(file, node.lineno, node.module or "", alias.name)


def own_imports(package: str) -> Iterator[Import]:
    for file in sorted((ROOT / package).rglob("*.py")):
        for found in imports_of(file):
            if found.module.split(".")[0] in ("engine", "tui") and "." in found.module:
                yield found


def complaint(found: Import) -> str | None:
    """What is wrong with an import, and where the name should live; None if it points up."""
    importer, imported = found.importer, found.imported
    if importer == imported:
        return None
    what = f"{found.module}.{found.name}".rstrip(".")
    where = f"{found.file.relative_to(ROOT)}:{found.line}"
    for room in (importer, imported):
        if room not in ORDER:
            return f"{where}: {room} is no room; add it to LAYERS, or move its code into one"
    if ORDER[imported] < ORDER[importer]:
        return None
    if ORDER[imported] == ORDER[importer]:
        above = LAYERS[ORDER[importer] - 1]
        return (
            f"{where}: {importer} must not know {imported}; {what} should live in {above} or above"
        )
    return f"{where}: {what} is below {importer}; it should live in {importer} or above it"


@pytest.mark.parametrize("package", ["engine", "tui"])
def test_every_import_points_up(package: str) -> None:
    complaints = [text for found in own_imports(package) if (text := complaint(found))]

    assert not complaints, "\n" + "\n".join(complaints)


@pytest.mark.parametrize("package", ["engine", "tui"])
def test_nothing_lies_loose_at_a_root(package: str) -> None:
    loose = {path.name for path in (ROOT / package).iterdir() if path.is_file()}

    assert loose == {"__init__.py", "py.typed"}


@pytest.mark.parametrize("package", ["engine", "tui"])
def test_every_folder_is_a_room_of_the_plan(package: str) -> None:
    folders = {f"{package}.{path.parent.name}" for path in (ROOT / package).glob("*/__init__.py")}

    assert folders == {room for room in ORDER if room.startswith(f"{package}.")}


def test_an_import_that_points_down_is_told_with_its_place_and_a_remedy() -> None:
    found = Import(ROOT / "engine/metrics/scores.py", 7, "engine.report.tables", "tabular")

    assert complaint(found) == (
        "engine/metrics/scores.py:7: engine.report.tables.tabular is below engine.metrics; "
        "it should live in engine.metrics or above it"
    )


def test_screens_side_by_side_must_not_know_each_other() -> None:
    found = Import(ROOT / "tui/inspect/screen.py", 3, "tui.compare.rows", "ChangeRows")

    assert complaint(found) == (
        "tui/inspect/screen.py:3: tui.inspect must not know tui.compare; "
        "tui.compare.rows.ChangeRows should live in tui.shell or above"
    )


def test_a_room_may_know_what_stands_above_it() -> None:
    assert complaint(Import(ROOT / "engine/gate/x.py", 1, "engine.compare", "compare")) is None
