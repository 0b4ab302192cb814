"""The floor plan: which rooms there are, and which way imports point between them.

A room may import itself and the rooms above it in its list, also inside functions and under
TYPE_CHECKING. Rooms side by side (a tuple in the list) never import each other.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

SCREENS = ("tui.inspect", "tui.evaluate", "tui.compare", "tui.sessions", "tui.moments")

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
    "engine.triage",
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
    SCREENS,
    "tui.app",
    "tui.cli",
)

COMPUTING = (
    "engine.files.npy",
    "engine.files.large_files",
    "engine.files.text",
    "engine.stats",
    "engine.search",
    "engine.text.embedded",
    "engine.text.encoder",
    "engine.text.opening",
    "engine.text.mapping.mapper.Mapper",
    "engine.dataset.settings_file",
    "engine.dataset.collection",
    "engine.media.cache",
    "engine.media.clip.find_media",
    "engine.media.looks",
    "engine.results.curves",
    "engine.keywords.inspection.adjudicate",
    "engine.keywords.inspection.pair_metrics",
    "engine.keywords.typed_relevance",
    "engine.keywords.evaluate",
    "engine.keywords.searching",
    "engine.keywords.annotation_shuffle",
    "engine.keywords.shuffled",
    "engine.keywords.shuffled_first_hits",
    "engine.keywords.shuffled_tops",
    "engine.keywords.judge.break_down",
    "engine.keywords.run",
    "engine.keywords.workbench.Workbench",
    "engine.keywords.workbench.select",
    "engine.labels.confusion_matrix.count_confusions",
    "engine.moments.open_files",
    "engine.moments.failures.failures.explain",
    "engine.moments.failures.task_analysis.analyse_task",
    "engine.compare.compare",
    "engine.triage",
    "engine.gate",
    "engine.sessions.build_answer",
    "engine.report",
)
"""What reads, searches, scores or reports: rooms, modules and names. A screen gets the values that
come of it from its services, which call it in a thread of their own."""

COMPUTES_NOTHING = (*SCREENS, "tui.app", "tui.shell", "tui.widgets", "tui.dialogs", "tui.frames")
"""Rooms that show what the services found."""

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
                whole = f"{node.module}.{alias.name}"
                # A room that is imported by its name is what `import engine.report` imports, too.
                is_package = (ROOT / whole.replace(".", "/") / "__init__.py").is_file()
                module, name = (whole, "") if is_package else (node.module or "", alias.name)
                yield Import(file, node.lineno, module, name)


def test_a_room_that_is_imported_by_its_name_is_seen(tmp_path: Path) -> None:
    file = tmp_path / "screen.py"
    file.write_text("from engine import report\nfrom engine.compare import compare\n")

    found = [(one.module, one.name) for one in imports_of(file)]

    assert found == [("engine.report", ""), ("engine.compare", "compare")]


def own_imports(package: str) -> Iterator[Import]:
    for file in sorted((ROOT / package).rglob("*.py")):
        for found in imports_of(file):
            if found.module.split(".")[0] in ("engine", "tui"):
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


def test_tests_of_the_engine_need_no_helper_of_the_screens() -> None:
    found = [one for file in files_of("tests/engine") for one in imports_of(file)]

    assert not [one for one in found if f"{one.module}.".startswith("tests.tui.")]


@pytest.mark.parametrize("package", ["engine", "tui"])
def test_nothing_lies_loose_at_a_root(package: str) -> None:
    loose = {path.name for path in (ROOT / package).iterdir() if path.is_file()}

    assert loose == {"__init__.py", "py.typed"}


@pytest.mark.parametrize("package", ["engine", "tui"])
def test_every_folder_is_a_room_of_the_plan(package: str) -> None:
    folders = {f"{package}.{path.parent.name}" for path in (ROOT / package).glob("*/__init__.py")}

    assert folders == {room for room in ORDER if room.startswith(f"{package}.")}


def test_an_import_that_points_down_is_reported_with_its_place_and_a_remedy() -> None:
    found = Import(ROOT / "engine/metrics/scores.py", 7, "engine.report.tables", "report_table")

    assert complaint(found) == (
        "engine/metrics/scores.py:7: engine.report.tables.report_table is below engine.metrics; "
        "it should live in engine.metrics or above it"
    )


def test_screens_side_by_side_must_not_know_each_other() -> None:
    found = Import(ROOT / "tui/inspect/screen.py", 3, "tui.compare.rows", "ChangeRows")

    assert complaint(found) == (
        "tui/inspect/screen.py:3: tui.inspect must not know tui.compare; "
        "tui.compare.rows.ChangeRows should live in tui.shell or above"
    )


def test_what_is_imported_from_a_root_has_no_room() -> None:
    found = Import(ROOT / "tui/inspect/screen.py", 3, "engine", "build_report")

    assert complaint(found) == (
        "tui/inspect/screen.py:3: engine is no room; add it to LAYERS, or move its code into one"
    )


def test_a_room_may_know_what_stands_above_it() -> None:
    assert complaint(Import(ROOT / "engine/gate/x.py", 1, "engine.compare", "compare")) is None


def test_screens_get_values_and_compute_nothing() -> None:
    computed = [
        (str(found.file.relative_to(ROOT)), what)
        for found in own_imports("tui")
        if found.importer in COMPUTES_NOTHING and _computes(what := f"{found.module}.{found.name}")
    ]

    remedy = "a screen asks its services for what is computed (tui/work/services.py)"
    assert not computed, remedy


def _computes(what: str) -> bool:
    return any(f"{what.rstrip('.')}.".startswith(f"{one}.") for one in COMPUTING)


@pytest.mark.parametrize("what", COMPUTING)
def test_what_computes_has_that_name(what: str) -> None:
    """What is moved or renamed must not slip through the list."""
    path = ROOT / what.replace(".", "/")
    module, _, name = what.rpartition(".")

    is_file = path.is_dir() or path.with_suffix(".py").is_file()
    assert is_file or hasattr(import_module(module), name)


def test_no_two_modules_import_each_other_in_a_cycle() -> None:
    """Not even inside functions and for types alone: who knows whom can be read downwards."""
    modules = {name_of(file): file for room in ("engine", "tui") for file in files_of(room)}
    knows = {name: imported_modules(file, modules) for name, file in modules.items()}

    assert not list(cycles(knows))


def files_of(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def name_of(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_modules(file: Path, modules: Mapping[str, Path]) -> set[str]:
    """The project's own modules that a file imports; of a package, what is named of it."""
    found = set()
    for one in imports_of(file):
        whole = f"{one.module}.{one.name}"
        found.add(whole if whole in modules else one.module)
    return found & modules.keys() - {name_of(file)}


def cycles(knows: Mapping[str, set[str]]) -> Iterator[str]:
    """Rings of modules, each once, in words."""
    left = {name: set(others) for name, others in knows.items()}
    while True:
        free = [name for name, others in left.items() if not others & left.keys()]
        if not free:
            break
        for name in free:
            del left[name]
    rings = set()
    for name in sorted(left):
        way = [name]
        while way[-1] not in way[:-1]:
            way.append(min(left[way[-1]] & left.keys()))
        ring = way[way.index(way[-1]) : -1]
        first = ring.index(min(ring))
        rings.add(" -> ".join([*ring[first:], *ring[: first + 1]]))
    yield from sorted(rings)


def test_a_cycle_is_reported_with_all_of_its_modules() -> None:
    knows = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set[str]()}

    assert list(cycles(knows)) == ["a -> b -> c -> a"]
    assert not list(cycles({"a": {"b"}, "b": {"c"}, "c": set()}))
