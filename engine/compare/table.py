"""CompareTable: two models over the same queries as columns, to be sorted, filtered and opened.

A row is a query that both models answered. It is a pair of rows of the two tables that are
compared, so that nothing is held twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from engine.base.arrays import Bools, Floats, Ints
from engine.base.errors import InputError
from engine.base.keyword import Keyword
from engine.base.mode import Mode
from engine.base.progress import ProgressHook
from engine.base.ranking import NO_ITEM
from engine.compare import (
    DEFAULT_COMPARE_SETTINGS,
    CompareSettings,
    Slice,
    align_systems,
    find_shared_measures,
)
from engine.compare.comparison import (
    Comparison,
    MeasureChange,
    ModeComparison,
    PairStatistics,
    compute_pair_statistics,
)
from engine.compare.saved_side import RankedPlace, SavedSide
from engine.files.csv_cells import escape_formula
from engine.keywords.evaluated_run import EvaluatedRun
from engine.keywords.query_filter import Filter
from engine.keywords.query_table import QueryTable, sort_stably
from engine.metrics import Measure
from engine.results.results import QueryKey, Results

ChangeKey: TypeAlias = Literal[
    "change", "before", "after", "fell out", "came in", "query", "keywords"
]
CHANGE_KEYS: tuple[ChangeKey, ...] = get_args(ChangeKey)

_NOTHING = 1e-12
"""Changes closer to 0 than this are none: values are sums of floats."""


class RowMeans(NamedTuple):
    """The main measure over some rows: how many count, and what they are on average."""

    n: int
    before: float
    after: float
    change: float


@dataclass(frozen=True, slots=True)
class TopResult:
    """A result that stands among the first K of one of the models at least.

    before, after  its rank; 0: it is below the first K
    counts         whether it reached the least similarity, before and after
    """

    clip: str
    relevant: bool
    before: int
    after: int
    counts: tuple[bool, bool] = (True, True)


@dataclass(frozen=True, eq=False)
class CompareTable:
    """The queries of two models side by side.

    rows      (q, 2) the row of each query in the table before, and in the one after
    fell_out  (q,) relevant results that counted before and do not any more
    came_in   (q,) relevant results that did not count before
    """

    old: EvaluatedRun | SavedSide
    new: EvaluatedRun | SavedSide
    rows: Ints
    fell_out: Ints
    came_in: Ints
    statistics: PairStatistics

    @classmethod
    def of(
        cls,
        old: EvaluatedRun,
        new: EvaluatedRun,
        settings: CompareSettings = DEFAULT_COMPARE_SETTINGS,
        report: ProgressHook | None = None,
    ) -> CompareTable:
        """Compare what two models made of the same query set.

        `InputError` if they were asked no query in common.
        """
        systems = old.results(), new.results()
        measures = [m for m in find_shared_measures(systems) if m.aggregate != "pooled"]
        (part,) = align_systems(systems)
        rows = np.stack(
            [
                _rows(system, own, part.keys)
                for system, own in zip(systems, (old, new), strict=True)
            ],
            axis=1,
        )
        rows = rows[(rows >= 0).all(axis=1)]  # the others have no keyword: no table lists them
        if not len(rows):
            raise InputError(
                f"{old.table.model} and {new.table.model} have no query with keywords in common",
                hint="choose other groups or keywords",
            )
        fell_out, came_in = _flipped(old, new, rows)
        main = old.table.main
        numbers = compute_pair_statistics(part, measures, main, settings, report)
        return cls(old, new, rows, fell_out, came_in, numbers)

    @classmethod
    def of_saved(cls, found: Comparison, mode: str) -> CompareTable:
        """Of two systems that were compared already: its numbers are those of the comparison."""
        part = next(one for one in found.modes if one.mode == mode)
        family = [m for m in found.measures if m.name == found.main.name]
        measures = tuple(dict.fromkeys((*family, *found.measures)))  # the main one's come first
        old, new = (
            SavedSide.of(system, part.part.keywords, measures) for system in part.part.systems
        )
        rows = np.repeat(np.arange(len(old.table))[:, None], 2, axis=1)
        pairs = [(old.hits(row), new.hits(row)) for row in range(len(rows))]
        fell_out = np.array([len(first - second) for first, second in pairs], np.int64)
        came_in = np.array([len(second - first) for first, second in pairs], np.int64)
        return cls(old, new, rows, fell_out, came_in, _statistics(found, part))

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def before(self) -> QueryTable:
        return self.old.table

    @property
    def after(self) -> QueryTable:
        return self.new.table

    @property
    def mode(self) -> Mode:
        return self.after.mode

    @property
    def main(self) -> Measure:
        return self.statistics.main

    @property
    def k(self) -> int:
        """How many results of each query are looked at."""
        return max(self.old.k, self.new.k)

    def label(self, measure: Measure) -> str:
        return self.after.label(measure)

    def formula(self, measure: Measure) -> str:
        return self.after.formula(measure)

    @property
    def family(self) -> tuple[Measure, ...]:
        """The main measure at every cut-off."""
        return self.after.family

    # One row

    def name(self, row: int) -> str:
        return self.after.names[int(self.rows[row, 1])]

    def place(self, row: int) -> int:
        """Where the query stood in the set; with its name, its identity across tables."""
        return int(self.after.places[int(self.rows[row, 1])])

    def keywords(self, row: int) -> tuple[Keyword, ...]:
        return self.after.keywords(int(self.rows[row, 1]))

    def relevant(self, row: int) -> int:
        return int(self.after.relevant[int(self.rows[row, 1])])

    def row_of(self, name: str, place: int) -> int | None:
        """The query of another comparison in this one."""
        other = self.after.row_of(name, place)
        if other is None:
            return None
        found = np.flatnonzero(self.rows[:, 1] == other)
        return int(found[0]) if len(found) else None

    @property
    def never_itself(self) -> tuple[str, str] | None:
        """The model in which no clip finds itself, and the one in which it may; None: both alike.

        Then the query's own clip is no result that fell out or came in.
        """
        if isinstance(self.old, SavedSide) or isinstance(self.new, SavedSide):
            return None  # whether they differ in that is not known
        if not _differ_in_own(self.old, self.new):
            return None
        old_is_within = self.old.run.collection.asks_itself
        within, across = (self.old, self.new) if old_is_within else (self.new, self.old)
        return within.table.model, across.table.model

    def results(self, row: int) -> tuple[TopResult, ...]:
        """Every result of either first K, the relevant ones first; each by its rank before, then
        those that came in."""
        first, second = (
            _top(own, int(number))
            for own, number in zip((self.old, self.new), self.rows[row], strict=True)
        )
        found: list[TopResult] = []
        if self.never_itself is not None:
            for top in (first, second):
                top.pop(self.name(row), None)
        for clip in dict.fromkeys((*first, *second)):
            a, b = first.get(clip), second.get(clip)
            one = a or b
            assert one is not None
            counts = (a is None or a.counts, b is None or b.counts)
            found.append(
                TopResult(clip, one.relevant, a.rank if a else 0, b.rank if b else 0, counts)
            )
        found.sort(key=lambda one: (not one.relevant, one.before or np.inf, one.after))
        return tuple(found)

    # Columns

    def values(self, measure: Measure) -> tuple[Floats, Floats]:
        """(q,) before and after; NaN where the query does not count for both."""
        first = self.before.scores.column(measure)[self.rows[:, 0]]
        second = self.after.scores.column(measure)[self.rows[:, 1]]
        missing = np.isnan(first) | np.isnan(second)
        return np.where(missing, np.nan, first), np.where(missing, np.nan, second)

    def changes(self, measure: Measure) -> Floats:
        """(q,) by how much the query got better; below 0: worse."""
        first, second = self.values(measure)
        return first - second if measure.lower_is_better else second - first

    @cached_property
    def change(self) -> Floats:
        """(q,) of the main measure."""
        return self.changes(self.main)

    @property
    def regressed(self) -> Bools:
        """(q,) queries that got worse."""
        worse: Bools = self.change < -_NOTHING
        return worse

    def order(self, key: ChangeKey = "change", descending: bool = False) -> Ints:
        """Every row, sorted by a column; equal ones stay as asked, what does not count is last."""
        return sort_stably(self._sortable(key), descending)

    def _sortable(self, key: ChangeKey) -> Ints | Floats:
        match key:
            case "change":
                return np.where(np.abs(self.change) <= _NOTHING, 0.0, self.change)
            case "before":
                return self.values(self.main)[0]
            case "after":
                return self.values(self.main)[1]
            case "fell out":
                return self.fell_out
            case "came in":
                return self.came_in
            case "query" | "keywords":
                column: Ints | Floats = self.after.sortable(key)[self.rows[:, 1]]
                return column

    def parse(self, text: str) -> Filter:
        """The filter that a line means; values are those of the model after."""
        return self.after.parse(text)

    def matching(self, chosen: Filter) -> Bools:
        """(q,) whether all terms hold."""
        return self.after.matching(chosen)[self.rows[:, 1]]

    def within(self, piece: Slice) -> Bools:
        """(q,) whether the query is one of a slice's."""
        words = self.before.words
        if piece.kind == "group":
            inside = self.before.has_any(words.of([piece.name]))
        else:
            group, _, name = piece.name.partition(":")
            inside = self.before.has_any([Keyword(group, name)])
        return inside[self.rows[:, 0]]

    def means(self, rows: Ints) -> RowMeans:
        """The main measure's means over these rows; NaN if none of them counts."""
        first, second = (column[rows] for column in self.values(self.main))
        change = self.change[rows]
        n = int(np.count_nonzero(~np.isnan(change)))
        if not n:
            return RowMeans(0, float("nan"), float("nan"), float("nan"))
        return RowMeans(n, *(float(np.nanmean(column)) for column in (first, second, change)))

    # Rows as text

    def as_cells(self, rows: Ints) -> Iterator[list[str]]:
        """A header and the rows, for a CSV file; no cell that a spreadsheet would run."""
        measures = [change.measure for change in self.statistics.changes]
        models = self.before.model, self.after.model
        header = ["mode", "query", "keywords", "relevant", "fell out", "came in"]
        for measure in measures:
            header += [f"{measure} {escape_formula(model)}" for model in models] + [
                f"{measure} change"
            ]
        yield header
        columns = [column for m in measures for column in (*self.values(m), self.changes(m))]
        for row in rows.tolist():
            yield [
                self.mode,
                escape_formula(self.name(row)),
                escape_formula("; ".join(map(str, self.keywords(row)))),
                str(self.relevant(row)),
                str(int(self.fell_out[row])),
                str(int(self.came_in[row])),
                *("" if np.isnan(c[row]) else repr(float(c[row])) for c in columns),
            ]


