"""Footer, help, palette, jump mode and the "too small" screen, driven by keys in a small app."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, ClassVar

import pytest
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.command import CommandPalette
from textual.containers import Horizontal
from textual.content import Content
from textual.filter import LineFilter
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input, OptionList, Static

from tui.dialogs.help import HelpScreen, build_help
from tui.dialogs.jump import JumpScreen, jump
from tui.dialogs.too_small import TooSmallScreen
from tui.keys.active import find_active_commands, find_active_panes
from tui.keys.commands import COMMANDS, make_bindings
from tui.keys.footer import Hint, KeyFooter, collect_hints, fit_hints
from tui.keys.keymap import Keymap, load_keymap
from tui.keys.palette import CommandProvider
from tui.look import themes
from tui.look.ascii_filter import AsciiFilter
from tui.shell.terminal_size import watch_size


def drive(coroutine: Coroutine[Any, Any, None]) -> None:
    asyncio.run(coroutine)


class Results(Static, can_focus=True):
    BINDINGS: ClassVar[list[BindingType]] = [*make_bindings("results", "table")]
    jump_key = "r"

    def __init__(self) -> None:
        super().__init__("results")
        self.done: list[str] = []
        self.can_play = False

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "play" or self.can_play

    def action_mark_bias(self) -> None:
        self.done.append("bias")

    def action_open_clip(self) -> None:
        self.done.append("open")


class Query(Input):
    BINDINGS: ClassVar[list[BindingType]] = [*make_bindings("query")]
    jump_key = "q"


class Keywords(Static, can_focus=True):
    BINDINGS: ClassVar[list[BindingType]] = [*make_bindings("keywords")]
    jump_key = "k"


class Inspect(Screen[None]):
    BINDINGS: ClassVar[list[BindingType]] = [*make_bindings("inspect")]

    def __init__(self) -> None:
        super().__init__()
        self.picked = 0

    def compose(self) -> ComposeResult:
        yield Query()
        with Horizontal():
            yield Results()
            yield Keywords("keywords")
        yield KeyFooter()

    def action_pick(self) -> None:
        self.picked += 1


class Small(App[None]):
    BINDINGS: ClassVar[list[BindingType]] = [*make_bindings("app")]
    CSS = "Query { height: 3; } Results, Keywords { width: 1fr; height: 1fr; }"
    COMMANDS = {CommandProvider}  # noqa: RUF012 (as Textual declares it)

    def __init__(self, keymap: Keymap | None = None, *, ascii: bool = False) -> None:
        super().__init__()
        self.keymap = keymap or load_keymap("default")
        self.ascii = [AsciiFilter()] if ascii else []
        self.set_keymap(self.keymap.textual())
        themes.register(self)

    def get_line_filters(self) -> list[LineFilter]:
        return [*super().get_line_filters(), *self.ascii]

    def get_default_screen(self) -> Screen[None]:
        return Inspect()

    def on_resize(self, event: Any) -> None:
        watch_size(self, event.size)

    def action_help(self) -> None:
        self.push_screen(build_help(self.screen, self.keymap))

    def action_jump(self) -> None:
        jump(self)


def results(app: Small) -> Results:
    return app.screen.query_one(Results)


async def focus(pilot: Pilot[None], kind: type[Any]) -> None:
    pilot.app.screen.query_one(kind).focus()
    await pilot.pause()


def titles(app: Small) -> list[str]:
    return [hint.title for hint in collect_hints(app.screen)]


def footer_text(app: Small) -> str:
    return app.screen.query_one(KeyFooter).render().plain


def screen_text(app: Small) -> str:
    """Everything that is painted."""
    rows = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in row) for row in rows)


def test_the_footer_shows_the_focused_pane_first_then_its_screen_then_the_app() -> None:
    async def scene() -> None:
        app = Small()
        async with app.run_test(size=(200, 30)) as pilot:
            await focus(pilot, Results)

            shown = titles(app)
            assert shown[:3] == ["Next miss", "Bias", "Relevant"]
            assert shown.index("Note") < shown.index("Search") < shown.index("Inspect")

    drive(scene())


def test_the_footer_shows_only_what_works_now() -> None:
    async def scene() -> None:
        app = Small()
        async with app.run_test(size=(200, 30)) as pilot:
            await focus(pilot, Results)
            assert "Play" not in titles(app)

            results(app).can_play = True
            app.screen.refresh_bindings()
            await pilot.pause()

            assert "space Play" in footer_text(app)

    drive(scene())


def test_in_a_text_field_the_footer_shows_no_letter_that_would_be_typed() -> None:
    async def scene() -> None:
        app = Small()
        async with app.run_test(size=(200, 30)) as pilot:
            await focus(pilot, Query)

            keys = [hint.label for hint in collect_hints(app.screen)]
            assert "enter" in keys and "ctrl+p" in keys
            assert not [key for key in keys if len(key) == 1]

    drive(scene())


def test_what_does_not_fit_is_counted_and_help_stays() -> None:
    async def scene() -> None:
        app = Small()
        async with app.run_test(size=(80, 24)) as pilot:
            await focus(pilot, Results)

            line = footer_text(app)
            every = len(collect_hints(app.screen))
            shown, hidden = fit_hints(collect_hints(app.screen), 78)
            assert Content(line).cell_length <= 78
            assert line.startswith("n Miss  b Bias")
            assert line.rstrip().endswith(f"+{hidden}  ? Help")
            assert len(shown) + hidden == every

    drive(scene())


def test_a_wide_footer_hides_nothing() -> None:
    every = (Hint("b", "Bias"), Hint("f1", "Help", "app.help"), Hint("q", "Quit"))

    assert fit_hints(every, 40) == (every, 0)
    assert fit_hints(every, 10) == (every[1:2], 2)


def test_the_footer_is_not_drawn_again_when_nothing_changed(painted: None) -> None:
    async def scene() -> None:
        app = Small()
        async with app.run_test(size=(120, 30)) as pilot:
            await focus(pilot, Results)
            footer = app.screen.query_one(KeyFooter)
            drawn = 0
            draw = footer.render

            def counted() -> Content:
                nonlocal drawn
                drawn += 1
                return draw()

            footer.render = counted  # type: ignore[method-assign]
            for _ in range(5):
                app.screen.refresh_bindings()
                await pilot.pause()

            assert drawn == 0

            await focus(pilot, Keywords)
            assert drawn == 1

    drive(scene())


def test_a_click_on_the_footer_presses_the_key() -> None:
    async def scene() -> None:
        app = Small()
        async with app.run_test(size=(120, 30)) as pilot:
            await focus(pilot, Results)
            column = footer_text(app).index("b Bias") + 1

            await pilot.click(KeyFooter, offset=(column, 0))
            await pilot.pause()

            assert results(app).done == ["bias"]

    drive(scene())


def test_a_key_file_changes_keys_footer_and_help(tmp_path: Path) -> None:
    file = tmp_path / "keys.toml"
    file.write_text('[keys.results]\nmark_bias = "f5"\nopen_clip = []', encoding="utf-8")

    async def scene() -> None:
        app = Small(load_keymap(str(file)))
        async with app.run_test(size=(160, 40)) as pilot:
            await focus(pilot, Results)

            await pilot.press("b", "o", "f5")
            assert results(app).done == ["bias"]
            assert "f5 Bias" in footer_text(app)

            await pilot.press("question_mark")
            await pilot.pause()
            text = screen_text(app)
            assert re.search(r"f5 +Mark a bias case", text)
            assert re.search(r"\(palette\) +Open the clip", text)

    drive(scene())


def test_a_command_without_a_key_is_in_the_palette(tmp_path: Path) -> None:
    file = tmp_path / "keys.toml"
    file.write_text("[keys.results]\nopen_clip = []", encoding="utf-8")

    async def scene() -> None:
        app = Small(load_keymap(str(file)))
        async with app.run_test(size=(100, 30)) as pilot:
            await focus(pilot, Results)
            await run_from_palette(pilot, "results: open")

            assert results(app).done == ["open"]

    drive(scene())


def test_a_command_moved_off_a_letter_works_from_the_query_bar_too(tmp_path: Path) -> None:
    file = tmp_path / "keys.toml"
    file.write_text('[keys.inspect]\npick = "ctrl+g"', encoding="utf-8")

    async def scene() -> None:
        app = Small(load_keymap(str(file)))
        async with app.run_test(size=(100, 30)) as pilot:
            await focus(pilot, Query)
            await pilot.press("ctrl+g")

            assert isinstance(app.screen, Inspect)
            assert app.screen.picked == 1
            assert "ctrl+g Groups" in footer_text(app)

    drive(scene())


@pytest.mark.parametrize("keys", ['quit = "Q"', "quit = []", 'help = "H"'])
def test_ctrl_q_quits_whatever_the_keys_are_and_above_any_dialog(tmp_path: Path, keys: str) -> None:
    file = tmp_path / "keys.toml"
    file.write_text(f"[keys.app]\n{keys}", encoding="utf-8")

    async def scene() -> None:
        app = Small(load_keymap(str(file)))
        async with app.run_test(size=(100, 30)) as pilot:
            app.push_screen(HelpScreen(("app",), app.keymap))
            await pilot.pause()
            await pilot.press("ctrl+q")
            await pilot.pause()

            assert app._exit

    drive(scene())


async def run_from_palette(pilot: Pilot[None], words: str) -> None:
    await pilot.press("colon")
    await pilot.pause()
    await pilot.press(*("space" if letter == " " else letter for letter in words))
    await settle(pilot)
    await pilot.press("enter")
    await settle(pilot)


async def settle(pilot: Pilot[None]) -> None:
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()
    await pilot.pause()


def offered(app: Small) -> dict[str, tuple[str, ...]]:
    return {offer.command.id: offer.keys for offer in find_active_commands(app.screen)}


def test_every_command_that_works_is_offered_with_its_keys() -> None:
    async def scene() -> None:
        app = Small()
        async with app.run_test(size=(100, 30)) as pilot:
            await focus(pilot, Results)
            found = offered(app)

            panes = ("results", "table", "inspect", "app")
            expected = {command.id for command in COMMANDS if command.pane in panes}
            assert set(found) == expected - {"results.play"}
            assert found["inspect.ask_text"] == ("slash", "i")
            assert found["results.mark_bias"] == ("b",)

            results(app).can_play = True
            assert "results.play" in offered(app)

    drive(scene())


def test_the_palette_runs_a_command_on_the_widget_or_screen_it_belongs_to() -> None:
    async def scene() -> None:
        app = Small()
        async with app.run_test(size=(100, 30)) as pilot:
            await focus(pilot, Results)
            await run_from_palette(pilot, "results: bias")
            assert results(app).done == ["bias"]

            await run_from_palette(pilot, "inspect: groups")
            assert isinstance(app.screen, Inspect)
            assert app.screen.picked == 1

    drive(scene())


def test_the_palette_finds_a_command_by_a_word_of_its_explanation() -> None:
    async def scene() -> None:
        app = Small()
        async with app.run_test(size=(100, 30)) as pilot:
            await focus(pilot, Results)
            await pilot.press("colon")
            await pilot.pause()
            await pilot.press(*"external")
            await settle(pilot)

            assert isinstance(app.screen, CommandPalette)
            assert "Results: Open" in screen_text(app)

    drive(scene())


def test_the_palette_shows_explanations_as_they_are_written() -> None:
    async def scene() -> None:
        app = Small()
        async with app.run_test(size=(100, 30)) as pilot:
            await focus(pilot, Results)
            await pilot.press("colon")
            await settle(pilot)

            prompts = [str(option.prompt) for option in app.screen.query_one(OptionList).options]
            abouts = {command.about for command in COMMANDS}
            assert {prompt.partition("\n")[2] for prompt in prompts} == abouts

    drive(scene())


@pytest.mark.parametrize(
    ("kind", "panes"),
    [
        (Results, ("results", "table", "inspect", "app")),
        (Query, ("query", "inspect", "app")),
        (Keywords, ("keywords", "inspect", "app")),
    ],
)
def test_help_is_about_the_focused_pane(kind: type[Any], panes: tuple[str, ...]) -> None:
    async def scene() -> None:
        app = Small()
        async with app.run_test(size=(80, 24)) as pilot:
            await focus(pilot, kind)
            assert find_active_panes(app.screen) == panes

            await pilot.press("f1")
            await pilot.pause()
            assert isinstance(app.screen, HelpScreen)

            await pilot.press("escape")
            await pilot.pause()
            assert isinstance(app.screen, Inspect)

    drive(scene())


def test_help_scrolls_to_the_terms_by_keys() -> None:
    async def scene() -> None:
        app = Small()
        async with app.run_test(size=(80, 24)) as pilot:
            await focus(pilot, Results)
            await pilot.press("question_mark")
            await pilot.pause()
            assert "The ranked list" in screen_text(app)

            await pilot.press("down", "up", *["pagedown"] * 9)
            await pilot.pause()
            text = screen_text(app)
            assert "look-alike" in text and "close to every query" in text

            await pilot.press(*["pageup"] * 9)
            await pilot.pause()
            assert "The ranked list" in screen_text(app)

            await pilot.press("escape")
            await pilot.pause()
            assert isinstance(app.screen, Inspect)

    drive(scene())


@pytest.mark.parametrize(("letter", "kind"), [("q", Query), ("r", Results), ("k", Keywords)])
def test_a_letter_jumps_to_a_pane(letter: str, kind: type[Any]) -> None:
    async def scene() -> None:
        app = Small()
        async with app.run_test(size=(80, 24)) as pilot:
            await focus(pilot, Results if kind is Keywords else Keywords)
            await pilot.press("J")
            await pilot.pause()
            assert isinstance(app.screen, JumpScreen)
            assert f" {letter} " in screen_text(app)

            await pilot.press(letter)
            await pilot.pause()
            assert isinstance(app.focused, kind)

    drive(scene())


def test_escape_leaves_jump_mode_and_other_keys_do_nothing() -> None:
    async def scene() -> None:
        app = Small()
        async with app.run_test(size=(80, 24)) as pilot:
            await focus(pilot, Keywords)
            await pilot.press("J", "z")
            await pilot.pause()
            assert isinstance(app.screen, JumpScreen)

            await pilot.press("escape")
            await pilot.pause()
            assert isinstance(app.focused, Keywords)

    drive(scene())


def test_a_hidden_pane_has_no_letter() -> None:
    async def scene() -> None:
        app = Small()
        async with app.run_test(size=(80, 24)) as pilot:
            await focus(pilot, Results)
            app.screen.query_one(Keywords).display = False
            await pilot.pause()
            await pilot.press("J", "k")
            await pilot.pause()

            assert isinstance(app.screen, JumpScreen)
            assert " k " not in screen_text(app)

    drive(scene())


def test_the_letters_stand_on_the_corners_of_their_panes() -> None:
    async def scene() -> None:
        app = Small()
        async with app.run_test(size=(80, 24)) as pilot:
            await focus(pilot, Results)
            corner = app.screen.query_one(Keywords).region.offset
            await pilot.press("J")
            await pilot.pause()

            row = screen_text(app).splitlines()[corner.y]
            assert row[corner.x : corner.x + 3] == " k "

    drive(scene())


def test_a_small_terminal_is_met_kindly_and_nothing_is_lost() -> None:
    async def scene() -> None:
        app = Small()
        async with app.run_test(size=(80, 24)) as pilot:
            await focus(pilot, Query)
            await pilot.press(*"car")

            await resize(pilot, 50, 24)
            assert isinstance(app.screen, TooSmallScreen)
            assert "50×24" in screen_text(app) and "60×20" in screen_text(app)

            await resize(pilot, 40, 10)
            assert "40×10" in screen_text(app)

            await resize(pilot, 60, 20)
            assert isinstance(app.screen, Inspect)
            assert app.screen.query_one(Query).value == "car"
            assert isinstance(app.focused, Query)

    drive(scene())


async def resize(pilot: Pilot[None], width: int, height: int) -> None:
    await pilot.resize_terminal(width, height)
    await pilot.pause(0.05)  # Textual gathers resizes for some milliseconds
    await pilot.pause()


def test_a_terminal_that_starts_small_hears_it_too_and_q_quits() -> None:
    async def scene() -> None:
        app = Small()
        async with app.run_test(size=(40, 12)) as pilot:
            await pilot.pause()
            assert isinstance(app.screen, TooSmallScreen)

            await pilot.press("q")
            await pilot.pause()
            assert not app.is_running or app._exit

    drive(scene())


def test_a_terminal_that_grew_below_a_dialog_is_noticed_when_that_closes() -> None:
    async def scene() -> None:
        app = Small()
        async with app.run_test(size=(80, 24)) as pilot:
            await resize(pilot, 50, 24)
            app.push_screen(HelpScreen(("app",), app.keymap))
            await pilot.pause()
            await resize(pilot, 90, 30)
            await pilot.press("escape")
            await settle(pilot)

            assert isinstance(app.screen, Inspect)

    drive(scene())


@pytest.mark.parametrize("key", ["f1", "ctrl+o", "ctrl+p", "shift+tab"])
def test_with_the_filter_every_view_is_ascii(key: str) -> None:
    async def scene() -> None:
        app = Small(ascii=True)
        async with app.run_test(size=(80, 24)) as pilot:
            await focus(pilot, Results)
            await pilot.press(key)
            await settle(pilot)

            assert screen_text(app).isascii()

    drive(scene())
