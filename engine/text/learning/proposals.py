"""Phrases worth learning, from what the mapper missed or found wrongly in labelled queries.

A phrase is proposed for a keyword if it stands where the keyword was missed, is not spoken for by
another keyword that is right, and mostly stands in queries that mean the keyword. That it never
means a keyword is proposed if the mapper found the keyword in it wrongly, and the queries that say
it mostly do not mean the keyword. Of phrases that do the same, the one in most queries is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from engine.base.keyword import Keyword
from engine.text.learning.labelled import LabelledMapping
from engine.text.learning.said_phrases import SaidPhrases, Stems, reduce_span, write_span
from engine.text.mapping.mapper import NEAR_FLOOR
from engine.text.mapping.table import normalise_words, split_alternatives

LEAST_SHARE = 0.75
"""Of the queries that say a phrase, how many must agree about the keyword."""

_MOST_BESIDE = 2
"""How many words beside those of a false keyword are looked at: "run over" is not running."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """That a phrase means a keyword, or never does."""

    stems: Stems
    phrase: str
    keyword: Keyword
    never: bool


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A proposal, the query whose fault it would mend, and whether the mapper points to it."""

    proposal: Proposal
    query: int
    pointed: bool


class Proposer:
    """Proposals from labelled queries. `vocabulary` is the mapper's."""

    def __init__(self, vocabulary: Sequence[Keyword], mapped: Sequence[LabelledMapping]) -> None:
        self._vocabulary = tuple(vocabulary)
        self._mapped = mapped
        self.said = SaidPhrases(mapped)

    def propose_synonyms(
        self, among: frozenset[int], now: Mapping[int, LabelledMapping], least: int
    ) -> list[Proposal]:
        """What phrases should mean, by these queries.

        now    how queries are mapped that are mapped otherwise by now
        least  how many queries must speak for a phrase
        """
        found = (self._find_synonyms(now.get(n, self._mapped[n])) for n in sorted(among))
        return self._choose(chain.from_iterable(found), among, least)

    def propose_never(
        self, among: frozenset[int], now: Mapping[int, LabelledMapping], least: int
    ) -> list[Proposal]:
        """What phrases should never mean, by these queries."""
        found = (self._find_never(now.get(n, self._mapped[n])) for n in sorted(among))
        return self._choose(chain.from_iterable(found), among, least)

    def count_support(self, proposal: Proposal, among: frozenset[int]) -> tuple[int, int]:
        """How many of these queries say the phrase and agree, and how many say it."""
        asked = [
            self._mapped[number].asked
            for number in self.said.where(proposal.stems, among)
            if proposal.keyword.group in self._mapped[number].asked.groups
        ]
        means = sum(proposal.keyword in query.meant for query in asked)
        return (len(asked) - means if proposal.never else means), len(asked)

    def _choose(
        self, found: Iterable[_Candidate], among: frozenset[int], least: int
    ) -> list[Proposal]:
        """Of those that enough queries agree with, the best for every fault, without repetition."""
        by_fault: dict[tuple[int, Keyword], list[_Candidate]] = {}
        for candidate in found:
            agree, say = self.count_support(candidate.proposal, among)
            if agree >= least and agree >= LEAST_SHARE * say:
                key = (candidate.query, candidate.proposal.keyword)
                by_fault.setdefault(key, []).append(candidate)
        chosen: dict[tuple[Stems, Keyword], Proposal] = {}
        for rivals in by_fault.values():
            best = self._best(rivals, among)
            if best is not None:
                other = chosen.setdefault((best.stems, best.keyword), best)
                chosen[best.stems, best.keyword] = min(other, best, key=_spelling)
        return list(chosen.values())

    def _best(self, rivals: Sequence[_Candidate], among: frozenset[int]) -> Proposal | None:
        """That in most queries; of those that stand in one only, the one the mapper points to."""

        def rank(candidate: _Candidate) -> tuple[int, bool, int, str]:
            agree, _ = self.count_support(candidate.proposal, among)
            proposal = candidate.proposal
            return -agree, not candidate.pointed, len(proposal.stems), proposal.phrase

        first = min(rivals, key=rank)
        agree, _ = self.count_support(first.proposal, among)
        sure = agree > 1 or first.pointed or len({c.proposal.stems for c in rivals}) == 1
        return first.proposal if sure else None

    def _find_synonyms(self, one: LabelledMapping) -> Iterator[_Candidate]:
        right = one.asked.meant & one.found
        spoken = {
            position
            for item in one.mapping.keywords
            if item.keyword in right
            for position in _positions(one, item.span)
        }
        wrong = [
            _positions(one, item.span)
            for item in one.mapping.keywords
            if item.keyword not in one.asked.meant
        ]
        spans = [span for span in (*one.reading.open.open.spans, *wrong) if span]
        nearest = self._find_nearest(one)
        missing = sorted(one.asked.meant - one.found, key=lambda k: (-nearest[k][0], k))
        for keyword in missing:
            _, near = nearest[keyword]
            for span in spans:
                if spoken.isdisjoint(span):
                    yield from self._candidates(
                        one, keyword, span, never=False, pointed=span == near or span in wrong
                    )
            spoken.update(near)  # of two that are missing, the likelier has its words for itself

    def _find_nearest(self, one: LabelledMapping) -> dict[Keyword, tuple[float, tuple[int, ...]]]:
        """For every missing keyword how likely it is, and by which words, if any are near it."""
        near = (e for e in one.estimates if e.probability >= NEAR_FLOOR)
        found = {self._vocabulary[e.keyword]: (e.probability, e.positions) for e in near}
        return {keyword: found.get(keyword, (0.0, ())) for keyword in one.asked.meant - one.found}

    def _find_never(self, one: LabelledMapping) -> Iterator[_Candidate]:
        for item in one.mapping.keywords:
            own = _positions(one, item.span)
            if item.keyword in one.asked.meant or not own:
                continue
            names = {normalise_words(name) for name in split_alternatives(item.keyword.name)}
            pointed = True
            for span in _widen(own, len(one.reading.words)):
                candidates = [
                    candidate
                    for candidate in self._candidates(
                        one, item.keyword, span, never=True, pointed=pointed
                    )
                    if normalise_words(candidate.proposal.phrase) not in names
                ]
                yield from candidates
                pointed = pointed and not candidates  # the narrowest that may be forbidden

    def _candidates(
        self,
        one: LabelledMapping,
        keyword: Keyword,
        span: Sequence[int],
        *,
        never: bool,
        pointed: bool,
    ) -> Iterator[_Candidate]:
        phrase = write_span(one.reading, span)
        stems = reduce_span(one.reading, span)
        if phrase and one.number in self.said.where(stems, {one.number}):
            yield _Candidate(Proposal(stems, phrase, keyword, never), one.number, pointed)


def _spelling(proposal: Proposal) -> tuple[int, str]:
    """Of the forms of a phrase the shortest, whichever query comes first."""
    return len(proposal.phrase), proposal.phrase


def _positions(one: LabelledMapping, span: tuple[int, int]) -> tuple[int, ...]:
    """The words within a stretch of the text."""
    words = enumerate(one.reading.words)
    return tuple(p for p, word in words if span[0] <= word.start and word.end <= span[1])


def _widen(span: Sequence[int], count: int) -> Iterator[tuple[int, ...]]:
    """A span, and with words beside it, the narrower first."""
    for more in range(_MOST_BESIDE + 1):
        for before in range(more + 1):
            first, last = span[0] - before, span[-1] + more - before
            if first >= 0 and last < count:
                yield tuple(range(first, last + 1))
