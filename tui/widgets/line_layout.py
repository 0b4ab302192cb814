"""How a line is laid out: columns, cells that fit them, and few changes of style."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from tui.look.glyphs import Glyphs
from tui.look.safe import escape

GUTTER = 1
"""Cells left of the columns, for the sign of the cursor."""

COLUMN_GAP = 1
"""Cells between two columns."""


_LONGEST_MEASURED = 500
"""Characters of a text that could stand on a line."""


class LineColumn(NamedTuple):
    """A column of fixed width, or one that shares the rest of the line (width None)."""

    title: str
    width: int | None = None
    right: bool = False
    least: int = 8
    tail: int = 0
    """Characters at the end that a cut leaves: ids differ in their last ones."""
    most: int | None = None
    """Cells that all its texts need: of the rest of a line it takes no more."""
    lends: bool = False
    """Where another column's text would be cut on a row, it takes the blanks of this one's."""
    cut: Callable[[str, int, str], str] | None = None
    """What a text becomes in so many cells with this ellipsis, if it is not cut by its tail. On
    each row, such a column has what the others leave."""


@dataclass(frozen=True, slots=True)
class ColouredCell:
    """A cell of several colours, as wide as its column: texts with the component class of each.

    "hit-turned" is "hit" with ink and ground exchanged.
    """

    parts: tuple[tuple[str, str], ...]

    @property
    def width(self) -> int:
        return sum(cell_len(text) for text, _ in self.parts)


LineCell: TypeAlias = str | tuple[str, str] | ColouredCell
"""A text, or a text and the component class that colours it, such as ("✅", "hit")."""


class RowSource(Protocol):
    """Rows by number, asked for when they come into view."""

    @property
    def columns(self) -> Sequence[LineColumn]: ...
    def __len__(self) -> int: ...
    def cells(self, row: int) -> Sequence[LineCell]: ...


def compute_column_widths(columns: Sequence[LineColumn], width: int) -> list[int]:
    """The cells of each column on a line of this width; the last ones may stand beyond its end.

    >>> compute_column_widths([LineColumn("query"), LineColumn("R", 4)], 40)
    [34, 4]
    >>> compute_column_widths([LineColumn("name", most=10), LineColumn("query")], 40)
    [10, 28]
    """
    widths = [column.width or 0 for column in columns]
    rest = width - GUTTER - COLUMN_GAP * (len(columns) - 1) - sum(widths)
    flexible = [place for place, column in enumerate(columns) if column.width is None]
    flexible.sort(key=lambda place: _most(columns[place]))  # those that need least leave the rest
    for done, place in enumerate(flexible):
        # The odd cells go to the first flexible columns, so that the line is filled.
        share = -(-max(rest, 0) // (len(flexible) - done))
        own = int(min(share, _most(columns[place])))
        widths[place] = max(columns[place].least, own)
        rest -= own
    return widths


def _most(column: LineColumn) -> float:
    return math.inf if column.most is None else column.most


def fit(text: str, width: int, *, right: bool = False, ellipsis: str = "…", tail: int = 0) -> str:
    """A text as exactly `width` cells: padded, or cut with an ellipsis.

    >>> fit("crossing", 5), fit("0.5", 5, right=True), fit("✅✅✅", 4)
    ('cros…', '  0.5', '✅… ')
    >>> fit("urban_bicyclist_0002", 12, tail=5), fit("urban_bicyclist_0002", 9, tail=5)
    ('urban_…_0002', 'urba…0002')
    """
    end = _take_end(text, min(tail, max(0, (width - 1) // 2)))
    if end and 2 * len(end) < len(text) and cell_len(text[: 4 * width]) > width:
        text = fit(text[: -len(end)], width - cell_len(end), ellipsis=ellipsis).rstrip() + end
    # A text may be of any length; no more of it is measured than a line could show.
    most = 4 * width + 16
    shown = text[:most]
    cells = cell_len(shown)
    if cells > width or len(text) > most:
        shown = set_cell_size(shown, max(width - cell_len(ellipsis), 0)).rstrip() + ellipsis
        cells = cell_len(shown)
    padding = " " * (width - cells)
    return padding + shown if right else shown + padding


def _take_end(text: str, cells: int) -> str:
    """The last characters of a text in at most so many cells, none of them half or a mere accent.

    >>> _take_end("urban_0002", 5), _take_end("右折車両", 5)
    ('_0002', '車両')
    """
    end = text[-cells:] if cells else ""
    while end and (cell_len(end) > cells or not cell_len(end[0])):
        end = end[1:]
    return end


def find_column(columns: Sequence[LineColumn], width: int, x: int) -> int | None:
    """The column that a cell of a line of this width belongs to, with the gap behind it.

    >>> find_column([LineColumn("query"), LineColumn("R", 4)], 40, 36)
    1
    """
    end = GUTTER
    for number, size in enumerate(compute_column_widths(columns, width)):
        end += size + COLUMN_GAP
        if x < end:
            return number
    return None


def draw_line(
    columns: Sequence[LineColumn],
    cells: Sequence[LineCell],
    width: int,
    style: Style,
    ink: Callable[[str], Style],
    *,
    sign: str,
    ellipsis: str,
) -> Strip:
    """A row of cells in its style, to which `ink` says what each kind of cell adds."""

    def styled(kind: str) -> Style:
        # What is "turned" is so on a row, too, whose own ink and ground are exchanged already.
        name, _, turned = kind.partition("-")
        own = style + ink(name) if name else style
        return own + Style(reverse=not style.reverse) if turned else own

    segments = [Segment(sign, style)]
    sizes = lend_blanks(columns, cells, compute_column_widths(columns, width))
    for column, cell, size in zip(columns, cells, sizes, strict=True):
        if isinstance(cell, ColouredCell):
            segments += [Segment(escape(text), styled(kind)) for text, kind in cell.parts]
            segments.append(Segment(" " * max(0, size + COLUMN_GAP - cell.width), style))
            continue
        text, kind = (cell, "") if isinstance(cell, str) else cell
        text = escape(text)
        if column.cut is not None:
            text = column.cut(text, size, ellipsis)
        text = fit(text, size, right=column.right, ellipsis=ellipsis, tail=column.tail)
        segments.append(Segment(text + " " * COLUMN_GAP, styled(kind)))
    return merge_styles(segments, width, style)


def lend_blanks(
    columns: Sequence[LineColumn], cells: Sequence[LineCell], sizes: Sequence[int]
) -> list[int]:
    """The cells that each column has on one row: nothing is cut while there are blanks that are
    lent. The nearest column lends first, so that the others stay where they stand.

    >>> columns = LineColumn("why", 10, lends=True), LineColumn("id", 4, lends=True)
    >>> [lend_blanks(columns, row, [10, 4]) for row in (["long", "urban_1"], ["", "1"])]
    [[7, 7], [10, 4]]
    >>> lend_blanks(columns, ["pedestrian -car", "1"], [10, 4])
    [13, 1]
    """
    row = list(sizes)
    lenders = [place for place, column in enumerate(columns) if column.lends]
    if not lenders:
        return row
    last = [place for place, column in enumerate(columns) if column.cut is not None]
    wanted = [0 if place in last else _measure(cell) for place, cell in enumerate(cells)]
    for place in range(len(row)):
        _borrow(place, row, wanted, lenders)
    for place in last:
        wanted[place] = _measure(cells[place])
        _borrow(place, row, wanted, lenders)
    return row


def _borrow(place: int, row: list[int], wanted: Sequence[int], lenders: Sequence[int]) -> None:
    """Give a column the cells that it lacks, of those that others do not want."""
    for other in sorted(lenders, key=lambda lender: abs(lender - place)):
        lent = max(0, min(row[other] - wanted[other], wanted[place] - row[place]))
        row[other] -= lent
        row[place] += lent


def _measure(cell: LineCell) -> int:
    if isinstance(cell, ColouredCell):
        return cell.width
    text = cell if isinstance(cell, str) else cell[0]
    return cell_len(escape(text[:_LONGEST_MEASURED]))


def draw_rule(text: str, width: int, style: Style, glyphs: Glyphs) -> Strip:
    """A level line with a text near its beginning.

    >>> from tui.look.glyphs import UNICODE
    >>> draw_rule("K = 5", 16, Style(), UNICODE).text
    '── K = 5 ───────'
    """
    level = glyphs.axis[3]
    said = f"{2 * level} {escape(text)} " if text else ""
    line = fit(said, width, ellipsis=glyphs.ellipsis) if cell_len(said) > width else said
    return Strip([Segment(line + level * max(0, width - cell_len(line)), style)])


def merge_styles(segments: Iterable[Segment], width: int, style: Style) -> Strip:
    """A strip of exactly `width` cells with as few styles as it can do with.

    A blank looks the same in any ink, so it takes that of its left neighbour: each change of style
    costs some forty bytes on the way to the terminal.
    """
    inked: list[Segment] = []
    for text, own, _ in Strip(segments).crop(0, width):
        lead = len(text) - len(text.lstrip(" "))
        if inked and lead and _same_ground(own, inked[-1].style):
            inked[-1] = Segment(inked[-1].text + text[:lead], inked[-1].style)
            text = text[lead:]
        if text:
            inked.append(Segment(text, own))
    last = inked[-1].style if inked and _same_ground(inked[-1].style, style) else style
    return Strip(inked).adjust_cell_length(width, last).simplify()


def _same_ground(one: Style | None, other: Style | None) -> bool:
    """Whether a blank looks the same in both styles."""
    if one is None or other is None:
        return one is other
    marks = (one.underline, one.strike, one.reverse, other.underline, other.strike, other.reverse)
    return one.bgcolor == other.bgcolor and not any(marks)
