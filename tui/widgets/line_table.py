"""A table that asks for the rows on the screen and for no others.

It holds nothing per row: a million rows are painted as quickly as a hundred. Moving the cursor
repaints two lines. Between two rows there may be a rule, which scrolls with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.visual import Visual

from tui.look.safe import escape
from tui.widgets.line_layout import LineCell, RowSource, draw_line, draw_rule, find_column
from tui.widgets.line_map import LineMap
from tui.widgets.scrolled_lines import ScrolledLines

HEADER = 1
"""The line of titles, which does not scroll."""


class LineTable(ScrolledLines):
    """Rows under a header that stays. Enter belongs to the screen, which reads `cursor`."""

    KINDS: ClassVar[tuple[str, ...]] = ("hit", "miss", "part", "dim", "mark", "strong")
    PARTS: ClassVar = ("header", "pinned", "rule", "cursor", "cursor-blurred")
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"line-table--{name}" for name in (*PARTS, *KINDS)}
    DEFAULT_CSS = Path(__file__).with_suffix(".tcss").read_text(encoding="utf-8")
    ALLOW_SELECT = False  # a double click chooses a row

    cursor: reactive[int] = reactive(-1, repaint=False, init=False)

    @dataclass
    class _OfTable(Message):
        table: LineTable

        @property
        def control(self) -> LineTable:
            return self.table

    @dataclass
    class Moved(_OfTable):
        """The cursor is on another row, or the rows are others; row -1: there is none."""

        row: int

    @dataclass
    class Chosen(_OfTable):
        """A row was double-clicked."""

        row: int

    @dataclass
    class HeaderClicked(_OfTable):
        """The title of a column was clicked."""

        column: int

    def __init__(self, empty: Content | str = "", *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.source: RowSource | None = None
        self._empty = empty
        self._wrapped: tuple[tuple[object, ...], list[Strip]] | None = None

    # What is shown

    @property
    def empty(self) -> Content | str:
        """What is shown, wrapped and centred, when there are no rows."""
        return self._empty

    @empty.setter
    def empty(self, text: Content | str) -> None:
        self._empty = text
        if not self._rows:
            self.refresh()

    def show(self, source: RowSource, cursor: int = 0) -> None:
        """Show other rows; the cursor's row stays on its line of the screen where it can."""
        here = self._lines.line_of(self.cursor) - self.scroll_offset.y
        line = here if self._rows else min(cursor, self._page // 2)
        line = max(0, min(line, self._page - 1))
        self.source = source
        self.virtual_size = Size(0, self._lines.count + self._head)
        self.set_reactive(LineTable.cursor, self.validate_cursor(cursor))
        if self.is_attached:
            self._scroll_rows_to(self._lines.line_of(self.cursor) - line)
        self.refresh()
        self.post_message(self.Moved(self, self.cursor))

    def clear(self) -> None:
        """Show no rows and no header, but the text for when there are none."""
        self.source = None
        self.virtual_size = Size(0, 0)
        self.set_reactive(LineTable.cursor, -1)
        self.refresh()
        self.post_message(self.Moved(self, -1))

    def redraw_row(self, row: int) -> None:
        """Paint one row again, if it is in view."""
        line = self._lines.line_of(row) - self.scroll_offset.y
        if 0 <= line < self._page:
            self.refresh(Region(0, line + self._head, self.size.width, 1))

    @property
    def _rows(self) -> int:
        return 0 if self.source is None else len(self.source)

    @property
    def _rule(self) -> tuple[int, str] | None:
        """Above how many rows there is a rule, and what it says; None: there is none."""
        return None

    @property
    def _lines(self) -> LineMap:
        """Which row stands on which line below the head."""
        rule = self._rule
        return LineMap(self._rows, None if rule is None else rule[0])

    @property
    def visible_rows(self) -> range:
        """The rows in view."""
        top = self.scroll_offset.y
        return self._lines.rows_between(top, top + self._page)

    @property
    def line_width(self) -> int:
        """Cells of a line, without the scrollbar."""
        return max(0, self.size.width - self.scrollbar_size_vertical)

    @property
    def _page(self) -> int:
        return max(1, self.size.height - self._head)

    @property
    def _pinned(self) -> Sequence[Sequence[LineCell]]:
        """Rows between the titles and the first row that do not scroll."""
        return ()

    @property
    def _head(self) -> int:
        """Lines above the rows that do not scroll."""
        return HEADER + len(self._pinned)

    # The cursor

    def validate_cursor(self, row: int) -> int:
        return max(min(row, self._rows - 1), 0 if self._rows else -1)

    def watch_cursor(self, before: int, row: int) -> None:
        self.redraw_row(before)
        self.redraw_row(row)
        self._keep_in_view()
        self.post_message(self.Moved(self, row))

    def _keep_in_view(self) -> None:
        """Scroll by half a page when the cursor leaves it: a scroll sends every row, and line by
        line a key held down would send a page with each press."""
        top, half = self.scroll_offset.y, self._page // 2
        line = self._lines.line_of(self.cursor) if self.cursor > 0 else 0
        if line < top:
            self._scroll_rows_to(min(line, top - half))
        elif line >= top + self._page:
            self._scroll_rows_to(max(line - self._page + 1, top + half))

    def _scroll_rows_to(self, top: int) -> None:
        # Forced: the scrollbar that allows scrolling comes with the next layout only.
        self.scroll_to(y=max(0, top), animate=False, force=True)

    def move_by(self, lines: int) -> None:
        self.cursor += lines

    # Events

    def on_resize(self) -> None:
        if self._rows:
            self._keep_in_view()

    def on_focus(self) -> None:
        self.redraw_row(self.cursor)

    def on_blur(self) -> None:
        self.redraw_row(self.cursor)

    def on_click(self, event: events.Click) -> None:
        place = event.get_content_offset(self)
        if place is None:
            return
        if place.y < HEADER:
            columns = self.source.columns if self.source is not None else ()
            column = find_column(columns, self.line_width, place.x)
            if column is not None:
                self.post_message(self.HeaderClicked(self, column))
            return
        row = self._lines.row_at(place.y - self._head + self.scroll_offset.y)
        if place.y >= self._head and row is not None:
            self.cursor = row
            if event.chain == 2:
                self.post_message(self.Chosen(self, row))

    # Painting

    def render_line(self, y: int) -> Strip:
        source, width = self.source, self.line_width
        if source is not None and y < HEADER:
            titles = [column.title for column in source.columns]
            return self._line(source, titles, self.get_component_rich_style("line-table--header"))
        if source is not None and y < self._head:
            style = self.get_component_rich_style("line-table--pinned")
            return self._line(source, self._pinned[y - HEADER], style)
        if source is None or not self._rows:
            return self._empty_line(y, width)
        line = y - self._head + self.scroll_offset.y
        row = self._lines.row_at(line)
        if row is None:
            if self._rule is not None and line == self._rule[0]:
                style = self.get_component_rich_style("line-table--rule")
                return draw_rule(self._rule[1], width, style, self._glyphs)
            return Strip.blank(width, self.line_style)
        if row != self.cursor:
            return self._line(source, source.cells(row), self.line_style)
        state = "cursor" if self.has_focus else "cursor-blurred"
        style = self.get_component_rich_style(f"line-table--{state}")
        return self._line(source, source.cells(row), style, self._glyphs.cursor)

    def _line(
        self, source: RowSource, cells: Sequence[LineCell], style: Style, sign: str = " "
    ) -> Strip:
        return draw_line(
            source.columns,
            cells,
            self.line_width,
            style,
            lambda kind: self._ink(f"line-table--{kind}"),
            sign=sign,
            ellipsis=self._glyphs.ellipsis,
        )

    def _empty_line(self, y: int, width: int) -> Strip:
        lines = self._empty_lines(max(1, min(width - 4, 72)))
        place = y - max(self._head, (self.size.height - len(lines)) // 3)
        if not 0 <= place < len(lines):
            return Strip.blank(width, self.line_style)
        left = (width - max(line.cell_length for line in lines)) // 2
        return Strip([Segment(" " * left, self.line_style), *lines[place]]).adjust_cell_length(
            width, self.line_style
        )

    def _empty_lines(self, width: int) -> list[Strip]:
        """The text wrapped, once for all lines of the screen: the first paint shows it."""
        text, style = self._empty, self.visual_style
        if self._wrapped is None or self._wrapped[0] != (text, width, style):
            content = Content(escape(text, keep="\n")) if isinstance(text, str) else text
            lines = Visual.to_strips(self, content, width, None, style)
            self._wrapped = (text, width, style), lines
        return self._wrapped[1]
