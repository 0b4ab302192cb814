"""No command destroys what it reads: every command, every option that names an output, every file,
by every name that the file has."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from typer.main import get_command

from engine.sessions import find_default_path
from tests.faults.recipes import (
    NEEDS_TERMINAL,
    OutputOption,
    Recipe,
    find_other_values,
    find_output_options,
    list_recipes,
)
from tests.faults.world import World, build_world
from tests.opened_files import noting_opened_files
from tui.cli import app
from tui.cli.app import load_commands, run_command_line

OUTPUTS = find_output_options()
RECIPES = list_recipes(World(Path("/world")))
WRITING = [
    place
    for place, recipe in enumerate(RECIPES)
    if OUTPUTS.get(recipe.command)
    # Without --out it replaces the store that it reads, which is what it is for.
    and (recipe.command != "sessions repair" or "--out" in recipe.arguments)
]
SUFFIXES = (".json", ".csv", ".html")
"""One of these is right for every output that is a file."""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    made = build_world(tmp_path_factory.mktemp("world").resolve())
    with pytest.MonkeyPatch.context() as patch, made.entered():
        # Making the options of a command takes longer than refusing one of them.
        known = cache(lambda *names: load_commands(names))
        patch.setattr(app, "load_commands", lambda names: known(*names))
        patch.setattr(app, "get_command", cache(get_command))
        yield made


def test_every_command_has_a_recipe() -> None:
    tried = {recipe.command for recipe in RECIPES if recipe.writer is None}

    assert tried | set(NEEDS_TERMINAL) == set(OUTPUTS)


def test_whatever_names_an_output_is_a_path() -> None:
    assert find_other_values() == {"--format", "--show"}


@pytest.mark.parametrize("place", WRITING, ids=lambda place: RECIPES[place].name)
def test_no_output_destroys_an_input(
    place: int,
    world: World,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    recipe = list_recipes(world)[place]
    before = _read_all(world)
    inputs = find_inputs(recipe, world)
    names_of = {option: find_names(recipe, option, world) for option in OUTPUTS[recipe.command]}
    _restore(before)

    for option, names in names_of.items():
        for number, file in enumerate(inputs):
            for spell in SPELLINGS:
                given = spell(file, names, tmp_path / f"{option.name}-{number}-{spell.__name__}")
                capsys.readouterr()
                code = run_command_line([*_command(recipe), option.name, str(given)])
                said = capsys.readouterr().err.splitlines()

                about = (recipe.name, option.name, file, spell.__name__, said)
                assert code == 2 and len(said) == 1, about
                assert spell in BY_PATH or "is an input of this command" in said[0], about
    assert _read_all(world) == before


@pytest.mark.parametrize("name", ["sessions.db", "sessions.db-wal"])
def test_no_output_takes_the_name_of_a_store_that_is_not_there_yet(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("TUI_EVAL_DATA", str(tmp_path))

    code = run_command_line(["validate", "--out", str(tmp_path / name)])

    assert code == 2
    assert f"{name}: is an input of this command" in capsys.readouterr().err
    assert find_default_path() == tmp_path / "sessions.db"
    assert list(tmp_path.iterdir()) == []


def find_inputs(recipe: Recipe, world: World) -> list[Path]:
    """What a command opens, all that belongs to its dataset, and what is kept for its user."""
    with noting_opened_files() as opened:
        assert run_command_line(_command(recipe)) == 0
    kept = [world / "data", world / "cache", world / "own/keys.toml", world / "own/config.toml"]
    kept += [world / "dataset"] if str(world / "dataset") in recipe.arguments else []
    unasked = {world / "dataset/listed.txt"}  # a file of some questions only
    return [
        file
        for file in _read_all(world)
        if str(file) in opened
        or (file not in unasked and any(place in (file, *file.parents) for place in kept))
    ]


def find_names(recipe: Recipe, option: OutputOption, world: World) -> list[str]:
    """How a file may be called that the option takes, or all that it writes into a folder."""
    for suffix in SUFFIXES if not option.is_folder else ("",):
        made = world.out / f"made{suffix}"
        if run_command_line([*_command(recipe), option.name, str(made)]) == 0:
            return [file.name for file in made.iterdir()] if option.is_folder else [f"x{suffix}"]
    raise AssertionError(f"{recipe.name} does not write {option.name}")


def by_its_path(file: Path, names: list[str], place: Path) -> Path:
    return file


def by_another_spelling(file: Path, names: list[str], place: Path) -> Path:
    return Path(os.path.relpath(file.parent)) / ".." / file.parent.name / "." / file.name


def through_a_linked_folder(file: Path, names: list[str], place: Path) -> Path:
    place.symlink_to(file.parent)
    return place / file.name


def by_a_link(file: Path, names: list[str], place: Path) -> Path:
    return _name_otherwise(names, place, lambda name: name.symlink_to(file))


def by_a_hard_link(file: Path, names: list[str], place: Path) -> Path:
    return _name_otherwise(names, place, lambda name: name.hardlink_to(file))


def _name_otherwise(names: list[str], place: Path, link: Callable[[Path], None]) -> Path:
    place.mkdir()
    for name in names:
        link(place / name)
    return place / names[0] if names[0].startswith("x") else place


BY_PATH = (by_its_path, by_another_spelling, through_a_linked_folder)
"""Then the name may also be wrong for the option, which is another reason to refuse it."""
SPELLINGS = (*BY_PATH, by_a_link, by_a_hard_link)


def test_the_summary_of_a_job_is_not_added_to_an_input(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = next(one for one in list_recipes(world) if one.command == "gate")
    before = _read_all(world)

    for name in ("new.csv", "old.csv", "clusters.csv"):
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(world / "runs" / name))
        assert run_command_line(_command(recipe)) == 0

        assert "is an input of this command" in capsys.readouterr().err
        assert _read_all(world) == before


def _command(recipe: Recipe) -> list[str]:
    shown = ["--format", "markdown"] if recipe.command == "report" else []
    return [*recipe.command.split(), *recipe.arguments, *shown]


def _read_all(world: World) -> dict[Path, bytes]:
    """What every file holds; of databases, which are written in their own way, that they are."""
    return {
        file: file.read_bytes() if "sqlite" not in file.name else file.read_bytes()[:16]
        for file in world.list_files()
        if not file.name.endswith(("-wal", "-shm"))
    }


def _restore(files: dict[Path, bytes]) -> None:
    for file, content in files.items():
        if "sqlite" not in file.name and file.read_bytes() != content:
            file.write_bytes(content)
