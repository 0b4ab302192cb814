"""The table that asks for visible rows only: widths, cursor, scrolling, mouse, repainting."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.pilot import Pilot

from tui.look.glyphs import ASCII, UNICODE, Glyphs
from tui.look.safe import escape
from tui.widgets.line_layout import LineCell, LineColumn, compute_column_widths, fit
from tui.widgets.line_table import LineTable

pytestmark = pytest.mark.usefixtures("painted")

HOSTILE = ["plain", "日本語のとても長い質問", "e\u0301" * 30, "\x1b[31mred\x07", "✅✅", "[b]x[/b]"]


class Rows:
    """Numbered rows that write down which of them were asked for."""

    def __init__(self, count: int, texts: Sequence[str] = ("row",)) -> None:
        self.count = count
        self.texts = texts
        self.asked: list[int] = []

    columns: Sequence[LineColumn] = (
        LineColumn("query"),
        LineColumn("n", 9, right=True),
        LineColumn("", 2),
    )

    def __len__(self) -> int:
        return self.count

    def cells(self, row: int) -> Sequence[LineCell]:
        self.asked.append(row)
        return (f"{self.texts[row % len(self.texts)]}", str(row), ("✅", "hit"))


class TableApp(App[None]):
    def __init__(self, glyphs: Glyphs | None = None) -> None:
        super().__init__()
        if glyphs is not None:
            self.glyphs = glyphs
        self.messages: list[tuple[str, int]] = []

    def compose(self) -> ComposeResult:
        yield LineTable(empty="Nothing here.\nPress r.", id="rows")

    def on_line_table_moved(self, event: LineTable.Moved) -> None:
        assert event.control is event.table
        self.messages.append(("moved", event.row))

    def on_line_table_chosen(self, event: LineTable.Chosen) -> None:
        self.messages.append(("chosen", event.row))

    def on_line_table_header_clicked(self, event: LineTable.HeaderClicked) -> None:
        self.messages.append(("header", event.column))

    @property
    def table(self) -> LineTable:
        return self.query_one(LineTable)

    def lines(self) -> list[str]:
        return [self.table.render_line(y).text for y in range(self.table.size.height)]


Flow = Callable[[TableApp, Pilot[None]], Awaitable[None]]


def drive(flow: Flow, size: tuple[int, int] = (60, 12), glyphs: Glyphs | None = None) -> None:
    async def run() -> None:
        app = TableApp(glyphs)
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await flow(app, pilot)

    asyncio.run(run())


@given(
    st.text(alphabet=st.sampled_from("aé日✅\u0301\u200d\ufe0f "), max_size=40),
    st.integers(1, 20),
    st.booleans(),
)
def test_a_cell_has_exactly_its_width_whatever_the_text(text: str, width: int, right: bool) -> None:
    assert cell_len(fit(escape(text), width, right=right)) == width


def test_flexible_columns_share_the_line_and_keep_their_least() -> None:
    columns = [LineColumn("a"), LineColumn("b", 5), LineColumn("c", least=12)]
    assert sum(compute_column_widths(columns, 60)) + 1 + 2 == 60
    assert compute_column_widths(columns, 20) == [8, 5, 12]


def test_every_line_is_as_wide_as_the_table_with_hostile_text() -> None:
    async def flow(app: TableApp, pilot: Pilot[None]) -> None:
        app.table.show(Rows(100, HOSTILE))
        await pilot.pause()
        table = app.table
        strips = [table.render_line(y) for y in range(table.size.height)]
        assert {strip.cell_length for strip in strips} == {table.line_width}
        text = "\n".join(strip.text for strip in strips)
        assert "\x1b" not in text
        assert r"\x1b[31mred\x07" in text
        assert "[b]x[/b]" in text
        # The mark of every row ends where the line ends.
        assert all(line.endswith("✅") for line in app.lines()[1:])

    drive(flow)


def test_only_visible_rows_are_asked_for() -> None:
    async def flow(app: TableApp, pilot: Pilot[None]) -> None:
        rows = Rows(1_000_000)
        app.table.show(rows, 500_000)
        await pilot.pause()
        assert app.table.cursor == 500_000
        assert len(set(rows.asked)) <= app.table.size.height

    drive(flow)


def test_moving_the_cursor_repaints_two_lines() -> None:
    async def flow(app: TableApp, pilot: Pilot[None]) -> None:
        rows = Rows(1000)
        app.table.show(rows)
        await pilot.pause()
        rows.asked.clear()
        await pilot.press("down")
        await pilot.pause()
        assert sorted(set(rows.asked)) == [0, 1]

    drive(flow)


def test_redrawing_a_row_repaints_its_line_only() -> None:
    async def flow(app: TableApp, pilot: Pilot[None]) -> None:
        rows = Rows(1000)
        app.table.show(rows)
        await pilot.pause()
        rows.asked.clear()
        app.table.redraw_row(3)
        app.table.redraw_row(900)
        await pilot.pause()
        assert set(rows.asked) == {3}

    drive(flow)


def test_keys_move_the_cursor_and_stop_at_the_ends() -> None:
    async def flow(app: TableApp, pilot: Pilot[None]) -> None:
        app.table.show(Rows(100))
        seen = []
        for key in ("up", "j", "down", "k", "ctrl+d", "pagedown", "G", "j", "pageup", "home"):
            await pilot.press(key)
            seen.append(app.table.cursor)
        page = app.table.size.height - 1
        half = page // 2
        assert seen == [0, 1, 2, 1, 1 + half, 1 + half + page, 99, 99, 99 - page, 0]
        top = app.table.scroll_offset.y
        assert top <= app.table.cursor < top + page

    drive(flow)


def test_the_cursor_is_a_sign_not_only_a_colour() -> None:
    async def flow(app: TableApp, pilot: Pilot[None]) -> None:
        app.table.show(Rows(5), 2)
        await pilot.pause()
        sign = getattr(app, "glyphs", UNICODE).cursor
        assert [line[0] for line in app.lines()[1:6]] == [" ", " ", sign, " ", " "]

    drive(flow)
    drive(flow, glyphs=ASCII)


def test_new_rows_keep_the_cursor_on_its_line_of_the_screen() -> None:
    async def flow(app: TableApp, pilot: Pilot[None]) -> None:
        table = app.table
        table.show(Rows(1000))
        await pilot.press("ctrl+d", "j")
        line = table.cursor - table.scroll_offset.y
        table.show(Rows(1000), 700)
        await pilot.pause()
        assert table.cursor - table.scroll_offset.y == line
        table.show(Rows(3), 2)
        await pilot.pause()
        assert (table.cursor, table.scroll_offset.y) == (2, 0)
        assert app.messages[-1] == ("moved", 2)

    drive(flow)


def test_the_last_row_is_seen_after_the_table_becomes_smaller() -> None:
    async def flow(app: TableApp, pilot: Pilot[None]) -> None:
        app.table.show(Rows(50))
        await pilot.press("G")
        await pilot.resize_terminal(60, 6)
        await pilot.pause()
        assert app.lines()[-1].startswith("▌")

    drive(flow)


def test_without_rows_it_says_what_to_do() -> None:
    async def flow(app: TableApp, pilot: Pilot[None]) -> None:
        assert "Press r." in "\n".join(app.lines())
        await pilot.press("down", "G", "pageup")
        assert app.table.cursor == -1
        app.table.show(Rows(0))
        app.table.empty = "No row matches."
        await pilot.pause()
        assert app.lines()[0].startswith(" query")
        assert "No row matches." in "\n".join(app.lines())
        app.table.show(Rows(2))
        app.table.clear()
        await pilot.pause()
        assert app.table.cursor == -1
        assert "query" not in app.lines()[0]

    drive(flow)


def test_the_mouse_selects_chooses_scrolls_and_clicks_titles() -> None:
    async def flow(app: TableApp, pilot: Pilot[None]) -> None:
        app.table.show(Rows(100))
        await pilot.pause()
        await pilot.click("#rows", offset=(5, 4))
        assert app.table.cursor == 3
        await pilot.click("#rows", offset=(5, 6), times=2)
        assert ("chosen", 5) in app.messages
        await pilot.click("#rows", offset=(5, 0))
        await pilot.click("#rows", offset=(app.table.line_width - 5, 0))
        assert [n for kind, n in app.messages if kind == "header"] == [0, 1]
        app.table.scroll_to(y=40, animate=False)
        await pilot.pause()
        await pilot.click("#rows", offset=(5, 1))
        assert app.table.cursor == 40

    drive(flow)


@pytest.mark.parametrize("focused", [True, False])
def test_the_row_of_the_cursor_has_a_ground_of_its_own(focused: bool) -> None:
    async def flow(app: TableApp, pilot: Pilot[None]) -> None:
        app.table.show(Rows(5))
        if focused:
            app.table.focus()
        else:
            app.set_focus(None)
        await pilot.pause()
        grounds = [{s.style.bgcolor for s in app.table.render_line(y) if s.style} for y in (1, 2)]
        assert len(grounds[0]) == 1
        assert grounds[0] != grounds[1]

    drive(flow)


def test_a_click_on_the_blank_part_below_the_rows_moves_nothing() -> None:
    async def flow(app: TableApp, pilot: Pilot[None]) -> None:
        app.table.show(Rows(2))
        await pilot.click("#rows", offset=(5, 8))
        assert app.table.cursor == 0
        assert app.table.region == Region(0, 0, 60, 12)

    drive(flow)
