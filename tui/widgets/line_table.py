"""A table that asks for the rows on the screen and for no others.

It holds nothing per row: a million rows are painted as quickly as a hundred. Moving the cursor
repaints two lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual

from tui.keys.commands import make_bindings
from tui.look.glyphs import UNICODE, Glyphs
from tui.look.nouns import Nouns, find_nouns
from tui.look.safe import escape
from tui.widgets.line_layout import (
    COLUMN_GAP,
    GUTTER,
    ColouredCell,
    LineCell,
    LineColumn,
    RowSource,
    compute_column_widths,
    fit,
    merge_styles,
)

HEADER = 1
"""The line of titles, which does not scroll."""


class LineTable(ScrollView, can_focus=True, inherit_bindings=False):
    """Rows under a header that stays. Enter belongs to the screen, which reads `cursor`."""

    BINDINGS: ClassVar[list[BindingType]] = make_bindings("table")
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "line-table--header",
        "line-table--pinned",
        "line-table--cursor",
        "line-table--cursor-blurred",
        "line-table--hit",
        "line-table--miss",
        "line-table--part",
        "line-table--dim",
        "line-table--mark",
        "line-table--strong",
    }
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

    def __init__(
        self,
        empty: Content | str = "",
        *,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._source: RowSource | None = None
        self._empty = empty
        self._wrapped: tuple[tuple[object, ...], list[Strip]] | None = None

    # What is shown

    @property
    def source(self) -> RowSource | None:
        return self._source

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
        line = self.cursor - self.scroll_offset.y if self._rows else min(cursor, self._page // 2)
        line = max(0, min(line, self._page - 1))
        self._source = source
        self.virtual_size = Size(0, len(source) + self._head)
        self.set_reactive(LineTable.cursor, self.validate_cursor(cursor))
        if self.is_attached:
            self._scroll_rows_to(self.cursor - line)
        self.refresh()
        self.post_message(self.Moved(self, self.cursor))

    def clear(self) -> None:
        """Show no rows and no header, but the text for when there are none."""
        self._source = None
        self.virtual_size = Size(0, 0)
        self.set_reactive(LineTable.cursor, -1)
        self.refresh()
        self.post_message(self.Moved(self, -1))

    def redraw_row(self, row: int) -> None:
        """Paint one row again, if it is in view."""
        line = row - self.scroll_offset.y
        if 0 <= line < self._page:
            self.refresh(Region(0, line + self._head, self.size.width, 1))

    @property
    def _rows(self) -> int:
        return 0 if self._source is None else len(self._source)

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

    @property
    def _glyphs(self) -> Glyphs:
        return getattr(self.app, "glyphs", UNICODE)

    @property
    def _nouns(self) -> Nouns:
        return find_nouns(self.app)

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
        if self.cursor < top:
            self._scroll_rows_to(min(self.cursor, top - half))
        elif self.cursor >= top + self._page:
            self._scroll_rows_to(max(self.cursor - self._page + 1, top + half))

    def _scroll_rows_to(self, top: int) -> None:
        # Forced: the scrollbar that allows scrolling comes with the next layout only.
        self.scroll_to(y=max(0, top), animate=False, force=True)

    def action_cursor_down(self) -> None:
        self.cursor += 1

    def action_cursor_up(self) -> None:
        self.cursor -= 1

    def action_half_page_down(self) -> None:
        self.cursor += max(1, self._page // 2)

    def action_half_page_up(self) -> None:
        self.cursor -= max(1, self._page // 2)

    def action_page_down(self) -> None:
        self.cursor += self._page

    def action_page_up(self) -> None:
        self.cursor -= self._page

    def action_first(self) -> None:
        self.cursor = 0

    def action_last(self) -> None:
        self.cursor = self._rows - 1

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
            column = self._column_at(place.x)
            if column is not None:
                self.post_message(self.HeaderClicked(self, column))
            return
        row = place.y - self._head + self.scroll_offset.y
        if place.y >= self._head and row < self._rows:
            self.cursor = row
            if event.chain == 2:
                self.post_message(self.Chosen(self, row))

    def _column_at(self, x: int) -> int | None:
        if self._source is None:
            return None
        end = GUTTER
        for number, width in enumerate(
            compute_column_widths(self._source.columns, self.line_width)
        ):
            end += width + COLUMN_GAP
            if x < end:
                return number
        return None

    # Painting

    def render_line(self, y: int) -> Strip:
        width = self.line_width
        if self._source is not None and y < HEADER:
            return self._header(self._source, width)
        if self._source is not None and y < self._head:
            return self._pinned_line(self._source, self._pinned[y - HEADER], width)
        if self._source is None or not self._rows:
            return self._empty_line(y, width)
        row = y - self._head + self.scroll_offset.y
        if row >= self._rows:
            return Strip.blank(width, self.rich_style)
        return self._row(self._source, row, width)

    def _header(self, source: RowSource, width: int) -> Strip:
        style = self.get_component_rich_style("line-table--header")
        titles = [column.title for column in source.columns]
        return self._line(source.columns, titles, width, style, " ")

    def _pinned_line(self, source: RowSource, cells: Sequence[LineCell], width: int) -> Strip:
        style = self.get_component_rich_style("line-table--pinned")
        return self._line(source.columns, cells, width, style, " ")

    def _row(self, source: RowSource, row: int, width: int) -> Strip:
        style, sign = self.rich_style, " "
        if row == self.cursor:
            state = "cursor" if self.has_focus else "cursor-blurred"
            style = self.get_component_rich_style(f"line-table--{state}")
            sign = self._glyphs.cursor
        return self._line(source.columns, source.cells(row), width, style, sign)

    def _line(
        self,
        columns: Sequence[LineColumn],
        cells: Sequence[LineCell],
        width: int,
        style: Style,
        sign: str,
    ) -> Strip:
        segments = [Segment(sign, style)]
        for column, cell, size in zip(
            columns, cells, compute_column_widths(columns, width), strict=True
        ):
            if isinstance(cell, ColouredCell):
                segments += [
                    Segment(escape(text), self._inked(style, kind)) for text, kind in cell.parts
                ]
                segments.append(Segment(" " * max(0, size + COLUMN_GAP - cell.width), style))
                continue
            text, kind = (cell, "") if isinstance(cell, str) else cell
            own = style + self._ink(kind) if kind else style
            text = fit(
                escape(text),
                size,
                right=column.right,
                ellipsis=self._glyphs.ellipsis,
                tail=column.tail,
            )
            segments.append(Segment(text + " " * COLUMN_GAP, own))
        return merge_styles(segments, width, style)

    def _inked(self, style: Style, kind: str) -> Style:
        """The style of a part; what is "turned" has ink and ground exchanged, also on a row whose
        own are exchanged already."""
        name, _, turned = kind.partition("-")
        own = style + self._ink(name) if name else style
        return own + Style(reverse=not style.reverse) if turned else own

    def _ink(self, kind: str) -> Style:
        """What a kind of cell adds to the style of its row: never the background."""
        full = self.get_component_rich_style(f"line-table--{kind}")
        return Style(
            color=full.color,
            bold=full.bold or None,
            italic=full.italic or None,
            underline=full.underline or None,
        )

    def _empty_line(self, y: int, width: int) -> Strip:
        lines = self._empty_lines(max(1, min(width - 4, 72)))
        place = y - max(self._head, (self.size.height - len(lines)) // 3)
        if not 0 <= place < len(lines):
            return Strip.blank(width, self.rich_style)
        left = (width - max(line.cell_length for line in lines)) // 2
        return Strip([Segment(" " * left, self.rich_style), *lines[place]]).adjust_cell_length(
            width, self.rich_style
        )

    def _empty_lines(self, width: int) -> list[Strip]:
        """The text wrapped, once for all lines of the screen: the first paint shows it."""
        text, style = self._empty, self.visual_style
        if self._wrapped is None or self._wrapped[0] != (text, width, style):
            content = Content(escape(text, keep="\n")) if isinstance(text, str) else text
            lines = Visual.to_strips(self, content, width, None, style)
            self._wrapped = (text, width, style), lines
        return self._wrapped[1]
