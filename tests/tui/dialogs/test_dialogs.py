"""The small dialogs, by keys: what they answer, and that user data stays data."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.app import App
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input, Static

from engine.base.visible import spell_hidden
from tui.dialogs.basic_dialogs import (
    LONGEST_NOTE,
    Choice,
    ChoiceDialog,
    ConfirmDialog,
    ErrorDialog,
    NoteEditor,
    TextDialog,
    TextPrompt,
)
from tui.look import themes
from tui.widgets.lines_view import Line

HOSTILE = "[red]x[/red] [@click=app.quit]y[/] \x1b[31mz [/nonsense] {0} %s"
VISIBLE = "[red]x[/red] [@click=app.quit]y[/] \\x1b[31mz [/nonsense] {0} %s"
UNANSWERED = "unanswered"
REASONS = (
    Choice("1", "look-alike", "looks like the query, means something else"),
    Choice("2", "hub", "near to everything"),
    Choice("j", "other"),
)


class Host(App[None]):
    def __init__(self, theme: str = "dark") -> None:
        super().__init__()
        themes.register(self, theme)
        self.answer: Any = UNANSWERED

    def take(self, answer: Any) -> None:
        self.answer = answer


Scene = Callable[[Host, Pilot[None]], Awaitable[None]]


def with_dialog(dialog: Screen[Any], scene: Scene, size: tuple[int, int] = (80, 24)) -> Host:
    """Show a dialog and act; the app afterwards."""
    app = Host()

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            app.push_screen(dialog, app.take)
            await pilot.pause()
            await scene(app, pilot)
            await pilot.pause()

    asyncio.run(run())
    return app


def answer(dialog: Screen[Any], *keys: str) -> Any:
    async def press(app: Host, pilot: Pilot[None]) -> None:
        await pilot.press(*keys)

    return with_dialog(dialog, press).answer


def painted(dialog: Screen[Any], size: tuple[int, int] = (80, 24), *keys: str) -> str:
    text = ""

    async def look(app: Host, pilot: Pilot[None]) -> None:
        nonlocal text
        await pilot.press(*keys)
        await pilot.pause()
        rows = app.screen._compositor.render_strips()
        text = "\n".join("".join(segment.text for segment in row) for row in rows)

    with_dialog(dialog, look, size)
    return text


@pytest.mark.parametrize(
    ("keys", "chosen"),
    [
        (("2",), "hub"),
        (("enter",), "look-alike"),
        (("down", "enter"), "hub"),
        (("down", "up", "k", "enter"), "other"),
        (("escape",), None),
        (("7",), UNANSWERED),
    ],
)
def test_a_choice_is_made_by_its_key_or_by_arrows(keys: tuple[str, ...], chosen: object) -> None:
    assert answer(ChoiceDialog("Why?", REASONS), *keys) == chosen


def test_the_key_of_a_choice_wins_over_moving() -> None:
    assert answer(ChoiceDialog("Why?", REASONS), "j") == "other"


def test_j_and_k_move_where_no_choice_has_them() -> None:
    assert answer(ChoiceDialog("Why?", [("", "a", ""), ("", "b", "")]), "j", "enter") == "b"


def test_a_choice_starts_at_the_current_one() -> None:
    assert answer(ChoiceDialog("Model", REASONS, current="hub"), "enter") == "hub"


def test_more_choices_than_rows_can_all_be_reached() -> None:
    many = [Choice("", f"model-{number}") for number in range(60)]

    assert answer(ChoiceDialog("Model", many), "end", "enter") == "model-59"


def test_nothing_to_choose_from_is_survived() -> None:
    assert answer(ChoiceDialog("Why?", []), "enter", "escape") is None


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        (("enter",), "monday"),
        (("exclamation_mark", "enter"), "monday!"),
        (("ctrl+u", "enter"), ""),
        (("x", "escape"), None),
    ],
)
def test_a_line_is_asked_for(keys: tuple[str, ...], text: object) -> None:
    assert answer(TextPrompt("Rename", "monday", "a name"), *keys) == text


def test_a_note_goes_on_where_it_ended_and_enter_saves_it() -> None:
    assert answer(NoteEditor("Note", "hidden"), "space", "c", "a", "r", "enter") == "hidden car"


def test_a_longer_note_that_was_imported_comes_back_whole() -> None:
    imported = "x" * 90_000 + "\u200b end"

    assert answer(NoteEditor("Note", imported), "enter") == imported


def test_a_note_has_a_longest_length_that_is_shown() -> None:
    full = "x" * LONGEST_NOTE

    assert answer(NoteEditor("Note", full), "y", "enter") == full
    assert "2,000 of 2,000 characters" in painted(NoteEditor("Note", full))
    assert "1 of 2,000 characters" in painted(NoteEditor("Note"), (80, 24), "a")


def paste(dialog: Screen[Any], text: str, *keys: str) -> tuple[Any, list[str]]:
    """What a dialog answers after a paste, and what it has said."""
    said: list[str] = []

    async def act(app: Host, pilot: Pilot[None]) -> None:
        app.post_message(events.Paste(text))
        await pilot.pause()
        said.extend(item.message for item in app._notifications)
        await pilot.press(*keys)

    return with_dialog(dialog, act).answer, said


@pytest.mark.parametrize(("length", "taken"), [(0, 2_000), (1_990, 10), (2_000, 0), (9_000, 0)])
def test_of_a_paste_that_does_not_fit_the_beginning_is_taken_and_said(
    length: int, taken: int
) -> None:
    before = "x" * length

    note, said = paste(NoteEditor("Note", before), "y" * 3_000, "enter")

    assert note == before + "y" * taken
    which = f"Only its first {taken:,} characters were" if taken else "Nothing of it was"
    assert said == [f"The paste is too long: 2,000 characters fit here. {which} taken."]


def test_the_lines_of_a_paste_become_one() -> None:
    text = "a bus,\r\n\r\n   not a truck\nat night\n"

    assert paste(NoteEditor("Note", "see: "), text, "!", "enter") == (
        "see: a bus, not a truck at night!",
        [],
    )


def test_what_is_longer_than_a_note_may_be_can_be_shortened() -> None:
    assert answer(NoteEditor("Note", "x" * 3_000), "backspace", "enter") == "x" * 2_999


@pytest.mark.parametrize("hidden", ["\u202e", "\u200d", "\U000e0041"])
def test_a_hidden_character_is_spelt_in_the_field_and_kept_as_it_is(hidden: str) -> None:
    spelt = spell_hidden(hidden)

    assert paste(NoteEditor("Note"), f"a{hidden}b", "!", "enter")[0] == f"a{hidden}b!"
    assert f"a{spelt}b" in painted(NoteEditor("Note", f"a{hidden}b"))
    assert answer(NoteEditor("Note", f"a{hidden}b"), "!", "enter") == f"a{hidden}b!"
    # Where somebody has typed the spelling, it is what was typed.
    assert answer(NoteEditor("Note", f"{spelt} "), "!", "enter") == f"{spelt} !"
    assert paste(NoteEditor("Note", f"{spelt} "), hidden, "enter")[0] == f"{spelt} {spelt}"


@pytest.mark.parametrize(
    ("keys", "sure"),
    [
        (("y",), True),
        (("n",), False),
        (("escape",), False),
        (("enter",), False),
        (("left", "enter"), True),
        (("tab", "tab", "enter"), False),
    ],
)
def test_only_a_clear_yes_is_a_yes(keys: tuple[str, ...], sure: bool) -> None:
    assert answer(ConfirmDialog("Delete it?", "Delete"), *keys) is sure


@pytest.mark.parametrize(
    "dialog",
    [
        lambda: ChoiceDialog(HOSTILE, [Choice("1", HOSTILE, "")]),
        lambda: ChoiceDialog("x", [Choice("1", "a", HOSTILE)]),
        lambda: TextPrompt(HOSTILE, "", HOSTILE),
        lambda: TextPrompt("x", HOSTILE),
        lambda: NoteEditor(HOSTILE),
        lambda: ConfirmDialog(HOSTILE),
        lambda: ConfirmDialog("x", HOSTILE),
        lambda: ErrorDialog(HOSTILE, HOSTILE),
        lambda: TextDialog(HOSTILE, [Line.of(HOSTILE)]),
    ],
)
def test_user_data_is_shown_as_it_is(dialog: Callable[[], Screen[Any]]) -> None:
    text = painted(dialog(), (120, 40))

    assert VISIBLE[:45] in text  # a narrow place cuts it
    assert "\x1b" not in text


def test_a_long_text_scrolls_by_keys() -> None:
    text = "\n".join(f"line {number}" for number in range(200))

    assert "line 0" in painted(ErrorDialog("Broken", text))
    assert "line 199" in painted(ErrorDialog("Broken", text), (80, 24), "G")
    assert "line 45" in painted(ErrorDialog("Broken", text), (80, 24), "ctrl+d", "ctrl+d")
    assert "line 0" in painted(ErrorDialog("Broken", text), (80, 24), "G", "g")


def test_a_line_wider_than_the_screen_is_wrapped() -> None:
    assert "end" in painted(TextDialog("Metrics", [Line.of("x" * 150 + " end")]))


@pytest.mark.parametrize("key", ["escape", "q", "enter"])
def test_what_is_shown_is_closed(key: str) -> None:
    assert answer(TextDialog("Metrics", [Line.of("x")]), key) is None


def test_a_problem_is_copied_through_the_terminal() -> None:
    async def copy(app: Host, pilot: Pilot[None]) -> None:
        await pilot.press("y")

    assert with_dialog(ErrorDialog("Broken", "a\nb"), copy).clipboard == "a\nb"


def test_a_problem_is_written_to_a_new_file_each_time(tmp_path: Path) -> None:
    async def write(app: Host, pilot: Pilot[None]) -> None:
        await pilot.press("w", "w")

    with_dialog(ErrorDialog("Broken [b]", "a\x1bb\nc", tmp_path), write)

    files = sorted(file.name for file in tmp_path.iterdir())
    assert files == ["tui-eval-problem-2.txt", "tui-eval-problem.txt"]
    assert (tmp_path / files[0]).read_text(encoding="utf-8") == "Broken [b]\n\na\\x1bb\nc\n"


def test_a_problem_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    reported: list[str] = []

    async def write(app: Host, pilot: Pilot[None]) -> None:
        await pilot.press("w")
        await pilot.pause()
        reported.extend(item.message for item in app._notifications)

    with_dialog(ErrorDialog("Broken", "a", tmp_path / "nowhere"), write)

    assert reported and "cannot be written" in reported[0]


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (200, 50)])
@pytest.mark.parametrize(
    ("dialog", "keys"),
    [
        (lambda: ChoiceDialog("Why?", REASONS), "Escape leaves"),
        (lambda: TextPrompt("Rename", "", "hint"), "Enter saves"),
        (lambda: ConfirmDialog("Sure?\n" * 3), "y yes"),
        (lambda: ErrorDialog("Broken", "line\n" * 99), "y copies"),
        (lambda: TextDialog("Metrics", [Line.of("line")] * 99), "Escape closes"),
    ],
)
def test_every_dialog_fits_and_says_its_keys(
    dialog: Callable[[], Screen[Any]], keys: str, size: tuple[int, int]
) -> None:
    text = painted(dialog(), size)

    assert keys in text
    assert text.count("╭") == text.count("╯") == 1


def test_text_fields_show_what_is_typed() -> None:
    async def type_it(app: Host, pilot: Pilot[None]) -> None:
        await pilot.press("q", "question_mark", "j")
        assert app.screen.query_one(Input).value == "q?j"
        assert app.screen.query_one(".hint", Static)

    with_dialog(TextPrompt("Rename"), type_it)
