"""The filter of the queries: words that the text, the id or the video must hold, or must not."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.base.arrays import Bools
    from engine.keywords.query_filter import Filter
    from engine.moments.truth import MomentTruth

_TERM = re.compile(r'(-?)(?:"([^"]*)"?|(\S+))')


def parse_words(text: str) -> Filter:
    """Words and "several words", each with a minus before it if it must not be there.

    >>> parse_words('Sheldon -"his phone"').terms
    (WordTerm(text='sheldon', negated=False), WordTerm(text='his phone', negated=True))
    """
    from engine.keywords.query_filter import Filter, WordTerm

    terms = []
    for minus, phrase, word in _TERM.findall(text):
        wanted = (phrase or word).strip().casefold()
        if wanted:
            terms.append(WordTerm(wanted, bool(minus)))
    return Filter(tuple(terms))


class Haystack:
    """What is searched of every query; made once, as it does not change with the metric."""

    def __init__(self, truth: MomentTruth) -> None:
        self.truth = truth

    @cached_property
    def _texts(self) -> list[str]:
        truth = self.truth
        parts = zip(truth.ids, truth.texts, truth.videos, strict=True)
        return [f"{id_}\n{text}\n{video}".casefold() for id_, text, video in parts]

    def matching(self, chosen: Filter | None) -> Bools:
        """Which queries hold every term; without a filter, all."""
        import numpy as np

        from engine.keywords.query_filter import WordTerm

        found = np.ones(len(self.truth), bool)
        if chosen is None:
            return found
        for term in chosen.terms:
            if isinstance(term, WordTerm):
                holds = (term.text in text for text in self._texts)
                found &= np.fromiter(holds, bool, len(found)) != term.negated
        return found
