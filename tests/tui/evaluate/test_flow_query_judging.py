"""Queries are judged in their rows: of the model they were ranked by, seen, said and undone."""

from __future__ import annotations

from pathlib import Path
from signal import SIGHUP

import pytest

from engine.keywords.judgement import OF_QUERY, Judgement, Target
from engine.text.encoder import SentenceEncoder
from tests.tui.inspector import Inspector, inspect
from tui.dialogs.basic_dialogs import NoteEditor
from tui.widgets.line_table import LineTable
from tui.widgets.safe_input import SafeInput


async def evaluated(see: Inspector) -> LineTable:
    await see.do("app.show_evaluate", "evaluate.run")
    table = see.app.evaluate_screen.query_one("#queries", LineTable)
    await see.until(lambda: table.cursor >= 0, "the table")
    return table


def test_a_mark_is_said_and_is_about_the_model_that_the_rows_were_made_with(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        table = await evaluated(see)
        query = see.rows(table)[0][0]
        await see.do("app.next_model")
        await see.until(lambda: see.app.evaluation_scope.model == "alfa-0.2", "the other model")
        await see.do("evaluate.mark_bias")
        await see.press("1")
        said = see.session().query_judgements("text")[query]
        assert said.seen is not None and said.seen.model == "alfa-0.1"
        assert f"{said.mark_in_words} on “{query}” · u undoes" in see.title
        assert not see.toasts

    inspect(flow, tmp_path, encoder)


def test_only_a_mark_can_be_taken_off(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        table = await evaluated(see)
        query = see.rows(table)[0][0]
        can_unmark = lambda: see.app.evaluate_screen.check_action("clear_mark", ())  # noqa: E731
        await see.do("evaluate.note")
        await see.type("look again")
        await see.press("enter")
        assert see.rows(table)[0][0] == f"✎ {query}" and not can_unmark()
        await see.do("evaluate.mark_bias")
        await see.press("1")
        assert can_unmark()
        await see.do("evaluate.clear_mark")
        assert see.session().query_judgements("text")[query].note == "look again"
        assert not can_unmark()

    inspect(flow, tmp_path, encoder)


def test_an_undo_goes_to_its_query_in_the_other_mode_and_behind_a_filter(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        table = await evaluated(see)
        screen = see.app.evaluate_screen
        query = see.rows(table)[2][0]
        table.cursor = 2
        await see.do("evaluate.mark_bias")
        await see.press("1")
        await see.do("evaluate.filter")
        await see.type(f"-{query}" if " " not in query else f"-{query.split()[0]}")
        await see.press("enter")
        assert query not in [row[0].removeprefix("⚑").strip() for row in see.rows(table)]
        await see.do("evaluate.toggle_mode")
        assert screen.mode == "video"
        await see.do("app.undo")
        assert screen.mode == "text" and screen.listing.filter_text == ""
        assert see.rows(table)[table.cursor][0] == query

    inspect(flow, tmp_path, encoder)


def test_a_note_on_a_query_is_there_again_after_a_lost_connection(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    judged: list[str] = []

    async def begin(see: Inspector) -> None:
        table = await evaluated(see)
        judged.append(see.rows(table)[2][0])
        table.cursor = 2
        await see.do("evaluate.note")
        await see.type("half a thou")
        await see.pilot.pause()
        see.app.leave(128 + SIGHUP)

    async def go_on(see: Inspector) -> None:
        await see.until(lambda: f"Note on “{judged[0]}”" in see.screen_text, "the editor")
        assert see.session().query_judgements("text") == {}
        await see.type("ght")
        await see.press("enter")
        assert see.session().query_judgements("text")[judged[0]].note == "half a thought"
        table = see.app.evaluate_screen.query_one("#queries", LineTable)
        assert see.rows(table)[table.cursor][0] == f"✎ {judged[0]}"

    inspect(begin, tmp_path, encoder)
    inspect(go_on, tmp_path, encoder, resume=True)


def test_a_note_on_a_query_that_cannot_be_saved_stays_in_its_editor(
    tmp_path: Path, encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def flow(see: Inspector) -> None:
        table = await evaluated(see)
        query = see.rows(table)[0][0]
        await see.do("evaluate.note")
        await see.type("look again")
        with monkeypatch.context() as patched:
            patched.setattr(see.app.recorder, "judge", lambda *_: False)
            await see.press("enter")
        assert isinstance(see.app.screen, NoteEditor)
        assert see.app.screen.query_one(SafeInput).value == "look again"
        await see.press("enter")
        assert see.session().query_judgements("text")[query].note == "look again"

    inspect(flow, tmp_path, encoder)


def test_a_row_shows_its_mark_and_its_note_and_its_name_is_not_cut_for_them(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        table = await evaluated(see)
        screen = see.app.evaluate_screen
        names = [row[0] for row in see.rows(table)]
        longest = max(names, key=len)
        screen.go_to_query("text", longest)
        await see.do("evaluate.mark_bias")
        await see.press("6")
        await see.type("dark")
        await see.press("enter")
        await see.until(lambda: f"⚑✎ {longest}" in see.screen_text, "the whole name")

    inspect(flow, tmp_path, encoder, size=(200, 50))


def test_a_mark_moves_no_query_to_the_side(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        table = await evaluated(see)
        first, second = (row[0] for row in see.rows(table)[:2])
        await see.do("evaluate.mark_bias")
        await see.press("1")
        await see.until(lambda: see.rows(table)[0][0] == f"⚑ {first}", "the mark")

        lines = see.screen_text.splitlines()[1:]  # the title says what was marked
        starts = [line.index(name) for name in (first, second) for line in lines if name in line]

        assert len(starts) == 2
        assert starts[0] == starts[1]

    inspect(flow, tmp_path, encoder, size=(200, 50))


def test_an_undo_from_inspect_goes_to_the_row_and_asks_nothing(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        table = await evaluated(see)
        query = see.rows(table)[2][0]
        table.cursor = 2
        await see.do("evaluate.mark_bias")
        await see.press("1", "g")
        await see.do("app.show_inspect")
        await see.press("u")
        assert see.app.screen is see.app.evaluate_screen and table.cursor == 2
        assert see.rows(table)[2][0] == query
        assert see.home.question.query == "" and not see.app.services.questions.pending

    inspect(flow, tmp_path, encoder)


def test_after_a_restart_an_undo_goes_to_the_row_once_it_is_listed(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    judged: list[str] = []

    async def judge(see: Inspector) -> None:
        table = await evaluated(see)
        judged.append(see.rows(table)[2][0])
        table.cursor = 2
        await see.do("evaluate.mark_bias")
        await see.press("1", "g")
        await see.do("app.show_inspect")
        await see.ask("bicyclist")

    async def undo(see: Inspector) -> None:
        await see.answered("bicyclist")
        await see.press("u")
        assert see.app.screen is see.app.evaluate_screen
        await see.do("evaluate.run")
        table = see.app.evaluate_screen.query_one("#queries", LineTable)
        await see.until(lambda: table.cursor >= 0, "the table")
        assert see.rows(table)[table.cursor][0] == judged[0]

    inspect(judge, tmp_path, encoder)
    inspect(undo, tmp_path, encoder, resume=True)


@pytest.mark.parametrize("pane", ["plots", "frequency"])
def test_rows_are_judged_beside_an_open_pane_while_they_have_the_focus(
    pane: str, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        table = await evaluated(see)
        query = see.rows(table)[0][0]
        await see.do(f"evaluate.{pane}")
        screen = see.app.evaluate_screen
        assert screen.side and not screen.check_action("mark_bias", ())
        screen.set_focus(table)
        await see.press("b", "1")
        assert list(see.session().query_judgements("text")) == [query]
        await see.press("x")
        assert see.session().query_judgements("text") == {}

    inspect(flow, tmp_path, encoder, size=(200, 50))


def test_what_another_window_said_about_a_query_stays(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        table = await evaluated(see)
        target = Target("text", see.rows(table)[0][0], OF_QUERY)
        await see.do("evaluate.note")
        await see.type("first")
        await see.press("enter")
        await see.do("evaluate.note")
        await see.type(", mine")
        see.session().judge(target, Judgement("bias", "hub", "first"))
        await see.press("enter")
        said = see.session().judgement(target)
        assert (said.mark, said.reason, said.note) == ("bias", "hub", "first, mine")
        await see.do("evaluate.mark_bias")
        see.session().judge(target, Judgement("bias", "hub", "theirs"))
        await see.press("1")
        said = see.session().judgement(target)
        assert (said.reason, said.note) == ("look-alike", "theirs")

    inspect(flow, tmp_path, encoder)


@pytest.mark.parametrize("screen", ["evaluate", "compare"])
def test_a_key_that_judges_results_says_so_on_the_row_of_a_query(
    screen: str, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.do(f"app.show_{screen}", f"{screen}.run")
        table = see.app.screen.query_one("#queries", LineTable)
        await see.until(lambda: table.cursor >= 0, "the table")
        for key in ("plus", "minus"):
            await see.press(key)
            assert see.toasts == ["+ and - judge results: enter opens those of a query."]
        assert not see.store.summaries()
        await see.press("question_mark")
        assert "judge results" not in see.screen_text  # no command of its own

    inspect(flow, tmp_path, encoder)
