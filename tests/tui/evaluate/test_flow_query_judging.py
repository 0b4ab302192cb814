"""Queries are judged in their rows: of the model they were ranked by, seen, said and undone."""

from __future__ import annotations

from pathlib import Path

from engine.text.encoder import SentenceEncoder
from tests.tui.inspector import Inspector, inspect
from tui.widgets.line_table import LineTable


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
        await see.says(f"“{query}”: {said.mark_in_words}; u takes it back")

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
        assert query not in [row[0].removeprefix("⚑ ") for row in see.rows(table)]
        await see.do("evaluate.toggle_mode")
        assert screen.mode == "video"
        await see.do("app.undo")
        assert screen.mode == "text" and screen.listing.filter_text == ""
        assert see.rows(table)[table.cursor][0] == query

    inspect(flow, tmp_path, encoder)
