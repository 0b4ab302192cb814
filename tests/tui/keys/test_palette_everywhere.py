"""The palette has every command on every screen; one of elsewhere is gone to, and done there."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.command import CommandList

from engine.text.encoder import SentenceEncoder
from tests.tui.inspector import CLIP, Inspector, inspect
from tui.app.inspector import InspectorApp
from tui.compare.screen import CompareScreen
from tui.dialogs.palette import Palette
from tui.evaluate.screen import EvaluateScreen
from tui.keys.commands import COMMANDS
from tui.keys.palette import CommandProvider, name_command
from tui.keys.panes import PANES
from tui.sessions.screen import SessionsScreen

PLACES = {
    "nothing asked": (),
    "results": ("1",),
    "query": ("1", "slash"),
    "picker": ("1", "p"),
    "keywords": ("1", "e"),
    "nothing evaluated": ("2",),
    "sessions": ("3",),
    "nothing compared": ("4",),
}

OWN = [command for command in COMMANDS if PANES[command.pane].screen in ("", *InspectorApp.places)]
"""The commands of the inspector; those about predicted moments belong to another app."""


async def run(see: Inspector, words: str) -> None:
    """Find a command by its name, and run it; all keys come at once."""
    see.burst("ctrl+p", *("space" if letter == " " else letter for letter in words), "enter")
    await see.until(lambda: not isinstance(see.app.screen, Palette), "the palette is gone")


async def names(see: Inspector) -> list[str]:
    """What the open palette lists."""
    found: list[str] = []

    def listed() -> bool:
        for commands in see.app.screen.query(CommandList):
            lines = [str(option.prompt).partition("\n")[0] for option in commands.options]
            found[:] = [line.partition("  ")[0] for line in lines]
        return bool(found) and see.app.screen.has_class("-ready")

    await see.until(listed, "the list of commands")
    return found


@pytest.mark.parametrize("keys", PLACES.values(), ids=PLACES)
def test_every_command_is_listed_once_wherever_the_palette_is_opened(
    keys: tuple[str, ...], tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        if keys:
            await see.ask_clip(CLIP)
        await see.press(*keys, "ctrl+p")
        assert sorted(await names(see)) == sorted(map(name_command, OWN))

    inspect(flow, tmp_path, encoder)


@pytest.mark.parametrize("screen", ["1", "2", "3", "4"])
def test_a_name_finds_its_command_first_on_every_screen(
    screen: str, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.press(screen)
        palette = CommandProvider(see.app.screen)
        for command in OWN:
            for words in (name_command(command), name_command(command).lower().replace(":", "")):
                hits = [hit async for hit in palette.search(words)]
                assert max(hits, key=lambda hit: hit.score).text == name_command(command)

    inspect(flow, tmp_path, encoder)


@pytest.mark.parametrize("place", ["results", "nothing evaluated", "sessions"])
def test_what_works_here_is_listed_before_what_does_elsewhere(
    place: str, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    own, others = {
        "results": ("Inspect: Copy", ("Evaluate: Run", "Sessions: New")),
        "nothing evaluated": ("Evaluate: Run", ("Inspect: Copy", "Sessions: New")),
        "sessions": ("Sessions: New", ("Inspect: Copy", "Evaluate: Run")),
    }[place]

    async def flow(see: Inspector) -> None:
        await see.ask_clip(CLIP)
        await see.press(*PLACES[place], "ctrl+p")
        listed = await names(see)
        for here in (own, "Everywhere: Quit"):
            assert all(listed.index(here) < listed.index(other) for other in others)

    inspect(flow, tmp_path, encoder)


def test_other_screens_are_not_made_in_order_to_list_them(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.press("ctrl+p")
        await names(see)
        assert not see.app.is_screen_installed("evaluate")
        assert not see.app.is_screen_installed("compare")
        assert not see.app.is_screen_installed("sessions")

    inspect(flow, tmp_path, encoder)


def test_an_evaluation_is_run_from_inspect(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        await run(see, "evaluate run")
        await see.until(lambda: isinstance(see.app.screen, EvaluateScreen), "Evaluate")
        await see.says("mean of n")
        assert see.toasts == []

    inspect(flow, tmp_path, encoder)


def test_a_comparison_is_run_from_inspect(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        await run(see, "compare run")
        await see.until(lambda: isinstance(see.app.screen, CompareScreen), "Compare")
        await see.says("queries count")
        assert see.toasts == []

    inspect(flow, tmp_path, encoder)


@pytest.mark.parametrize("screen", ["2", "3", "4"])
def test_groups_are_chosen_from_the_other_screens(
    screen: str, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.press(screen)
        await run(see, "groups")
        await see.until(lambda: see.app.screen is see.home, "Inspect")
        await see.until(lambda: see.focused == "picker", "the picker")

    inspect(flow, tmp_path, encoder)


@pytest.mark.parametrize(
    ("words", "focused"),
    [
        ("groups find", "Input"),
        ("keywords left", "keywords"),
        ("query text/clip", "query-field"),
        ("inspect search", "query-field"),
    ],
)
def test_a_pane_of_inspect_gets_the_focus_from_evaluate(
    words: str, focused: str, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.ask_clip(CLIP)
        await see.press("p", "2")  # Inspect is left in its picker, where / is another command
        await run(see, words)
        if focused == "Input":
            await see.says("Find a keyword")
        else:
            await see.until(lambda: see.focused == focused, focused)
        assert see.toasts == []

    inspect(flow, tmp_path, encoder)


def test_a_mark_is_made_from_evaluate_on_the_row_of_inspect(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.ask_clip(CLIP)
        await see.press("j", "2")
        await run(see, "not rel.")
        await see.until(lambda: see.rows()[1][4] == "✗ ", "the mark")
        assert see.app.screen is see.home and see.focused == "results"

    inspect(flow, tmp_path, encoder)


def test_the_sessions_are_read_before_one_of_them_is_renamed(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.ask_clip(CLIP)
        await run(see, "sessions rename")
        await see.says("Name of the session")
        assert isinstance(see.app.screen_stack[-2], SessionsScreen)

    inspect(flow, tmp_path, encoder)


@pytest.mark.parametrize("screen", ["1", "2", "3", "4"])
def test_a_command_of_the_app_works_where_it_is_run(
    screen: str, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.press(screen)
        before, theme = see.app.screen, see.app.theme
        await run(see, "theme")
        await see.until(lambda: see.app.theme != theme, "another theme")
        assert see.app.screen is before

    inspect(flow, tmp_path, encoder)


@pytest.mark.parametrize(
    ("screen", "words", "reported"),
    [
        ("1", "evaluate filter", "Evaluate: Filter does nothing there now."),
        ("1", "sessions delete", "Sessions: Delete does nothing there now."),
        ("2", "results relevant", "Results: Relevant does nothing there now."),
        ("3", "inspect copy", "Inspect: Copy does nothing there now."),
        ("1", "inspect copy", "Inspect: Copy does nothing here now."),
        ("2", "evaluate sort", "Evaluate: Sort does nothing here now."),
        ("3", "everywhere undo", "Everywhere: Undo does nothing here now."),
    ],
)
def test_what_is_not_possible_is_reported_once(
    screen: str, words: str, reported: str, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.press(screen)
        await run(see, words)
        await see.says(reported)
        assert see.toasts == [reported]
        assert not see.app.screen.is_modal

    inspect(flow, tmp_path, encoder)


def test_a_query_that_was_opened_from_the_table_still_leads_back_there(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    """A command of this screen is no way to it: Escape leads where it did."""

    async def flow(see: Inspector) -> None:
        await see.press("2", "t", "r")
        await see.says("mean of n")
        await see.press("enter")
        await see.answered()
        await see.press("P")
        await run(see, "inspect search")
        await see.until(lambda: see.focused == "query-field", "the field")
        await see.press("escape", "escape")
        assert isinstance(see.app.screen, EvaluateScreen)

    inspect(flow, tmp_path, encoder)
