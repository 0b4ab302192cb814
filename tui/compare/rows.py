"""Two models as rows: the queries with their change, and the slices of the query set."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cached_property

from engine.base.arrays import Floats
from engine.compare import Difference, Slice, SliceDifference
from engine.compare.comparison import PairStatistics
from engine.compare.table import CHANGE_KEYS, ChangeKey, CompareTable
from tui.look.glyphs import Glyphs
from tui.look.nouns import OF_CLIPS, Nouns, spell_group
from tui.look.score_text import format_value
from tui.widgets.fitted_rows import FittedRows, Sort
from tui.widgets.line_layout import COLUMN_GAP, GUTTER, LineCell, LineColumn

_NUMBERS = (8, 4, 6, 2, 2)
"""Cells of change, before, after, what fell out and what came in; a longer title has its own."""

_MOST_DECIMALS = 12
"""Differences are rounded to so many."""

_KEYWORDS_LEAST = 13
"""Cells below which keywords are not listed beside their query."""


def describe_change_order(sort: Sort[ChangeKey], nouns: Nouns = OF_CLIPS) -> str:
    """The order in words.

    >>> [describe_change_order(choose_change_sort(key)) for key in ("change", "came in", "query")]
    ['worst regression first', 'most came in first', 'by query, A to Z']
    """
    if sort.key == "change":
        return "best gain first" if sort.descending else "worst regression first"
    if sort.key in ("query", "keywords"):
        return f"by {nouns.spell(sort.key)}, {'Z to A' if sort.descending else 'A to Z'}"
    if sort.key in ("before", "after"):
        return f"{'best' if sort.descending else 'worst'} first {sort.key}"
    return f"{'most' if sort.descending else 'fewest'} {sort.key} first"


def choose_change_sort(key: ChangeKey) -> Sort[ChangeKey]:
    """The direction that one wants to see first."""
    return Sort(key, key in ("fell out", "came in"))


def format_change(change: float, glyphs: Glyphs, decimals: int = 2) -> str:
    """A change as a sign and a number; a dash where there is none.

    >>> from tui.look.glyphs import UNICODE
    >>> format_change(-0.6, UNICODE), format_change(0.0, UNICODE), format_change(0.25, UNICODE)
    ('▼ -0.60', '=  0.00', '▲ +0.25')
    """
    if math.isnan(change):
        return glyphs.dash
    if abs(change) < 1e-12:
        return f"{glyphs.same}  {0:.{decimals}f}"
    return f"{glyphs.up if change > 0 else glyphs.down} {change:+.{decimals}f}"


def classify_change(change: float) -> str:
    """What a change is painted in."""
    if math.isnan(change) or abs(change) < 1e-12:
        return "dim"
    return "hit" if change > 0 else "miss"


class ChangeRows(FittedRows[CompareTable, ChangeKey]):
    """Some rows of a comparison, in an order."""

    keys = CHANGE_KEYS
    first = staticmethod(choose_change_sort)

    @cached_property
    def _values(self) -> tuple[Floats, Floats]:
        return self.table.values(self.table.main)

    def _lay_out(self, width: int) -> Iterable[LineColumn]:
        names = ("change", "before", "after", "out", "in")
        titles = [self._title(*pair) for pair in zip(names, CHANGE_KEYS, strict=False)]
        numbers = [max(pair) for pair in zip(map(len, titles), _NUMBERS, strict=True)]
        texts = width - GUTTER - sum(numbers) - COLUMN_GAP * len(CHANGE_KEYS)
        # Clip ids are short, and what they leave the keywords can use.
        name = self._sign_room + self.table.after.longest_name
        query = min(name, texts - texts * 2 // 5)
        for title, cells in zip(titles, numbers, strict=True):
            yield LineColumn(title, cells, right=True)
        yield LineColumn(self._title("query", "query"), tail=5 if self.table.mode == "video" else 0)
        if texts - query >= _KEYWORDS_LEAST:  # else the detail has them
            title = self._title(self._nouns.spell("keywords"), "keywords")
            yield LineColumn(title, texts - query)

    def cells(self, row: int) -> Sequence[LineCell]:
        number, glyphs, table = int(self.rows[row]), self._glyphs, self.table
        nothing = glyphs.unjudged.strip()
        change = float(table.change[number])
        before, after = (format_value(column[number], glyphs, 2) for column in self._values)
        lost, won = int(table.fell_out[number]), int(table.came_in[number])
        names = ", ".join(keyword.name for keyword in table.keywords(number))
        every: tuple[LineCell, ...] = (
            (format_change(change, glyphs), classify_change(change)),
            (before, "dim"),
            f"{glyphs.arrow} {after}",
            (str(lost) if lost else nothing, "miss" if lost else "dim"),
            (str(won) if won else nothing, "hit" if won else "dim"),
            self._signed(table.name(number)),
            (names, "dim"),
        )
        return every[: len(self.columns)]


# Slices


def title_slice(piece: Slice) -> str:
    """
    >>> pieces = Slice("keyword", "object_type:bollard"), Slice("group", "object_type")
    >>> tuple(map(title_slice, pieces))
    ('bollard (object type)', 'any object type')
    """
    group, _, name = piece.name.partition(":")
    return f"{name} ({spell_group(group)})" if name else f"any {spell_group(group)}"


class SliceRows(FittedRows[PairStatistics, None]):
    """One row per group and keyword with enough queries, the worst change first."""

    rows: Sequence[SliceDifference]

    def _lay_out(self, width: int) -> Iterable[LineColumn]:
        return (
            LineColumn("queries with", least=12),
            LineColumn("n", 5, right=True),
            LineColumn("change", 8, right=True),
            LineColumn("interval", max(14, *(len(self._interval(one)) for one in self.rows), 0)),
            LineColumn("p", 6, right=True),
            LineColumn(
                "verdict", 1 + max((len(self._verdict(one)) for one in self.rows), default=7)
            ),
        )

    def cells(self, row: int) -> Sequence[LineCell]:
        one, glyphs = self.rows[row], self._glyphs
        found = one.difference
        kind = classify_verdict(found, self.table.settings.alpha)
        return (
            (title_slice(one.slice), "strong" if one.slice.kind == "group" else ""),
            f"{found.n:,}",
            (format_change(found.gain, glyphs), classify_change(found.gain)),
            (self._interval(one), "dim"),
            format_short_p(found.holm),
            (self._verdict(one), kind),
        )

    def subject(self, row: int) -> Slice:
        return self.rows[row].slice

    def _interval(self, one: SliceDifference) -> str:
        return format_change_interval(one.difference, 2)

    def _verdict(self, one: SliceDifference) -> str:
        return format_verdict(one.difference, self.table.settings.alpha, self._glyphs)


# What is said of a difference, everywhere in the same words


def format_short_p(p: float) -> str:
    """A p-value in few characters.

    >>> [format_short_p(p) for p in (0.0004, 0.04321, 1.0, float("nan"))]
    ['<0.001', '0.043', '1.000', '-']
    """
    if math.isnan(p):
        return "-"
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def format_change_interval(difference: Difference, decimals: int) -> str:
    """From where to where the change lies, turned so that above 0 is better; an interval that
    leaves 0 out never looks as if it touched it."""
    low, high = difference.interval.low, difference.interval.high
    if math.isnan(low):
        return "-"
    if difference.measure.lower_is_better:
        low, high = -high, -low
    beside = low > 0 or high < 0
    return " to ".join(_format_end(end, decimals, beside) for end in (low, high))


def _format_end(end: float, decimals: int, beside_zero: bool) -> str:
    """
    >>> _format_end(0.0012, 2, False), _format_end(0.0012, 2, True), _format_end(-0.5, 2, True)
    ('0.00', '+0.001', '-0.50')
    """
    if not beside_zero and not round(end, decimals):
        return f"{0:.{decimals}f}"
    while not round(end, decimals) and decimals < _MOST_DECIMALS:
        decimals += 1
    return f"{end:+.{decimals}f}"


def format_verdict(difference: Difference, alpha: float, glyphs: Glyphs) -> str:
    """The verdict as a sign and its words."""
    word = difference.verdict(alpha)
    sign = {"better": glyphs.up, "worse": glyphs.down}.get(word, glyphs.same)
    return f"{sign} {word}"


def classify_verdict(difference: Difference, alpha: float) -> str:
    return {"better": "hit", "worse": "miss"}.get(difference.verdict(alpha), "dim")
