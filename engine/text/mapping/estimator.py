"""How likely a query means each keyword by what no phrase explains: the evidence, weighed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.base.arrays import Floats, Ints, Vectors
from engine.base.keyword import Keyword
from engine.text.mapping.features import (
    KeywordFeatures,
    RawEvidence,
    compute_features,
    describe_none,
)
from engine.text.mapping.likeness import (
    KeywordVectors,
    NullDistribution,
    VectorSource,
    load_unrelated,
)
from engine.text.mapping.odds import OddsWeights, compute_odds, load_weights
from engine.text.mapping.open_query import OpenQuery
from engine.text.mapping.query_words import Word, split_words
from engine.text.mapping.senses import (
    LARGE_VOCABULARY,
    LEAST_PART,
    KeywordSenses,
    find_candidates,
    find_keyword_senses,
    relate_kinds,
    relate_parts,
    relate_words,
    says_part,
)

_MOST_CANDIDATES = 32
"""Keywords of a large vocabulary that are weighed for one query."""

_NEARLY, _SPEAKS = 0.6, 2.5
"""How much a word must say of a keyword, compared with what says most and in all (z), to be
understood as well: in "a stag with antlers" both words say deer."""

_VETO = -6.0
"""z of a span for a keyword that it cannot mean."""


@dataclass(frozen=True, slots=True, eq=False)
class GroupEvidence:
    """One group of one query: its keywords and their features.

    spans      the words that speak for each keyword most
    explained  these, and the single words that speak for it nearly as much
    """

    keywords: Ints
    features: Floats
    none: Floats
    spans: tuple[frozenset[int], ...]
    explained: tuple[frozenset[int], ...]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A keyword (by number), how likely it is meant, by which words, and what kind of evidence.

    `explained` are the words that are understood if it is meant.
    """

    keyword: int
    probability: float
    positions: tuple[int, ...]
    why: str
    explained: frozenset[int]


