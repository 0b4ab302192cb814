"""ModeQueries: the queries of one mode, what they retrieved, and how well."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.base.arrays import Bools, Floats, Ints, Vectors
from engine.base.choices import Mode
from engine.base.ranking import NO_ITEM
from engine.dataset.query_set import QuerySet
from engine.keywords.judge import JudgedRanking


@dataclass(frozen=True, slots=True, eq=False)
class ModeQueries:
    """Queries that were searched and judged.

    queries   names, keyword bits, and the own rows of query clips
    vectors   (q, d) as they were searched; unit rows where the similarity is the cosine
    judged    the first results of each, as deep as the settings say or as there are clips
    values    (q,) m of each query; NaN: it does not count, as no clip is relevant
    clusters  (q,) queries of one number share a source or a keyword set
    cluster_note  what must be said of the clusters; empty where they are what was asked for
    """

    queries: QuerySet
    vectors: Vectors
    judged: JudgedRanking
    values: Floats
    clusters: Ints
    cluster_note: str = ""

    def __len__(self) -> int:
        return len(self.queries)

    @property
    def mode(self) -> Mode:
        return self.queries.mode

    @property
    def counted(self) -> Bools:
        """(q,) whether a query counts: some clip is relevant to it."""
        return np.isfinite(self.values)

    @property
    def own_rows(self) -> Ints | None:
        """(q,) the row of each query's own clip, which is no result; None: there is none."""
        own = self.queries.rows
        return own if own is not None and self._removes_own else None

    @property
    def _removes_own(self) -> bool:
        own = self.queries.rows
        return own is not None and not (self.judged.ranking.indices == own[:, None]).any()

    def top(self, k: int) -> tuple[Ints, Bools]:
        """(q, k) the rows of the first k results, `NO_ITEM` where there are fewer, and whether
        each is a hit."""
        return self.judged.ranking.indices[:, :k], self.judged.hits[:, :k]

    def worst(self, rows: Bools, most: int) -> tuple[str, ...]:
        """The names of some queries, the worst first; those that do not count are left out.

        Of equal ones first that with more relevant clips, which had more chances.
        """
        chosen = np.flatnonzero(rows & self.counted)
        order = np.lexsort((chosen, -self.judged.relevant[chosen], self.values[chosen]))
        return tuple(self.queries.names[row] for row in chosen[order][:most].tolist())


def compute_precision(judged: JudgedRanking, k: int) -> Floats:
    """P@k of every query; NaN where no clip is relevant."""
    hits = (judged.hits[:, :k] & (judged.ranking.indices[:, :k] != NO_ITEM)).sum(axis=1)
    return np.where(judged.relevant > 0, hits / k, np.nan)
