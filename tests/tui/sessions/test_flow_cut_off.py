"""Going on after a lost connection: tables in their order, texts as far as they were typed."""

from __future__ import annotations

from pathlib import Path
from signal import SIGHUP
from typing import Any

import pytest

from engine.sessions import SessionStore
from engine.text.encoder import SentenceEncoder
from tests.tui.inspector import CLIP, CYCLIST, Flow, Inspector, inspect
from tui.dialogs.basic_dialogs import NoteEditor
from tui.shell.run_screen import RunScreen
from tui.widgets.safe_input import SafeInput

HALF = "half a thou"


async def cut_off(see: Inspector) -> None:
    """As a signal ends it, once the keys before are done."""
    await see.pilot.pause()
    await see.pilot.pause()
    see.app.leave(128 + SIGHUP)


async def listed(see: Inspector) -> RunScreen:
    """Wait until a table is there."""

    def is_there() -> bool:
        screen = see.app.screen
        return isinstance(screen, RunScreen) and screen.listing.result is not None

    await see.until(is_there, "a table")
    assert isinstance(see.app.screen, RunScreen)
    await see.pilot.pause()
    return see.app.screen


async def at_rest(see: Inspector) -> str:
    """The screen, once nothing changes on it any more."""
    before = ""
    while before != see.screen_text:
        before = see.screen_text
        await see.pilot.pause(0.3)
    return before


def typed_note(see: Inspector) -> str:
    assert isinstance(see.app.screen, NoteEditor), see.app.screen
    return see.app.screen.query_one(SafeInput).value


def come_back(flow: Flow, folder: Path, encoder: SentenceEncoder) -> None:
    inspect(flow, folder, encoder, resume=True)


@pytest.mark.parametrize("place", ["2", "4"])
@pytest.mark.parametrize("is_cut_off", [True, False])
def test_a_table_comes_back_in_its_order_with_the_cursor_on_its_row(
    tmp_path: Path, encoder: SentenceEncoder, place: str, is_cut_off: bool
) -> None:
    left = []

    async def leave(see: Inspector) -> None:
        await see.ask_clip(CLIP)
        await see.press(place, "t", "r")
        screen = await listed(see)
        await see.press("s", "s", "S", *"jjjjj")
        assert screen.listing.sort is not None and screen.queries.cursor == 5
        left.append(await at_rest(see))
        if is_cut_off:
            await cut_off(see)

    async def look(see: Inspector) -> None:
        await listed(see)
        await see.until(lambda: see.screen_text == left[0], f"this again:\n{left[0]}")
        if is_cut_off:
            await cut_off(see)

    inspect(leave, tmp_path, encoder)
    for _ in range(2):
        come_back(look, tmp_path, encoder)


