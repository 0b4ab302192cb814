"""A slice of `make faults`: a full disk and the end of the process, wherever a command touches a
file; the other faults at the points of one command."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.files.points import set_fault_hook
from tests.faults.campaign import try_databases
from tests.faults.catalogue import FAULTS, FULL, KILL, WRITING
from tests.faults.inject import try_command
from tests.faults.recipes import find_output_options, list_recipes
from tests.faults.table import FaultRow
from tests.faults.world import World, build_world
from tests.opened_files import noting_opened_files
from tui.cli.app import run_command_line

pytestmark = pytest.mark.slow

RECIPES = list_recipes(World(Path("/world")))


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return build_world(tmp_path_factory.mktemp("world").resolve())


@pytest.mark.parametrize("place", range(len(RECIPES)), ids=lambda place: RECIPES[place].name)
def test_a_full_disk_or_a_kill_leaves_the_old_file_or_the_new_one(place: int, world: World) -> None:
    recipe = list_recipes(world)[place]

    found = try_command(recipe, world, (replace(KILL, points=WRITING), FULL))

    assert found or not find_output_options()[recipe.command]
    assert [one for one in found if one.wrong] == []


def test_no_fault_at_any_point_of_a_command_does_harm(world: World) -> None:
    recipe = next(one for one in list_recipes(world) if one.command == "score")

    found = try_command(recipe, world, FAULTS)

    assert {one.trial.fault for one in found} == {fault.name for fault in FAULTS}
    assert [one for one in found if {*one.wrong} - {"late"}] == []  # a test may have to wait


def test_no_fault_under_a_database_loses_what_was_acknowledged() -> None:
    rows = try_databases()

    assert len(rows) >= 6
    assert [row for row in rows if not row.is_fine] == []


def test_what_is_wrong_is_counted() -> None:
    assert FaultRow("disk full", 3, coped=1).is_fine
    assert not FaultRow("disk full", 3, half=1).is_fine


@pytest.fixture
def reached() -> Iterator[set[str]]:
    """The files whose points are reached."""
    files: set[str] = set()
    set_fault_hook(lambda _, path: files.add(os.path.realpath(path)))
    yield files
    set_fault_hook(None)


CHANGES = ("learn", "delete", "import", "repair", "set")
"""Commands that change the world; they are tried above, where it is put back."""


@pytest.mark.parametrize(
    "place",
    [
        i
        for i, recipe in enumerate(RECIPES)
        if recipe.writer is None and not recipe.command.endswith(CHANGES)
    ],
    ids=lambda place: RECIPES[place].name,
)
def test_no_file_is_opened_before_its_point_is_reached(
    place: int, world: World, reached: set[str]
) -> None:
    recipe = list_recipes(world)[place]
    shown = ["--format", "markdown"] if recipe.command == "report" else []

    with world.entered(), noting_opened_files() as opened:
        assert run_command_line([*recipe.command.split(), *recipe.arguments, *shown]) == 0

    inputs = {str(file) for file in world.list_files() if file.suffix not in (".db", ".sqlite")}
    assert opened & inputs <= reached
