"""The palette under keys that come in bursts, as over a slow line."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from textual.command import CommandInput, CommandList

from engine.text.encoder import SentenceEncoder
from tests.tui.inspector import CLIP, Inspector, inspect
from tests.tui.resting import come_to_rest
from tui.dialogs.palette import Palette
from tui.keys.active import ActiveCommand
from tui.keys.keymap import load_keymap


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The commands that the palette runs."""
    commands: list[str] = []
    run = ActiveCommand.run

    async def noted(offer: ActiveCommand) -> None:
        commands.append(offer.command.id)
        await run(offer)

    monkeypatch.setattr(ActiveCommand, "run", noted)
    return commands


async def listed(see: Inspector) -> None:
    """Wait until the palette shows what it has."""

    def shown() -> bool:
        lists = see.app.screen.query(CommandList)
        return any(item.option_count and item.scrollable_content_region for item in lists)

    await see.until(shown, "the list of commands")


@pytest.mark.parametrize("screen", ["1", "2", "3"])
@pytest.mark.parametrize(
    "keys",
    [("pagedown",), ("pageup",), ("ctrl+end", "pageup"), ("down", "up", "home", "end", "pagedown")],
    ids="+".join,
)
def test_no_key_is_too_early_for_the_palette(
    keys: tuple[str, ...], screen: str, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.press(screen)
        for wait in (0.0, 0.005, 0.01, 0.02, 0.03, 0.05):
            see.burst("ctrl+p")
            await asyncio.sleep(wait)
            see.burst(*keys)
            await listed(see)
            await see.press("escape")
            assert not isinstance(see.app.screen, Palette)

    inspect(flow, tmp_path, encoder)


def test_the_palette_turns_pages_once_it_shows_them(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        see.burst("ctrl+p")
        await listed(see)
        commands = see.app.screen.query_one(CommandList)
        await see.press("pagedown", "pagedown")
        assert commands.highlighted is not None and commands.highlighted > 10
        await see.pilot.resize_terminal(60, 20)
        await see.press("pageup", "pageup", "pageup", "pageup", "pageup")
        assert commands.highlighted < 10
        await see.pilot.resize_terminal(50, 15)  # too small: asks for room, above the palette
        see.burst("pagedown", "enter", "down")
        await see.pilot.resize_terminal(120, 40)
        await listed(see)

    inspect(flow, tmp_path, encoder)


@pytest.mark.parametrize(
    ("keymap", "opening"), [("default", "ctrl+p"), ("default", "colon"), ("vim", "colon")]
)
def test_a_name_that_comes_with_the_key_and_enter_runs_that_command(
    keymap: str, opening: str, ran: list[str], tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        see.burst(opening, *"metrics", "enter")  # m, e, t, r, i and c are keys, too
        await see.says("Metrics of this query")
        assert ran == ["inspect.all_metrics"]

    inspect(flow, tmp_path, encoder, query=("video", CLIP), keymap=load_keymap(keymap))


def test_a_second_enter_does_not_run_the_command_again(
    ran: list[str], tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        see.burst("ctrl+p", *"not", "space", *"rel", "enter", "enter", "enter")
        await see.until(lambda: see.rows()[0][4] == "✗ ", "the mark")
        await see.pilot.pause(0.1)
        assert ran == ["results.mark_not_relevant"]
        assert see.rows()[1][4] != "✗ "

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_enter_after_escape_runs_nothing(
    ran: list[str], tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.press("2", "ctrl+p")
        await listed(see)
        see.burst("escape", "enter", "escape", "enter")
        await see.until(lambda: not isinstance(see.app.screen, Palette), "the palette is gone")
        await see.pilot.pause(0.1)
        assert ran == []

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_the_palette_opens_once_and_takes_its_own_key_for_nothing(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        see.burst("ctrl+p", "ctrl+p", "colon", "ctrl+p")
        await listed(see)
        assert sum(isinstance(screen, Palette) for screen in see.app.screen_stack) == 1
        typed = see.app.screen.query_one(CommandInput)
        await see.until(lambda: typed.value == ":", "the colon that was typed")

    inspect(flow, tmp_path, encoder)


@pytest.mark.parametrize("before", ["enter", "escape", "pagedown"])
def test_a_key_from_before_the_palette_is_not_for_it(
    before: str, ran: list[str], tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        see.burst(before, "ctrl+p")
        await listed(see)
        await see.pilot.pause(0.1)
        assert isinstance(see.app.screen, Palette)
        assert see.app.screen.query_one(CommandList).highlighted == 0
        assert ran == []

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_nothing_is_painted_while_no_key_is_pressed(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.press("ctrl+p")
        await see.type("mark")
        await come_to_rest(see.app, see.pilot)
        pictures = {see.app.export_screenshot()}
        for _ in range(12):  # longer than two blinks of Textual's cursor
            await see.pilot.pause(0.1)
            pictures.add(see.app.export_screenshot())
        assert len(pictures) == 1
        assert see.app.screen.query_one(CommandInput)._cursor_visible

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_the_palette_stays_away_from_dialogs(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.press("b", "ctrl+p", "colon", "pagedown")
        assert see.app.screen.is_modal
        assert not any(isinstance(screen, Palette) for screen in see.app.screen_stack)

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_a_colon_is_typed_into_a_field_and_ctrl_p_opens_the_palette_there(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        see.burst("slash", "a", "colon", "b")
        await see.until(lambda: see.field == "a:b", "the text")
        see.burst("ctrl+p")
        await listed(see)

    inspect(flow, tmp_path, encoder, ready=False)


def test_a_pane_keeps_a_key_of_its_own_that_opens_a_field_elsewhere(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    file = tmp_path / "keys.toml"
    file.write_text('[keys.results]\nmark_relevant = ["ctrl+p", "/"]')

    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.press("ctrl+p", "slash")
        assert see.focused == "results"
        assert [row[4] for row in see.rows()[:3]] == ["✓ ", "✓ ", ""]

    inspect(flow, tmp_path, encoder, query=("video", CLIP), keymap=load_keymap(str(file)))