def _statistics(found: Comparison, part: ModeComparison) -> PairStatistics:
    """The numbers of two systems in one mode, as the comparison has them."""
    before, after = found.names
    changes = tuple(
        MeasureChange(m, part.level(before, m), part.level(after, m), difference)
        for difference in part.of_pair(before, after)
        for m in (difference.measure,)
    )
    few, settings = part.few_slices, found.settings
    return PairStatistics.of(part.part, found.main, changes, part.slices, few, settings)


def _top(own: EvaluatedRun | SavedSide, row: int) -> dict[str, RankedPlace]:
    """The first K of one query of one model."""
    if isinstance(own, SavedSide):
        return own.top(row)
    judged, truth = own.evaluation.judged, own.truth
    kept = judged.ranking.indices[row] != NO_ITEM
    indices, retrieved = judged.ranking.indices[row][kept], judged.retrieved[row][kept]
    relevant = truth.has_all(indices[None, :], judged.query_bits[row : row + 1])[0]
    rows = zip(indices.tolist(), relevant.tolist(), retrieved.tolist(), strict=True)
    return {truth.ids[n]: RankedPlace(rank, *said) for rank, (n, *said) in enumerate(rows, start=1)}


def _rows(system: Results, own: EvaluatedRun, keys: Sequence[QueryKey]) -> Ints:
    """The row in the table of each query; −1: it is not listed there."""
    at_place = np.full(len(system), -1, np.int64)
    at_place[own.table.places] = np.arange(len(own.table))
    return at_place[[system.places[key] for key in keys]]


