"""SavedSide: what one system did, read from a file, as a side of a CompareTable.

Of an evaluation that was just made the whole ranking and its clips are known; here only what the
results hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from engine.base.choices import Mode
from engine.base.keyword import Keyword
from engine.dataset.vocabulary import Vocabulary
from engine.keywords.query_table import QueryTable
from engine.metrics import Measure, Scores
from engine.results.results import Results


@dataclass(frozen=True, eq=False)
class SavedSide:
    """The queries of one mode as a table, and their results."""

    table: QueryTable
    saved: Results

    @classmethod
    def of(
        cls, saved: Results, keywords: Sequence[tuple[str, ...]], measures: Sequence[Measure]
    ) -> SavedSide:
        """Results of one mode; `keywords` as "group:name", of each query the same on both sides."""
        named = sorted({_keyword(text) for row in keywords for text in row})
        words = Vocabulary(tuple(dict.fromkeys(word.group for word in named)), tuple(named))
        columns = ([words.column_of[_keyword(text)] for text in row] for row in keywords)
        bits = np.stack([words.mask(np.array(row, np.int64)) for row in columns])
        values = np.stack([saved.column(measure) for measure in measures], axis=1)
        table = QueryTable(
            mode=cast(Mode, saved.keys[0].mode),
            model=saved.name,
            language=saved.language,
            words=words,
            names=tuple(key.query for key in saved.keys),
            bits=bits,
            places=np.arange(len(saved)),
            relevant=saved.relevant,
            scores=Scores(
                tuple(measures),
                values,
                np.asarray(np.isnan(values).all(axis=1)),
                np.zeros(len(measures), np.int64),
                np.zeros(0, np.int64),
            ),
            formulas=tuple(map(saved.formula, measures)),
        )
        return cls(table, saved)

    @property
    def mode(self) -> Mode:
        return self.table.mode

    @property
    def k(self) -> int:
        """How many results of each query are kept."""
        return max(map(len, self.saved.ranked), default=0)

    @property
    def min_similarity(self) -> float | None:
        least = dict(self.saved.policies).get("min_similarity", "")
        return float(least) if least.replace(".", "", 1).lstrip("-").isdecimal() else None

    def results(self) -> Results:
        return self.saved


def _keyword(text: str) -> Keyword:
    """
    >>> _keyword("scene:rain"), _keyword("7")
    (Keyword(group='scene', name='rain'), Keyword(group='', name='7'))
    """
    group, colon, name = text.partition(":")
    return Keyword(group, name) if colon else Keyword("", text)
