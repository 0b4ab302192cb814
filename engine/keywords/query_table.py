"""QueryTable: one evaluation as columns, one row per query, to be sorted, filtered and counted.

Rows are numbers: an order is an array of them, a filter a mask over them. A row's number is its
identity while the table lives; across tables a query is known by its name and place.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypeAlias, get_args

import numpy as np

from engine.base.arrays import Bools, Floats, Ints
from engine.base.choices import Mode
from engine.base.keyword import Keyword
from engine.dataset.clip_set import WORD, BitWords
from engine.dataset.collection import Collection
from engine.dataset.vocabulary import Vocabulary
from engine.files.csv_cells import escape_formula, join_cell
from engine.keywords.evaluate import Evaluation
from engine.keywords.query_filter import (
    Filter,
    KeywordTerm,
    Term,
    ValueTerm,
    WordTerm,
    parse_filter,
)
from engine.keywords.sorting import find_places, sort_stably
from engine.metrics import Measure, Profile, Scores, find_profile
from engine.metrics.chance import ChanceLevels, ChanceTest, describe_chance, describe_sample
from engine.metrics.measure import find_family
from engine.results.first_hits import FirstHits
from engine.text.mapping.unexplained import UnexplainedWords

TextKey: TypeAlias = Literal["query", "keywords", "relevant", "first hit"]
SortKey: TypeAlias = Measure | TextKey
TEXT_KEYS: tuple[TextKey, ...] = get_args(TextKey)

_MEASURED = 1_000
"""Queries whose keywords are measured, however many there are."""

_ORDERINGS = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}


@dataclass(frozen=True, slots=True)
class KeywordCount:
    """How many of some queries have a keyword, and their mean; NaN if none of them counts."""

    keyword: Keyword
    queries: int
    mean: float


@dataclass(frozen=True, eq=False)
class QueryTable:
    """The columns of an evaluation.

    places       (q,) where each query stood in the set as it was asked for
    relevant     (q,) R: the clips that have all keywords of the query
    no_keyword   how many further queries were left out because they have no keyword
    unexplained  what the texts among them say that no keyword explains
    first_hits   where each query's first hit stands; None: nobody looked
    chance       what random rankings would score; None: that is not known
    tested       how sure it is that all queries together are above that; None: not tested
    """

    mode: Mode
    model: str
    language: Profile
    words: Vocabulary
    names: tuple[str, ...]
    bits: BitWords
    places: Ints
    relevant: Ints
    scores: Scores
    formulas: tuple[str, ...]
    no_keyword: int = 0
    unexplained: UnexplainedWords = field(default_factory=UnexplainedWords)
    first_hits: FirstHits | None = None
    chance: ChanceLevels | None = None
    tested: ChanceTest | None = None

    @classmethod
    def of(
        cls, evaluation: Evaluation, collection: Collection, language: Profile | None = None
    ) -> QueryTable:
        """The table of an evaluation of this collection; the arrays are shared, not copied."""
        return cls(
            mode=evaluation.mode,
            model=collection.model.name,
            language=language or find_profile("alfa"),
            words=collection.truth.words,
            names=evaluation.queries.names,
            bits=evaluation.queries.bits,
            places=evaluation.queries.places,
            relevant=evaluation.judged.relevant,
            scores=evaluation.scores,
            formulas=tuple(
                measure.formula_for(evaluation.policies.fewer_than_k)
                for measure in evaluation.scores.measures
            ),
            no_keyword=len(evaluation.queries.left_out),
            unexplained=evaluation.queries.unexplained,
            first_hits=evaluation.first_hits,
            chance=evaluation.chance,
            tested=evaluation.tested,
        )

    def __len__(self) -> int:
        return len(self.names)

    @property
    def measures(self) -> tuple[Measure, ...]:
        return self.scores.measures

    @property
    def family(self) -> tuple[Measure, ...]:
        """The first measure at every cutoff that was computed."""
        return find_family(self.measures)

    @property
    def main(self) -> Measure:
        """The first measure at the cutoff that speaks for it: queries are sorted by it at first."""
        return self.language.main(self.measures)

    @cached_property
    def longest_name(self) -> int:
        """Characters of the longest query."""
        return max(map(len, self.names), default=0)

    @cached_property
    def usual_keywords(self) -> int:
        """Characters that the keywords of nine in ten queries fit in; of many, of the first."""
        rows = range(min(len(self), _MEASURED))
        lengths = [len(self.join_keywords(row)) for row in rows]
        return int(np.quantile(lengths, 0.9, method="higher")) if lengths else 0

    def label(self, measure: Measure) -> str:
        return self.language.label(measure)

    def formula(self, measure: Measure) -> str:
        return self.formulas[self.measures.index(measure)]

    def keywords(self, row: int) -> tuple[Keyword, ...]:
        return self.words.named(self.bits[row])

    def join_keywords(self, row: int) -> str:
        """The keywords of a query as a list in words."""
        return ", ".join(keyword.name for keyword in self.keywords(row))

    def name(self, row: int) -> str:
        return self.names[row]

    def place(self, row: int) -> int:
        """Where the query stood in the set; with its name, its identity across tables."""
        return int(self.places[row])

    def row_of(self, name: str, place: int) -> int | None:
        """The query of another table in this one: at the same place if it can, else by name."""
        at = int(np.searchsorted(self.places, place))
        if at < len(self) and self.names[at] == name:
            return at
        return next((row for row, other in enumerate(self.names) if other == name), None)

    # Order

    def order(self, key: SortKey | None = None, descending: bool = False) -> Ints:
        """Every row, sorted by a column; NaN comes last.

        Without a key the worst are first, by the main measure. Of queries with the same value of a
        measure, a later first hit is worse; others that are equal stay as asked.
        """
        if key is None:
            key, descending = self.main, self.main.lower_is_better
        values = self.sortable(key)
        if not isinstance(key, Measure) or self.first_hits is None:
            return sort_stably(values, descending)
        worst_first = descending == key.lower_is_better
        by_first_hit = sort_stably(self._lateness, worst_first)
        return by_first_hit[sort_stably(values[by_first_hit], descending)]

    def sortable(self, key: SortKey) -> Ints | Floats:
        """(q,) numbers in whose order the column's values are sorted."""
        if key == "query":
            return self._ranks_of_names
        if key == "keywords":
            return self._ranks_of_keywords
        if key == "relevant":
            return self.relevant
        if key == "first hit":
            return self._lateness
        return self.scores.column(key)

    @cached_property
    def _lateness(self) -> Floats:
        """(q,) by first hit, none at all being the latest; NaN: there is nothing to hit."""
        late = np.full(len(self), np.nan) if self.first_hits is None else self.first_hits.lateness
        return np.where(self.relevant > 0, late, np.nan)

    @cached_property
    def _folded(self) -> list[str]:
        return [name.casefold() for name in self.names]

    @cached_property
    def _ranks_of_names(self) -> Ints:
        return find_places(self._folded)

    @cached_property
    def _ranks_of_keywords(self) -> Ints:
        # Queries share keyword sets, so each set is named once.
        distinct, which = np.unique(self.bits, axis=0, return_inverse=True)
        names = [", ".join(keyword.name for keyword in self.words.named(bits)) for bits in distinct]
        return np.unique(names, return_inverse=True)[1][which.reshape(-1)]

    def imperfect(self, measure: Measure) -> Bools:
        """Queries that count and do not have the full score of 1."""
        values = self.scores.column(measure)
        return np.asarray(values > 1 if measure.lower_is_better else values < 1)

    # Filter

    def parse(self, text: str) -> Filter:
        """The filter that a line means for this table."""
        used = self.words.named(np.bitwise_or.reduce(self.bits, axis=0))
        groups = tuple(dict.fromkeys(keyword.group for keyword in used))
        return parse_filter(text, self.words, self.measures, self.language, groups)

    def matching(self, chosen: Filter) -> Bools:
        """(q,) whether all terms hold."""
        mask = np.ones(len(self), np.bool_)
        for term in chosen.terms:
            mask &= self._holds(term) ^ term.negated
        return mask

    def _holds(self, term: Term) -> Bools:
        match term:
            case WordTerm(text):
                named = [text in name for name in self._folded]
                meant = (k for k in self.words.keywords if text in k.name.casefold())
                return np.array(named, np.bool_) | self.has_any(meant)
            case KeywordTerm(keyword):
                return self.has_any([keyword])
            case ValueTerm():
                return self._compares(term)

    def has_any(self, keywords: Iterable[Keyword]) -> Bools:
        """(q,) whether the query has one of these keywords at least."""
        columns = np.array([self.words.column_of[keyword] for keyword in keywords], np.int64)
        return np.asarray((self.bits & self.words.mask(columns)).any(axis=1))

    def _compares(self, term: ValueTerm) -> Bools:
        values = self.sortable(term.measure or "relevant")
        if term.operator in _ORDERINGS:
            return np.asarray(_ORDERINGS[term.operator](values, term.value))
        near = np.abs(values - term.value) <= term.tolerance
        return near if term.operator == "=" else ~near & ~np.isnan(values)

    # Count

    def aggregate(self, measure: Measure, rows: Ints | None = None) -> float:
        """The number to report for these rows (None: all); NaN if none of them counts.

        A median over all relevant items is known for all rows together only.
        """
        if rows is None or len(rows) == len(self):
            return self.scores.aggregate(measure)
        values = self.scores.column(measure)[rows]
        values = values[~np.isnan(values)]
        if not len(values) or measure.aggregate == "pooled":
            return float("nan")
        return float(np.median(values) if measure.aggregate == "median" else values.mean())

    def describe_chance(self, measure: Measure, rows: Ints, spell: Callable[[float], str]) -> str:
        """What random rankings would score for these rows, in words; empty: that is not known.

        Whether the measure is above that is tested for all rows together only.
        """
        if self.chance is None or not self.counted(measure, rows):
            return ""
        level, whole = self.chance.level(measure, rows), len(rows) == len(self)
        p, sample = math.nan, ""
        if whole and self.tested is not None:
            place = self.measures.index(measure)
            p = float(self.tested.p[place])
            sample = describe_sample(self.tested.queries[place], self.counted(measure, rows))
        return describe_chance("" if math.isnan(level) else spell(level), p, sample)

    def counted(self, measure: Measure, rows: Ints) -> int:
        """How many of these rows count for the measure."""
        return int(np.count_nonzero(~np.isnan(self.scores.column(measure)[rows])))

    def frequency(self, rows: Ints, measure: Measure | None = None) -> tuple[KeywordCount, ...]:
        """The keywords of these queries, each with its queries and their mean; worst first."""
        measure = measure or self.main
        values, bits = self.scores.column(measure)[rows], self.bits[rows]
        used = self.words.named(np.bitwise_or.reduce(bits, axis=0)) if len(rows) else ()
        counts = []
        for keyword in used:
            column = self.words.column_of[keyword]
            has = (bits[:, column // WORD] >> np.uint64(column % WORD)) & np.uint64(1) == 1
            own = values[has]
            own = own[~np.isnan(own)]
            mean = float(own.mean()) if len(own) else float("nan")
            counts.append(KeywordCount(keyword, int(has.sum()), mean))
        sign = -1 if measure.lower_is_better else 1
        worst_first = sorted(
            counts, key=lambda c: (np.nan_to_num(sign * c.mean, nan=np.inf), -c.queries)
        )
        return tuple(worst_first)

    # Rows as text

    def as_cells(self, rows: Ints) -> Iterator[list[str]]:
        """A header and the rows, for a CSV file; no cell that a spreadsheet would run.

        The columns are those of `--per-query`, so that `compare` and `report` read the file:
        metrics have their ids, whatever the profile beside them calls them.
        """
        hits = self.first_hits
        names = [] if hits is None else ["first_hit"]
        if hits is not None and hits.beyond.any():
            names += ["first_hit_beyond"]
        ids = map(str, self.measures)
        yield ["mode", "profile", "query", "keywords", "relevant", *names, *ids]
        for row in rows.tolist():
            keywords = join_cell(list(map(str, self.keywords(row))))
            values = self.scores.values[row]
            first_hit = () if hits is None else (hits.ranks[row], hits.beyond[row])
            yield [
                escape_formula(self.mode),
                self.language.name,
                escape_formula(self.names[row]),
                escape_formula(keywords),
                str(int(self.relevant[row])),
                *(str(int(rank)) if rank else "" for rank in first_hit[: len(names)]),
                *("" if np.isnan(value) else repr(float(value)) for value in values),
            ]
