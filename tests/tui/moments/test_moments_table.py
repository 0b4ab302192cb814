"""Rows that stay above a list, and cells of several colours."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from rich.style import Style
from textual.app import App, ComposeResult

from tui.look.themes import register
from tui.widgets.line_layout import ColouredCell, LineCell, LineColumn, draw_line
from tui.widgets.line_table import LineTable


class Rows:
    columns: Sequence[LineColumn] = (LineColumn("n", 4, right=True), LineColumn("bar"))

    def __len__(self) -> int:
        return 50

    def cells(self, row: int) -> Sequence[LineCell]:
        return str(row), ColouredCell((("▌", "hit-turned"), ("██", "hit"), ("━", "miss")))


class Pinning(LineTable):
    @property
    def _pinned(self) -> Sequence[Sequence[LineCell]]:
        return (("", "above"), ("", "as well"))


class Small(App[None]):
    def compose(self) -> ComposeResult:
        yield Pinning()

    def on_mount(self) -> None:
        register(self)
        self.query_one(Pinning).show(Rows())


def lines(table: LineTable) -> list[str]:
    return [table.render_line(y).text.strip() for y in range(table.size.height)]


def test_pinned_rows_stay_while_the_others_scroll() -> None:
    async def run() -> None:
        app = Small()
        async with app.run_test(size=(30, 10)) as pilot:
            table = app.query_one(Pinning)
            await pilot.pause()
            assert lines(table)[:4] == ["n bar", "above", "as well", "▌   0 ▌██━"]
            await pilot.press("G")
            await pilot.pause()
            assert lines(table)[:3] == ["n bar", "above", "as well"]
            assert lines(table)[-1] == "▌  49 ▌██━"

    asyncio.run(run())


def test_a_click_counts_from_below_the_pinned_rows() -> None:
    async def run() -> None:
        app = Small()
        async with app.run_test(size=(30, 10)) as pilot:
            table = app.query_one(Pinning)
            await pilot.click(table, offset=(5, 5))
            assert table.cursor == 2
            await pilot.click(table, offset=(5, 1))  # a pinned row is not chosen
            assert table.cursor == 2

    asyncio.run(run())


def test_a_turned_part_is_turned_back_where_its_row_is_turned() -> None:
    def style_of(kind: str, row: Style) -> Style:
        inks = {"hit": Style(color="green")}
        cell = ColouredCell((("x", kind),))
        line = draw_line(
            [LineColumn("", 1)], [cell], 2, row, inks.__getitem__, sign=" ", ellipsis=""
        )
        return next(segment.style or Style() for segment in line if "x" in segment.text)

    assert style_of("hit-turned", Style()).reverse is True
    assert style_of("hit-turned", Style(reverse=True)).reverse is False
    assert not style_of("hit", Style()).reverse
    ink = style_of("hit", Style()).color
    assert ink is not None and ink == style_of("hit-turned", Style()).color
