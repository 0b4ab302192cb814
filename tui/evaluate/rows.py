"""An evaluation as rows: its queries with as many measures as fit, and its keywords."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from engine.base.keyword import Keyword
from engine.keywords.query_table import KeywordCount, QueryTable, SortKey
from engine.metrics import Measure
from tui.look.glyphs import Glyphs
from tui.look.nouns import spell_group
from tui.look.score_text import draw_level
from tui.widgets.fitted_rows import FittedRows, Sort
from tui.widgets.line_layout import COLUMN_GAP, GUTTER, LineCell, LineColumn

_EXTRAS = ("nDCG", "RR", "R", "AP")
"""Measures that join the first one where there is room, the most telling first."""

_TEXT_LEAST = 52
"""Cells that the query and its keywords keep before further measures are shown."""

_TEXT_LEAST_NARROW = 40

_WIDE = 100
"""From this width on every measure has its whole name, and the bar more cells."""

_BAR_LEAST = 4
"""Cells below which a bar says nothing."""


def choose_query_sort(key: SortKey) -> Sort[SortKey]:
    """The direction that one wants to see first: the worst values, the fewest clips, A to Z."""
    return Sort(key, key == "first hit" or (isinstance(key, Measure) and key.lower_is_better))


def format_cell(value: float, glyphs: Glyphs, measure: Measure) -> LineCell:
    """A measure's value, coloured as full, some or nothing; a dash where it does not count."""
    if math.isnan(value):
        return glyphs.dash, "dim"
    if measure.lower_is_better:
        return f"{value:.0f}", ""
    kind = "hit" if value >= 1 else "miss" if value <= 0 else "part"
    # A value just below 1 is not shown as 1.
    return f"{min(value, 0.99) if 0.99 < value < 1 else value:.2f}", kind


class MeasureColumns(NamedTuple):
    """Measures from left to right, each with the title of its column."""

    measures: tuple[Measure, ...]
    labels: tuple[str, ...]


def choose_measures(table: QueryTable, width: int, sort: SortKey | None = None) -> MeasureColumns:
    """The measures that fit on a line: the main one and the one it is sorted by always, the main
    one's family, then others. They have their whole names where the family fits with them."""
    best: dict[str, Measure] = {}
    for measure in table.measures:
        known = best.get(measure.name)
        if known is None or (measure.cutoff or 0) > (known.cutoff or 0):
            best[measure.name] = measure
    extras = [best[name] for name in _EXTRAS if name in best]
    family = [measure for measure in table.family if measure != table.main]
    asked = [sort] if isinstance(sort, Measure) and sort != table.main else []
    wanted = tuple(dict.fromkeys((table.main, *asked, *family, *extras)))
    order = tuple(dict.fromkeys((*table.family, *extras, *asked)))
    whole, short = (
        _fitting(table, wanted, 1 + len(asked), width, cut, order) for cut in (False, True)
    )
    return whole if set(table.family) <= set(whole.measures) else short


def _fitting(
    table: QueryTable,
    wanted: Sequence[Measure],
    always: int,
    width: int,
    short: bool,
    order: Sequence[Measure],
) -> MeasureColumns:
    """Those of the wanted that fit, the first `always` in any case, put in order; others than the
    family only where they cut no query and the keywords of few."""
    room, least = width - _fixed_width(table, width), _text_least(table, width)
    texts = table.longest_name + table.usual_keywords
    whole = max(least, texts - _bar_width(width))  # rather than a bar
    kept: list[Measure] = []
    for measure in wanted:
        left = room - _measure_width(_label(table, measure, short)) - COLUMN_GAP
        if len(kept) < always or left >= (least if measure in table.family else whole):
            kept.append(measure)
            room = left
    shown = tuple(measure for measure in order if measure in kept)
    return MeasureColumns(shown, tuple(_label(table, measure, short) for measure in shown))


def _text_least(table: QueryTable, width: int) -> int:
    """Cells that stay for the texts; where room is scarce, a long name of a measure takes some, and
    so does the column of first hits."""
    first_hit = 0 if table.first_hits is None else 3 if width < _WIDE else 5
    if width >= _WIDE:
        return _TEXT_LEAST - first_hit
    longer = max(0, len(table.label(table.family[0])) - len("Recall@1"))
    return _TEXT_LEAST_NARROW - first_hit - longer


def _label(table: QueryTable, measure: Measure, short: bool) -> str:
    """The measure's name, or only its cutoff where the first one is named in full.

    The whole names stand in the lines above the table.
    """
    return f" @{measure.cutoff}" if short and measure in table.family[1:] else table.label(measure)


def _measure_width(label: str) -> int:
    """Cells for the name with the sign of the order, or for a value such as 0.25."""
    return max(len(label) + 1, 4)


def _bar_width(width: int) -> int:
    return 5 if width < _WIDE else 10