class KeywordEstimator:
    """Estimates for one vocabulary. What it needs of WordNet and the encoder is made when asked."""

    def __init__(
        self,
        vocabulary: Sequence[Keyword],
        encoder: VectorSource,
        *,
        covered: Set[str] = frozenset(),
        contrasts: dict[str, str] | None = None,
        weights: OddsWeights | None = None,
    ) -> None:
        """`covered`: groups that the synonym table knows; `contrasts`: words and contraries."""
        self._keywords = tuple(vocabulary)
        self._encoder = encoder
        self._covered = covered
        self._contrasts = contrasts or {}
        self._weights = weights
        names = list(dict.fromkeys(keyword.group for keyword in vocabulary))
        self._names = names
        self._groups: Ints = np.array([names.index(k.group) for k in vocabulary], np.int64)

    @cached_property
    def senses(self) -> KeywordSenses:
        """What the keywords mean in WordNet."""
        return find_keyword_senses(self._keywords)

    @cached_property
    def _vectors(self) -> KeywordVectors:
        return KeywordVectors(self._keywords, self.senses.synonyms, self._encoder, self._unrelated)

    @cached_property
    def _unrelated(self) -> NullDistribution:
        return load_unrelated(self._encoder)

    @cached_property
    def _contrary(self) -> list[tuple[int, frozenset[str]]]:
        """The keywords that have a word with a contrary, and those contraries."""
        found = []
        for number, keyword in enumerate(self._keywords):
            stems = {word.stem for word in split_words(keyword.name, {})}
            contrary = {self._contrasts[stem] for stem in stems & self._contrasts.keys()} - stems
            if contrary:
                found.append((number, frozenset(contrary)))
        return found

    @cached_property
    def _in_covered(self) -> Ints:
        return np.flatnonzero([keyword.group in self._covered for keyword in self._keywords])

    def prepare(self) -> None:
        """Look the keywords up and encode them, if that was not done."""
        if self._keywords and self._is_large:
            _ = self.senses
        elif self._keywords:
            _ = self._vectors

    @property
    def _is_large(self) -> bool:
        return len(self._keywords) > LARGE_VOCABULARY

    def estimate(self, queries: Sequence[OpenQuery]) -> list[list[Estimate]]:
        """For each query the keywords it may mean, the likeliest of a group first."""
        weights = self._weights or load_weights()
        return [
            [estimate for group in groups for estimate in _estimate_group(group, weights)]
            for groups in self.measure(queries)
        ]

    def measure(self, queries: Sequence[OpenQuery]) -> list[list[GroupEvidence]]:
        """The evidence in each query, group by group. The texts of all are encoded in one batch."""
        asked = [query if self._is_asked(query) else None for query in queries]
        spans = {text for query in asked if query for text in query.open.texts}
        whole = {text for query in asked if query for text in query.list_texts()}
        phrases = _encode(self._encoder.encode_phrases, sorted(spans))
        texts = _encode(self._encoder.encode, sorted(whole))
        return [
            [] if query is None else list(self._measure(query, phrases, texts)) for query in asked
        ]

    def _is_asked(self, query: OpenQuery) -> bool:
        """Whether a word is open that may say something."""
        content = query.open.content
        if query.groups <= self._covered:
            content = tuple(position for position in content if position not in query.neutral)
        return bool(content)

    def _measure(
        self, query: OpenQuery, phrases: Mapping[str, Vectors], texts: Mapping[str, Vectors]
    ) -> Iterator[GroupEvidence]:
        weighed, raw = self._collect(query, phrases, texts)
        if not len(weighed):
            return
        groups = self._groups[weighed]
        found = compute_features(raw, groups)
        words = [frozenset(span) for span in query.open.spans]
        explained = _find_explained(words, found)
        for number, name in enumerate(self._names):
            members = np.flatnonzero(groups == number)
            if name not in query.groups or not len(members):
                continue
            spans = tuple(
                words[best] if best >= 0 else frozenset() for best in found.best_span[members]
            )
            left, said = len(query.open.content), query.open.said
            none = describe_none(name in query.found, left, said, name in self._covered)
            own = tuple(
                explained[member] | self._find_parts_said(query, int(weighed[member]))
                if raw.parts[member] > LEAST_PART
                else explained[member]
                for member in members
            )
            yield GroupEvidence(weighed[members], found.values[members], none, spans, own)

    def _collect(
        self, query: OpenQuery, phrases: Mapping[str, Vectors], texts: Mapping[str, Vectors]
    ) -> tuple[Ints, RawEvidence]:
        """The keywords (by number) that are weighed, and the evidence for each."""
        count = len(self._keywords)
        spans = [[query.words[p] for p in span] for span in query.open.spans]
        related, kind = (
            np.array([relate(span, self.senses, count) for span in spans]).reshape(
                len(spans), count
            )
            for relate in (relate_words, relate_kinds)
        )
        open_words = [query.words[position] for position in query.open.content]
        parts = relate_parts(open_words, self.senses, count)
        weighed, vectors = self._choose_weighed(open_words, related)
        nearest = [phrases[text] for text in query.open.texts]
        whole = [texts[query.open.whole], texts[query.open.rest]]
        z = np.empty((len(spans) + 2, count))
        z[:, weighed] = vectors.compare(np.stack([*nearest, *whole]))
        grouped = np.empty((2, count))
        grouped[:, weighed] = vectors.compare_in_group(np.stack(whole))
        span_z = z[:-2]
        for row, span in enumerate(query.open.spans):
            for column in self._excluded(query, span):
                span_z[row, column] = _VETO
                related[row, column] = kind[row, column] = 0.0
        for number, (never, spared) in query.find_spared().items():
            parts[number] = 0.0
            z[-2:, number] = grouped[:, number] = _VETO
            if spared is not None and number in weighed:
                place = weighed.tolist().index(number)
                other = np.stack([texts[text] for text in spared])
                z[-2:, number] = vectors.compare(other)[:, place]
                grouped[:, number] = vectors.compare_in_group(other)[:, place]
                left = [query.words[p] for p in query.open.content if p not in never]
                parts[number] = relate_parts(left, self.senses, count)[number]
        return weighed, RawEvidence(
            span=span_z[:, weighed],
            related=related[:, weighed],
            kind=kind[:, weighed],
            parts=parts[weighed],
            whole=z[-2, weighed],
            whole_group=grouped[0, weighed],
            rest=z[-1, weighed],
            rest_group=grouped[1, weighed],
        )

    def _find_parts_said(self, query: OpenQuery, keyword: int) -> frozenset[int]:
        """The open words that say a word of a keyword of several words."""
        content = query.open.content
        return frozenset(p for p in content if says_part(query.words[p], keyword, self.senses))

    def _choose_weighed(
        self, words: Sequence[Word], related: Floats
    ) -> tuple[Ints, KeywordVectors]:
        """All keywords; of a large vocabulary those that WordNet or their words lead to."""
        if not self._is_large:
            return np.arange(len(self._keywords)), self._vectors
        chosen = find_candidates(words, related, self.senses, _MOST_CANDIDATES)
        keywords = [self._keywords[number] for number in chosen]
        synonyms = [self.senses.synonyms[number] for number in chosen]
        return chosen, KeywordVectors(keywords, synonyms, self._encoder, self._unrelated)

    def _excluded(self, query: OpenQuery, span: Sequence[int]) -> list[int]:
        """Keywords that a span cannot mean: it says the contrary, or nothing about them."""
        stems = {query.words[position].stem for position in span}
        excluded = [number for number, contrary in self._contrary if stems & contrary]
        excluded += [number for position, number in query.vetoes if position in span]
        if all(p in query.neutral for p in span if query.words[p].has_content):
            excluded += self._in_covered.tolist()
        return excluded


def _encode(encode: Callable[[Sequence[str]], Vectors], texts: list[str]) -> dict[str, Vectors]:
    return dict(zip(texts, encode(texts), strict=True)) if texts else {}


def _find_explained(
    spans: Sequence[frozenset[int]], found: KeywordFeatures
) -> list[frozenset[int]]:
    """For each keyword its best span, and whatever single word says nearly as much by itself."""
    explained = []
    single = np.array([len(span) == 1 for span in spans], bool)
    for keyword, best in enumerate(found.best_span.tolist()):
        if best < 0:
            explained.append(frozenset[int]())
            continue
        strength = found.strength[:, keyword]
        least = max(_SPEAKS, _NEARLY * strength[best])
        also = [spans[row] for row in np.flatnonzero(single & (strength >= least)).tolist()]
        explained.append(spans[best].union(*also))
    return explained


def _estimate_group(group: GroupEvidence, weights: OddsWeights) -> list[Estimate]:
    odds = compute_odds(group.features, group.none, weights)
    order = np.argsort(-odds, kind="stable")
    return [
        Estimate(
            int(group.keywords[place]),
            float(odds[place]),
            tuple(sorted(group.spans[place])),
            _why(group.features[place]),
            group.explained[place],
        )
        for place in order.tolist()
        if group.spans[place]
    ]


def _why(features: Floats) -> str:
    wordnet, _, parts = features[:3]
    if wordnet > 0:
        return "wordnet"
    return "partial" if parts > 0 else "similar"
