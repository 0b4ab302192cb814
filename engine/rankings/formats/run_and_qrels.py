"""Qrels and RunFile: judgements and rankings of any format, as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.base.arrays import Floats, Ints
from engine.metrics.policies import Duplicates
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
    return Triples.of_lists(
        Path("by hand"),
        [query for query, items in nested.items() for _ in items],
        [item for items in nested.values() for item in items],
        [value for items in nested.values() for value in items.values()],
    )
