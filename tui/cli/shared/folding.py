"""Texts in cells that fold without breaking a word, and tables that leave out what has no room."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from rich.cells import cell_len, chop_cells
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

_PIECES = re.compile(r"[^/\-_]*[/\-_]+|[^/\-_]+")
_LONGEST_PIECE = 24
"""Columns that a column is never made narrower than for the sake of one piece."""


def fold_words(text: str, width: int) -> list[str]:
    """The text in lines of at most `width` columns: broken at spaces; a word that is longer than a
    line behind "/", "-" or "_", and only what has none of these anywhere.

    >>> fold_words("urban_bicyclist_0002 waits", 12)
    ['urban_', 'bicyclist_', '0002 waits']
    >>> fold_words("traveling in one direction", 13)
    ['traveling in', 'one direction']
    """
    lines = [""]
    for word in text.split():
        gap = " " if lines[-1] else ""
        if cell_len(lines[-1] + gap + word) <= width:
            lines[-1] += gap + word
            continue
        whole = cell_len(word) <= width
        for place, piece in enumerate([word] if whole else _break_word(word, width)):
            if place and cell_len(lines[-1] + piece) <= width:
                lines[-1] += piece
            elif lines[-1]:
                lines.append(piece)
            else:
                lines[-1] = piece
    return lines


def _break_word(word: str, width: int) -> Iterator[str]:
    for piece in _PIECES.findall(word):
        yield from chop_cells(piece, width)


class FoldedText:
    """A text in a cell; its column should be no narrower than its longest piece."""

    def __init__(self, text: str, style: str = "") -> None:
        self.text, self.style = text, style

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        pieces = [piece for word in self.text.split() for piece in _PIECES.findall(word)]
        least = min(max(map(cell_len, pieces), default=1), _LONGEST_PIECE)
        return Measurement(least, max(cell_len(self.text), 1)).with_maximum(options.max_width)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = fold_words(self.text, max(options.max_width, 1))
        yield Text("\n".join(lines), self.style, no_wrap=True)


class FirstForm:
    """The first form of a table that the terminal has room for, else the last, with a line below it
    that says what it leaves out.

    forms  each a table, and what it lacks; the table is made twice: with a number of columns, the
           most that its texts may have, to see whether it fits, and without to be shown
    room   columns that texts should have, at least; a form may do with less if theirs are shorter
    """

    def __init__(
        self, forms: Sequence[tuple[Callable[[int | None], Table], str]], room: int = 24
    ) -> None:
        self.forms, self.room = forms, room

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        unbounded = options.update(max_width=1000)
        make, lacks = next(
            (
                form
                for form in self.forms
                if form[0](self.room).__rich_measure__(console, unbounded).maximum
                <= options.max_width
            ),
            self.forms[-1],
        )
        yield make(None)
        if lacks:
            yield Text(f"wider terminals show {lacks}; --json has all", style="dim")