def _differ_in_own(old: EvaluatedRun, new: EvaluatedRun) -> bool:
    """Whether clips ask, and find themselves in one of the models only."""
    asks = {own.run.collection.asks_itself for own in (old, new)}
    return new.mode == "video" and len(asks) == 2


def _own_rows(own: EvaluatedRun, rows: Ints) -> Ints:
    """(q, 1) the row of the collection that each query is."""
    queried = own.evaluation.queries.rows
    assert queried is not None
    asked: Ints = queried[rows][:, None]
    return asked


def _flipped(old: EvaluatedRun, new: EvaluatedRun, rows: Ints) -> tuple[Ints, Ints]:
    """Relevant results that count in one model only, per query: those lost, and those won."""
    first, second = old.evaluation.judged, new.evaluation.judged
    one, two = first.ranking.indices[rows[:, 0]], second.ranking.indices[rows[:, 1]]
    hits_one, hits_two = first.hits[rows[:, 0]], second.hits[rows[:, 1]]
    if _differ_in_own(old, new):
        hits_one = hits_one & (one != _own_rows(old, rows[:, 0]))
        hits_two = hits_two & (two != _own_rows(new, rows[:, 1]))
    if old.truth.ids != new.truth.ids:
        # The same clip has another row in the other model; a clip that it lacks has none.
        same = old.truth.rows_of(new.truth.ids)
        two = np.where(two == NO_ITEM, NO_ITEM, same[two])
    both = (one[:, :, None] == two[:, None, :]) & hits_one[:, :, None] & hits_two[:, None, :]
    lost = (hits_one & ~both.any(axis=2)).sum(axis=1, dtype=np.int64)
    won = (hits_two & ~both.any(axis=1)).sum(axis=1, dtype=np.int64)
    return lost, won
