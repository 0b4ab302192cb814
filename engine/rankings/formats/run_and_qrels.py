"""Qrels and RunFile: judgements and rankings of any format, as arrays; RelevantSets: judgements in
the terms of the rankings that they are held against."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Floats, Ints
from engine.base.choices import Duplicates
from engine.metrics import gains_from_sets, ideal_from_sets
from engine.rankings.formats.id_table import IdTable
from engine.rankings.formats.triples import Triples, drop_repeats


@dataclass(frozen=True, slots=True, eq=False)
class Qrels:
    """What is relevant: query i's judged items are `codes[indptr[i]:indptr[i + 1]]`.

    grades   (n,) of every judgement; above 0 is relevant
    dropped  judgements left out because the same item was judged before
    """

    queries: IdTable
    items: IdTable
    indptr: Ints
    codes: Ints
    grades: Floats
    dropped: int = 0

    def __len__(self) -> int:
        return len(self.queries)

    @classmethod
    def of_triples(cls, triples: Triples, duplicates: Duplicates = "error") -> Qrels:
        run = RunFile.of_triples(triples, duplicates)
        return cls(run.queries, run.items, run.indptr, run.codes, run.scores, run.dropped)

    @classmethod
    def of_dict(cls, judgements: Mapping[str, Mapping[str, float]]) -> Qrels:
        """Judgements typed by hand.

        >>> qrels = Qrels.of_dict({"q1": {"a": 1, "b": 2}})
        >>> qrels.items.names(qrels.codes), qrels.grades
        (['b', 'a'], array([2., 1.]))
        """
        return cls.of_triples(_flat(judgements))

    @property
    def relevant(self) -> Ints:
        """(q,) R, the number of relevant items."""
        owners = np.repeat(np.arange(len(self)), np.diff(self.indptr))
        return np.bincount(owners[self.grades > 0], minlength=len(self)).astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class RunFile:
    """A ranking per query: query i's results are `codes[indptr[i]:indptr[i + 1]]`, best first.

    Results stand by falling score in full precision, equal ones in the order of the file; a rank
    that the file gives beside a score is not looked at, as in trec_eval.

    scores   (n,) as the file gives them
    ranked   the file has ranks instead of scores: scores are −rank
    dropped  results left out because the same item stands further up
    """

    queries: IdTable
    items: IdTable
    indptr: Ints
    codes: Ints
    scores: Floats
    ranked: bool = False
    dropped: int = 0

    def __len__(self) -> int:
        return len(self.queries)

    @property
    def deepest(self) -> int:
        """Results of the query that has most."""
        return int(np.diff(self.indptr).max(initial=0))

    @classmethod
    def of_triples(cls, triples: Triples, duplicates: Duplicates = "error") -> RunFile:
        repeats = triples.has_repeats
        if repeats and duplicates == "error":
            triples.refuse_repeats()
        order, indptr = triples.sorted_by_query()
        codes, scores = triples.item_codes, triples.values
        if order is not None:
            codes, scores = codes[order], scores[order]
        dropped = 0
        if repeats:
            kept, indptr = drop_repeats(indptr, codes)
            codes, scores = codes[kept], scores[kept]
            dropped = int(np.count_nonzero(~kept))
        return cls(triples.queries, triples.items, indptr, codes, scores, triples.ranked, dropped)

    @classmethod
    def of_dict(cls, rankings: Mapping[str, Mapping[str, float]]) -> RunFile:
        """Rankings typed by hand.

        >>> run = RunFile.of_dict({"q1": {"a": 0.5, "b": 0.9}})
        >>> run.items.names(run.codes)
        ['b', 'a']
        """
        return cls.of_triples(_flat(rankings))


def _flat(nested: Mapping[str, Mapping[str, float]]) -> Triples:
    return Triples.of(
        Path("by hand"),
        [query for query, items in nested.items() for _ in items],
        [item for items in nested.values() for item in items],
        [value for items in nested.values() for value in items.values()],
    )


_LONG_LISTS = 256
"""Results per query from which a table of all items, query by query, is the fastest way."""


@dataclass(frozen=True, slots=True, eq=False)
class RelevantSets:
    """The relevant items of each query, in CSR form.

    codes     places in the table of ranked items; what is ranked nowhere stands behind it
    grades    (n,) all above 0
    graded    some grade of the whole file is not 1
    unranked  judged items that are ranked nowhere
    """

    indptr: Ints
    codes: Ints
    grades: Floats
    graded: bool
    unranked: int = 0

    @classmethod
    def of(cls, qrels: Qrels, items: IdTable, kept: Ints) -> RelevantSets:
        """The sets of the queries `kept`, for rankings of `items`.

        >>> qrels = Qrels.of_dict({"q": {"a": 2, "b": 0, "c": 1}})
        >>> RelevantSets.of(qrels, IdTable.of(["x", "a"]), np.array([0])).codes
        array([1, 3])
        """
        places = qrels.items.places_in(items)
        outside = np.flatnonzero(places < 0)
        places[outside] = len(items) + np.arange(len(outside))
        is_kept = np.zeros(len(qrels), dtype=np.bool_)
        is_kept[kept] = True
        owners = np.repeat(np.arange(len(qrels)), np.diff(qrels.indptr))
        relevant = (qrels.grades > 0) & is_kept[owners]
        counts = np.bincount(owners[relevant], minlength=len(qrels))[kept]
        grades = qrels.grades[relevant]
        return cls(
            indptr=np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
            codes=places[qrels.codes[relevant]],
            grades=grades,
            graded=bool((grades != 1).any()),
            unranked=len(outside),
        )

    @property
    def relevant(self) -> Ints:
        """(q,) R."""
        return np.diff(self.indptr)

    @property
    def ideal(self) -> Floats | None:
        """(q, m) grades of the ideal ranking; None if relevance is a matter of yes or no."""
        return ideal_from_sets(self.indptr, self.grades) if self.graded else None

    def gains_of(self, ranked: Ints) -> npt.NDArray[Any]:
        """(q, d) the grades of ranked items, or whether they are relevant."""
        if ranked.shape[1] < _LONG_LISTS:
            grades = self.grades if self.graded else None
            return gains_from_sets(ranked, self.indptr, self.codes, grades)
        worth = self.grades if self.graded else np.ones(len(self.codes), dtype=np.bool_)
        # One place more than items: NO_ITEM (−1) falls on it, and it is never set.
        highest = max(ranked.max(initial=0), self.codes.max(initial=0))
        table = np.zeros(int(highest) + 2, dtype=worth.dtype)
        gains = np.empty(ranked.shape, dtype=worth.dtype)
        for row, (start, stop) in enumerate(pairwise(self.indptr.tolist())):
            own = self.codes[start:stop]
            table[own] = worth[start:stop]
            gains[row] = table[ranked[row]]
            table[own] = 0
        return gains

    def part(self, rows: slice) -> RelevantSets:
        """The sets of some of the queries."""
        start, stop = int(self.indptr[rows.start]), int(self.indptr[rows.stop])
        indptr = self.indptr[rows.start : rows.stop + 1] - start
        return RelevantSets(indptr, self.codes[start:stop], self.grades[start:stop], self.graded)