def _fixed_width(table: QueryTable, width: int) -> int:
    """Cells that are neither text nor measure: the cursor, R, the first hit, the bar and the gaps
    around."""
    first_hit = 0 if table.first_hits is None else _first_hit_width(table) + COLUMN_GAP
    return GUTTER + _relevant_width(table) + first_hit + _bar_width(width) + 3 * COLUMN_GAP


def _relevant_width(table: QueryTable) -> int:
    """Cells of the largest number, and of the title with the sign of the order."""
    return max(len("R") + 2, len(str(table.relevant.max(initial=0))))


def _first_hit_width(table: QueryTable) -> int:
    """The same of the ranks; one that is deeper than anybody looked begins with a sign."""
    hits = table.first_hits
    deepest = 0 if hits is None else max(hits.ranks.max(initial=0), 10 * hits.beyond.max(initial=0))
    return max(len("first") + 1, len(str(deepest)))


class QueryRows(FittedRows[QueryTable, SortKey]):
    """Some rows of an evaluation's table, in an order."""

    sort: Sort[SortKey]
    first = staticmethod(choose_query_sort)
    _measures: tuple[Measure, ...] = ()

    @property
    def _cycle(self) -> Sequence[SortKey]:
        return self.keys[:-1]  # the bar is no column of its own

    def cells(self, row: int) -> Sequence[LineCell]:
        number, bar_width = int(self.rows[row]), self.columns[-1].width or 0
        table, glyphs = self.table, self._glyphs
        columns = table.scores.values[number]
        values = [columns[table.measures.index(measure)] for measure in self._measures]
        main = float(columns[table.measures.index(table.main)])
        relevant = int(table.relevant[number])
        return (
            self._signed(table.names[number]),
            (table.join_keywords(number), "dim"),
            str(relevant) if relevant else ("0", "miss"),
            *([] if table.first_hits is None else [self._first_hit(number)]),
            *(
                format_cell(float(value), glyphs, measure)
                for value, measure in zip(values, self._measures, strict=True)
            ),
            "" if table.main.lower_is_better else (draw_level(main, bar_width, glyphs), "dim"),
        )

    def _first_hit(self, row: int) -> LineCell:
        """Its rank, coloured as the best there is, or as none."""
        hits = self.table.first_hits
        if hits is None or not self.table.relevant[row]:
            return self._glyphs.dash, "dim"
        kind = "hit" if hits.ranks[row] == 1 else "" if hits.ranks[row] else "miss"
        return hits.describe(row) or self._glyphs.dash, kind

    def _lay_out(self, width: int) -> Iterable[LineColumn]:
        self._measures, labels = choose_measures(self.table, width, self.sort.key)
        with_first_hit = self.table.first_hits is not None
        first_hit: tuple[SortKey, ...] = ("first hit",) if with_first_hit else ()
        self.keys = ("query", "keywords", "relevant", *first_hit, *self._measures, self.table.main)
        measured = sum(_measure_width(label) + COLUMN_GAP for label in labels)
        most = _bar_width(width)
        texts = width - _fixed_width(self.table, width) - measured + most
        # A bar only repeats a number: it takes what names and keywords leave.
        name = self._sign_room + self.table.longest_name
        bar = min(most, texts - name - self.table.usual_keywords)
        bar = bar if bar >= _BAR_LEAST else 0
        texts -= bar
        # Clip ids are short, and what they leave the keywords can use.
        query = min(name, texts - texts * 2 // 5)
        keywords = max(8, texts - query)
        return (
            LineColumn(self._title("query", "query")),
            LineColumn(self._title(self._nouns.spell("keywords"), "keywords"), keywords),
            LineColumn(self._title("R", "relevant"), _relevant_width(self.table), right=True),
            *(
                LineColumn(self._title("first", key), _first_hit_width(self.table), right=True)
                for key in first_hit
            ),
            *(
                LineColumn(self._title(label, measure), _measure_width(label), right=True)
                for label, measure in zip(labels, self._measures, strict=True)
            ),
            LineColumn("", bar),
        )


_BAR = 10


class FrequencyRows(FittedRows[QueryTable, None]):
    """One row per keyword, the worst mean first."""

    rows: Sequence[KeywordCount]

    def _lay_out(self, width: int) -> Iterable[LineColumn]:
        mean = f"mean {self.table.label(self.table.main)}"
        return (
            LineColumn(self._nouns.spell("keyword")),
            LineColumn("group", 16),
            LineColumn("queries", 7, right=True),
            LineColumn(mean, len(mean), right=True),
            LineColumn("", 0 if self.table.main.lower_is_better else _BAR),
        )

    def cells(self, row: int) -> Sequence[LineCell]:
        count, main = self.rows[row], self.table.main
        return (
            count.keyword.name,
            (spell_group(count.keyword.group), "dim"),
            f"{count.queries:,}",
            format_cell(count.mean, self._glyphs, main),
            "" if main.lower_is_better else (draw_level(count.mean, _BAR, self._glyphs), "dim"),
        )

    def subject(self, row: int) -> Keyword:
        return self.rows[row].keyword
