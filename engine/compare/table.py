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
from engine.base.choices import Mode
from engine.base.errors import InputError
from engine.base.keyword import Keyword
from engine.base.progress import ProgressHook
from engine.compare import DEFAULT_COMPARE_SETTINGS, CompareSettings, Slice, compare
from engine.compare.comparison import Comparison, PairStatistics
from engine.compare.saved_side import SavedSide
from engine.compare.top_results import (
    TopResult,
    count_flips,
    find_never_itself,
    find_top,
    pair_top_results,
)
from engine.files.csv_cells import escape_formula, join_cell
from engine.keywords.evaluated_run import EvaluatedRun
from engine.keywords.query_filter import Filter
from engine.keywords.query_table import QueryTable
from engine.keywords.sorting import sort_stably
from engine.metrics import Measure
from engine.results.read_results import FLIP_COLUMNS
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
        found = compare(systems, settings=settings, report=report)
        (mode,) = found.modes
        pairs = zip(systems, (old, new), strict=True)
        rows = np.stack([_rows(system, own, mode.part.keys) for system, own in pairs], axis=1)
        listed = (rows >= 0).all(axis=1)  # the others have no keyword: no table lists them
        if not listed.any():
            raise InputError(
                f"{old.table.model} and {new.table.model} have no query with keywords in common",
                hint="choose other groups or keywords",
            )
        lost, won = count_flips(mode.part, with_itself=find_never_itself(old, new) is None)
        numbers = PairStatistics.of(found, mode)
        return cls(old, new, rows[listed], lost[listed], won[listed], numbers)

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
        lost, won = count_flips(part.part)
        return cls(old, new, rows, lost, won, PairStatistics.of(found, part))

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

    @cached_property
    def no_keyword(self) -> Bools:
        """(q,) queries that count for neither and have no keyword; saved runs list them too."""
        empty = np.asarray(self.after.bits[self.rows[:, 1]] == 0).all(axis=1)
        return np.asarray(empty, np.bool_) & self.uncounted & bool(self.after.words.keywords)

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
        """As `find_never_itself` says."""
        return find_never_itself(self.old, self.new)

    def results(self, row: int) -> tuple[TopResult, ...]:
        """Every result of either first K, the relevant ones first; each by its rank before, then
        those that came in."""
        first, second = self.rows[row].tolist()
        itself = () if self.never_itself is None else (self.name(row),)
        return pair_top_results(find_top(self.old, first), find_top(self.new, second), itself)

    # Columns

    def _columns(self, measure: Measure) -> tuple[Floats, Floats]:
        before = self.before.scores.column(measure)[self.rows[:, 0]]
        return before, self.after.scores.column(measure)[self.rows[:, 1]]

    def values(self, measure: Measure) -> tuple[Floats, Floats]:
        """(q,) before and after; NaN where the query does not count for both."""
        first, second = self._columns(measure)
        missing = np.isnan(first) | np.isnan(second)
        return np.where(missing, np.nan, first), np.where(missing, np.nan, second)

    @property
    def uncounted(self) -> Bools:
        """(q,) queries that count for neither."""
        first, second = self._columns(self.main)
        return np.isnan(first) & np.isnan(second)

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
        group, _, name = piece.name.partition(":")
        whole = piece.kind == "group"
        wanted = self.before.words.of([piece.name]) if whole else [Keyword(group, name)]
        return self.before.has_any(wanted)[self.rows[:, 0]]

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
        header = ["mode", "profile", "query", "keywords", "relevant", *FLIP_COLUMNS]
        for measure in measures:
            header += [f"{measure} {escape_formula(model)}" for model in models] + [
                f"{measure} change"
            ]
        yield header
        columns = [column for m in measures for column in (*self.values(m), self.changes(m))]
        for row in rows.tolist():
            yield [
                escape_formula(self.mode),
                self.after.language.name,
                escape_formula(self.name(row)),
                escape_formula(join_cell(list(map(str, self.keywords(row))))),
                str(self.relevant(row)),
                str(int(self.fell_out[row])),
                str(int(self.came_in[row])),
                *("" if np.isnan(c[row]) else repr(float(c[row])) for c in columns),
            ]


def _rows(system: Results, own: EvaluatedRun, keys: Sequence[QueryKey]) -> Ints:
    """The row in the table of each query; −1: it is not listed there."""
    at_place = np.full(len(system), -1, np.int64)
    at_place[own.table.places] = np.arange(len(own.table))
    return at_place[[system.places[key] for key in keys]]