def test_a_table_that_is_cut_off_before_it_is_there_again_is_not_forgotten(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    left = []

    async def leave(see: Inspector) -> None:
        await see.press("2", "t", "r")
        await listed(see)
        await see.press("s", "j", "j")
        left.append(await at_rest(see))
        await cut_off(see)

    async def leave_early(see: Inspector) -> None:
        await see.until(lambda: see.app.screen is see.app.evaluate_screen, "the screen")
        see.app.evaluate_screen.work_line.cancel()
        await cut_off(see)

    async def look(see: Inspector) -> None:
        await listed(see)
        await see.until(lambda: see.screen_text == left[0], f"this again:\n{left[0]}")

    inspect(leave, tmp_path, encoder)
    come_back(leave_early, tmp_path, encoder)
    come_back(look, tmp_path, encoder)


def test_models_that_were_swapped_stay_swapped(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def leave(see: Inspector) -> None:
        await see.ask_clip(CLIP)
        await see.press("4", "t", "m", "r")
        await listed(see)
        assert "alfa-0.2 → alfa-0.1" in see.title
        await cut_off(see)

    async def look(see: Inspector) -> None:
        await listed(see)
        assert "alfa-0.2 → alfa-0.1" in see.title

    inspect(leave, tmp_path, encoder)
    come_back(look, tmp_path, encoder)


def test_a_key_that_is_held_down_is_no_write_each_time(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.ask_clip(CLIP)
        await see.press("2", "t", "r")
        await listed(see)
        written: list[Any] = []
        session = see.app.recorder.session
        assert session is not None
        session.remember = written.append  # type: ignore[method-assign]
        see.burst(*"j" * 100)
        await see.until(lambda: see.app.evaluate_screen.queries.cursor == 100, "the cursor")
        assert len(written) < 20
        await cut_off(see)
        evaluate = see.app.evaluate_screen
        assert evaluate.table is not None and evaluate.row is not None
        assert written[-1].table.row.query == evaluate.table.name(evaluate.row)

    inspect(flow, tmp_path, encoder)


def test_a_note_that_is_being_typed_is_there_again_and_is_no_note_yet(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    clips = []

    async def leave(see: Inspector) -> None:
        await see.ask_clip(CLIP)
        await see.press("j", "j", "a")
        clips.append(str(see.results.clip))
        await see.type(HALF)
        await cut_off(see)

    async def look(see: Inspector) -> None:
        await see.says(f"Note on {clips[0]}")
        assert typed_note(see) == HALF
        assert see.results.clip == clips[0] and not see.session().all_judgements()
        await see.type("ght")
        await see.press("enter")
        ((target, judgement, _),) = see.session().all_judgements()
        assert (target.clip, judgement.note) == (clips[0], "half a thought")

    async def look_again(see: Inspector) -> None:
        await see.answered(CLIP)
        assert see.app.screen is see.home and see.toasts == []

    inspect(leave, tmp_path, encoder)
    come_back(look, tmp_path, encoder)
    come_back(look_again, tmp_path, encoder)


def test_a_note_that_stood_there_is_as_it_was_until_the_change_is_finished(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def leave(see: Inspector) -> None:
        await see.ask_clip(CLIP)
        await see.press("a")
        await see.type("seen")
        await see.press("enter", "a")
        await see.type(" twice")
        await cut_off(see)

    async def give_up(see: Inspector) -> None:
        await see.says("Note on")
        assert typed_note(see) == "seen twice"
        await see.press("escape")
        ((_, judgement, _),) = see.session().all_judgements()
        assert judgement.note == "seen"
        await cut_off(see)

    async def look(see: Inspector) -> None:
        await see.answered(CLIP)
        assert see.app.screen is see.home
        await see.press("a")
        assert typed_note(see) == "seen"

    inspect(leave, tmp_path, encoder)
    come_back(give_up, tmp_path, encoder)
    come_back(look, tmp_path, encoder)


def test_who_does_something_else_by_then_is_told_of_the_note(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def leave(see: Inspector) -> None:
        await see.ask_clip(CLIP)
        await see.press("a")
        await see.type(HALF)
        await cut_off(see)

    async def look(see: Inspector) -> None:
        see.home.action_ask_text()  # before the answer is there
        await see.answered(CLIP)
        (said,) = see.toasts
        assert "A note is not finished" in said and HALF in said
        await see.press("escape", "a")
        assert typed_note(see) == HALF

    inspect(leave, tmp_path, encoder)
    inspect(look, tmp_path, encoder, resume=True, ready=False)


def test_who_comes_back_from_another_session_goes_on_with_the_note(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def leave(see: Inspector) -> None:
        await see.ask_clip(CLIP)
        await see.press("a")
        await see.type(HALF)
        await cut_off(see)

    async def look(see: Inspector) -> None:
        see.home.action_ask_text()  # before the answer is there
        await see.answered(CLIP)
        await see.press("escape", "3", "i")
        assert see.inspection is None
        await see.press("3", "enter")
        await see.says("Note on")
        assert typed_note(see) == HALF

    inspect(leave, tmp_path, encoder)
    inspect(look, tmp_path, encoder, resume=True, ready=False)


def test_a_query_that_is_being_typed_is_typed_to_its_end(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def leave(see: Inspector) -> None:
        await see.ask_clip(CLIP)
        await see.press("slash")
        await see.type(CYCLIST[:9])
        await cut_off(see)

    async def look(see: Inspector) -> None:
        await see.answered(CLIP)
        assert see.field == CYCLIST[:9] and see.focused == "query-field"
        await see.type(CYCLIST[9:])
        await see.press("enter")
        await see.answered(CYCLIST)

    async def look_again(see: Inspector) -> None:
        await see.answered(CYCLIST)
        assert see.focused == "results"

    inspect(leave, tmp_path, encoder)
    come_back(look, tmp_path, encoder)
    come_back(look_again, tmp_path, encoder)


def test_a_query_that_was_given_up_does_not_come_back(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def leave(see: Inspector) -> None:
        await see.ask_clip(CLIP)
        await see.press("slash")
        await see.type("cyc")
        await see.press("escape")
        await cut_off(see)

    async def look(see: Inspector) -> None:
        await see.answered(CLIP)
        assert see.field == CLIP and see.focused == "results"

    inspect(leave, tmp_path, encoder)
    come_back(look, tmp_path, encoder)


def test_the_first_query_of_all_is_kept_with_the_model_it_was_meant_for(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def leave(see: Inspector) -> None:
        await see.press("m")
        await see.until(lambda: see.home.question.model == "alfa-0.2", "the other model")
        await see.press("c")
        await see.type(CLIP[:8])
        await cut_off(see)

    async def look(see: Inspector) -> None:
        await see.until(lambda: see.field == CLIP[:8], "what was typed")
        assert see.home.question.model == "alfa-0.2" and see.focused == "query-field"
        assert see.inspection is None and "Clip" in see.screen_text

    inspect(leave, tmp_path, encoder)
    come_back(look, tmp_path, encoder)


def test_who_leaves_without_having_asked_leaves_no_session(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def leave(see: Inspector) -> None:
        await see.press("2", "t", "r")
        await listed(see)

    inspect(leave, tmp_path, encoder)

    with SessionStore(tmp_path / "sessions.db") as store:
        assert store.summaries() == []
