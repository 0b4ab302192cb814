"""Rows and lines with a rule between them: each row has one line, and the rule has none."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult

from tui.widgets.line_layout import LineCell, LineColumn
from tui.widgets.line_map import LineMap
from tui.widgets.line_table import LineTable

maps = st.integers(1, 60).flatmap(
    lambda rows: st.builds(LineMap, st.just(rows), st.none() | st.integers(0, rows))
)


@given(maps)
def test_every_row_has_one_line_and_every_line_but_the_rule_one_row(lines: LineMap) -> None:
    places = [lines.line_of(row) for row in range(lines.rows)]

    assert [lines.row_at(line) for line in places] == list(range(lines.rows))
    rule = [] if lines.rule is None else [lines.rule]
    assert sorted({*places, *rule}) == list(range(lines.count))
    assert lines.row_at(-1) is None and lines.row_at(lines.count) is None


@given(maps, st.integers(0, 70), st.integers(0, 20))
def test_the_rows_between_two_lines_are_those_that_stand_there(
    lines: LineMap, first: int, height: int
) -> None:
    there = [lines.row_at(line) for line in range(first, first + height)]

    rows = lines.rows_between(first, first + height)

    assert list(rows) == [row for row in there if row is not None]


class Numbers:
    columns: Sequence[LineColumn] = (LineColumn("n"),)

    def __len__(self) -> int:
        return 30

    def cells(self, row: int) -> Sequence[LineCell]:
        return (f"row {row}",)


class RuledTable(LineTable):
    @property
    def _rule(self) -> tuple[int, str] | None:
        return 3, "K = 3"


class RuledApp(App[None]):
    def compose(self) -> ComposeResult:
        yield RuledTable()


def test_the_cursor_steps_over_the_rule_and_a_click_on_it_does_nothing() -> None:
    async def run() -> None:
        app = RuledApp()
        async with app.run_test(size=(30, 9)) as pilot:
            table = app.query_one(RuledTable)
            table.show(Numbers(), 2)
            await pilot.pause()
            text = [table.render_line(y).text.strip() for y in range(6)]
            assert text[1:] == ["row 0", "row 1", "▌row 2", "── K = 3 " + "─" * 20, "row 3"]
            await pilot.click(RuledTable, offset=(3, 4))
            assert table.cursor == 2
            table.move_by(1)
            assert table.cursor == 3 and table.render_line(5).text.startswith("▌row 3")
            await pilot.click(RuledTable, offset=(3, 6))
            assert table.cursor == 4
            table.action_last()
            await pilot.pause()
            assert table.render_line(8).text.startswith("▌row 29")
            table.action_first()
            await pilot.pause()
            assert table.render_line(1).text.startswith("▌row 0")

    asyncio.run(run())
