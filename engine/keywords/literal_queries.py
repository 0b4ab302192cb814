"""Texts that name a keyword word for word, so that another name can be put in its place."""

from __future__ import annotations

import re

import numpy as np

from engine.base.arrays import Bools
from engine.base.keyword import Keyword
from engine.dataset.clip_set import WORD, ClipSet, find_bits
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.query_set import QuerySet
from engine.dataset.vocabulary import Selection
from engine.keywords.keyword_swaps import KeywordSets, KeywordSwaps


class LiteralQueries:
    """The texts of a query set by the keywords whose names stand in them word for word."""

    def __init__(self, queries: QuerySet, truth: GroundTruth, selection: Selection) -> None:
        self.queries, self._truth = queries, truth
        self._naming: dict[int, list[int]] = {}
        named = (places.tolist() for places in find_bits(queries.bits & selection.mask))
        for query, column in zip(*named, strict=True):
            if _count_named(truth.words.keywords[column].name, queries.names[query]) == 1:
                self._naming.setdefault(column, []).append(query)

    def cover(self, swaps: KeywordSwaps, sets: KeywordSets) -> Bools:
        """Which swaps have a text that names r, and whose keywords the right clips have."""
        covered, first = np.zeros(len(swaps), np.bool_), sets.clips[sets.starts[:-1]]
        for column, queries in self._naming.items():
            some = np.flatnonzero(swaps.right_keyword == column)
            described = np.zeros(-(-len(self._truth) // WORD), np.uint64)
            for query in queries:
                own = self._truth.words.named(self.queries.bits[query])
                described |= self._truth.relevant(own).words
            rows = ClipSet(described, len(self._truth)).indices()
            covered[some] = np.isin(first[swaps.right_set[some]], rows)
        return covered

    def find(self, swaps: KeywordSwaps, sets: KeywordSets, number: int, turn: int) -> int | None:
        """A text for a swap; another one each turn, if there are several."""
        queries = np.array(self._naming[int(swaps.right_keyword[number])], np.int64)
        own, has = self.queries.bits[queries], sets.bits[int(swaps.right_set[number])]
        fitting = queries[((own & has) == own).all(axis=1)]
        wrong = self._truth.words.keywords[int(swaps.wrong_keyword[number])].name
        for step in range(len(fitting)):
            query = int(fitting[(number + turn + step) % len(fitting)])
            if not _count_named(wrong, self.queries.names[query]):
                return query
        return None

    def write(self, query: int, right: Keyword, wrong: Keyword) -> tuple[str, str]:
        """The text, and the same with the other name."""
        text = self.queries.names[query]
        return text, _find_name(right.name).sub(lambda _: wrong.name, text)


def _find_name(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)


def _count_named(name: str, text: str) -> int:
    """How often a name stands in a text as whole words.

    >>> _count_named("car", "a Car behind a cargo bike")
    1
    """
    return len(_find_name(name).findall(text))
