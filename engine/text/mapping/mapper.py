"""Text → keywords of a vocabulary, each with the words it comes from, a probability and a reason.

Words are read first: a keyword that stands in the query ("exact") or is said by a phrase of the
synonym table or the dataset ("synonym"). What words remain are weighed: what WordNet says of them
("wordnet"), whether a part of the keyword stands there ("partial"), how near their vectors come
("similar"). Every word speaks for one keyword at most, and what the query denies is not mapped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from copy import copy
from dataclasses import dataclass, field

from engine.base.keyword import Keyword
from engine.text import MAPPER_THRESHOLD
from engine.text.mapping.estimator import Estimate, GroupEvidence, KeywordEstimator
from engine.text.mapping.evidence import Evidence
from engine.text.mapping.lexicon import Lexicon, compile_lexicon
from engine.text.mapping.likeness import VectorSource
from engine.text.mapping.odds import OddsWeights
from engine.text.mapping.query_words import find_pictures, split_words
from engine.text.mapping.reading import Interpretation, Reader
from engine.text.mapping.set_aside import WordsSetAside, find_set_aside
from engine.text.mapping.table import find_concepts

NEAR_FLOOR = 0.1
"""Below this a keyword has nothing to do with the words and is not even a near miss."""

LEAST_LIKELY = 0.01
"""Below this nobody would take a keyword, whatever the threshold."""

_MOST_NEAR = 5


@dataclass(frozen=True, slots=True)
class MappedKeyword:
    """A keyword and why it was found. `span` are offsets in the query as it was typed.

    `score` is the probability that the query means it.
    """

    keyword: Keyword
    score: float
    ngram: str
    span: tuple[int, int]
    why: str


@dataclass(frozen=True, slots=True)
class KeywordMapping:
    """What a query says in the terms of the vocabulary, what it nearly said, and what not.

    `outside` are keywords that the query names though their groups were not chosen. `unexplained`
    are its words of content that no keyword explains, as they were typed, in order; `set_aside` is
    what it denies, and what never means a keyword.
    """

    query: str
    keywords: tuple[MappedKeyword, ...]
    near: tuple[MappedKeyword, ...]
    outside: tuple[MappedKeyword, ...] = ()
    unexplained: tuple[str, ...] = ()
    set_aside: WordsSetAside = field(default_factory=WordsSetAside)
    rejected: tuple[tuple[Keyword, float], ...] = ()


class Mapper:
    """Maps queries onto one vocabulary. The encoder is asked only about unexplained words."""

    def __init__(
        self,
        vocabulary: Sequence[Keyword],
        encoder: VectorSource,
        *,
        threshold: float = MAPPER_THRESHOLD,
        synonyms: dict[str, list[str]] | None = None,
        never_means: dict[str, list[str]] | None = None,
        weights: OddsWeights | None = None,
    ) -> None:
        self.vocabulary = tuple(vocabulary)
        self.threshold = threshold
        self._covered = find_covered_groups(self.vocabulary)
        self._phrases = synonyms or {}, never_means or {}
        lexicon = self._compile()
        self._estimator = KeywordEstimator(
            self.vocabulary,
            encoder,
            covered=self._covered,
            contrasts=dict(lexicon.contrasts),
            weights=weights,
        )
        self._reader = self._make_reader(lexicon)

    def _compile(self) -> Lexicon:
        names = [keyword.name for keyword in self.vocabulary]
        return compile_lexicon(names, *self._phrases, compounds=bool(self._covered))

    def _make_reader(self, lexicon: Lexicon) -> Reader:
        return Reader(self.vocabulary, lexicon, self._covered, lambda: self._estimator.senses)

    def with_phrases(
        self, synonyms: Mapping[str, Sequence[str]], never_means: Mapping[str, Sequence[str]]
    ) -> Mapper:
        """A mapper that knows these phrases as well; what it has encoded is shared."""
        own, never = self._phrases
        other = copy(self)
        other._phrases = _join_phrases(own, synonyms), _join_phrases(never, never_means)
        other._reader = other._make_reader(other._compile())
        return other

    def prepare(self) -> None:
        """Encode the keywords now, so that the first query need not wait for it."""
        self._estimator.prepare()

    def map(self, query: str, groups: Sequence[str] | None = None) -> KeywordMapping:
        return self.map_batch([query], [groups])[0]

    def map_batch(
        self, queries: Sequence[str], groups: Sequence[Sequence[str] | None] | None = None
    ) -> list[KeywordMapping]:
        """Map many queries; all their unexplained words are encoded in one batch."""
        chosen = groups if groups is not None else [None] * len(queries)
        return [self.report(*pair) for pair in self.read(queries, chosen)]

    def read(
        self, queries: Sequence[str], groups: Sequence[Sequence[str] | None]
    ) -> list[tuple[Interpretation, list[Estimate]]]:
        """How phrases read each query, and what the open rest may mean, however unlikely."""
        readings = [self._reader.read(q, g) for q, g in zip(queries, groups, strict=True)]
        estimates = self._estimator.estimate([reading.open for reading in readings])
        return list(zip(readings, estimates, strict=True))

    def measure(
        self, queries: Sequence[str], groups: Sequence[Sequence[str] | None]
    ) -> list[list[tuple[GroupEvidence, set[int]]]]:
        """The evidence in what is open of each query, and the keywords that phrases have found."""
        readings = [self._reader.read(q, g) for q, g in zip(queries, groups, strict=True)]
        measured = self._estimator.measure([reading.open for reading in readings])
        return [
            [(evidence, {e.keyword for e in reading.picked}) for evidence in groups_]
            for reading, groups_ in zip(readings, measured, strict=True)
        ]

    def report(self, reading: Interpretation, estimates: Sequence[Estimate]) -> KeywordMapping:
        """What counts of all this, what nearly does, and what is left."""
        weighed = [Evidence(e.keyword, e.positions, e.probability, e.why) for e in estimates]
        taken = {evidence.keyword for evidence in reading.picked}
        new = [evidence for evidence in weighed if evidence.keyword not in taken]
        found = [*reading.picked, *new]
        picked = [evidence for evidence in found if evidence.score >= self.threshold]
        names = {evidence.keyword for evidence in picked}
        explained = {p for e in (*picked, *reading.outside) for p in e.positions} | reading.beside
        explained.update(p for e in estimates if e.keyword in names - taken for p in e.explained)
        others = _best_per_keyword(e for e in found if e.keyword not in names)
        others.sort(key=lambda evidence: -evidence.score)
        near = [e for e in others if e.score >= NEAR_FLOOR][:_MOST_NEAR]
        return KeywordMapping(
            query=reading.query,
            keywords=self._mapped(reading, _in_order(picked)),
            near=self._mapped(reading, near),
            outside=self._mapped(reading, _in_order(reading.outside)),
            unexplained=find_unexplained(
                reading, explained, self._stems_of(picked, reading.outside)
            ),
            set_aside=find_set_aside(reading, self.vocabulary),
            rejected=tuple(
                (self.vocabulary[e.keyword], round(e.score, 4))
                for e in others
                if e.score >= LEAST_LIKELY
            ),
        )

    def _stems_of(self, *found: Iterable[Evidence]) -> set[str]:
        names = (self.vocabulary[e.keyword].name for part in found for e in part)
        return {word.stem for name in names for word in split_words(name, {})}

    def _mapped(
        self, reading: Interpretation, found: Iterable[Evidence]
    ) -> tuple[MappedKeyword, ...]:
        return tuple(
            MappedKeyword(
                keyword=self.vocabulary[evidence.keyword],
                score=round(evidence.score, 4),
                ngram=reading.query[slice(*_span(reading, evidence))],
                span=_span(reading, evidence),
                why=evidence.why,
            )
            for evidence in found
        )


def _join_phrases(
    own: Mapping[str, Sequence[str]], more: Mapping[str, Sequence[str]]
) -> dict[str, list[str]]:
    names = dict.fromkeys((*own, *more))
    return {name: [*own.get(name, ()), *more.get(name, ())] for name in names}


def find_covered_groups(vocabulary: Sequence[Keyword]) -> frozenset[str]:
    """The groups of which the synonym table knows at least half the keywords.

    None if it does not know half of the vocabulary: then the field is another, and what the table
    says of "night" or "rain" is true there too, but not all that can be said.
    """
    known: dict[str, list[bool]] = {}
    for keyword in vocabulary:
        known.setdefault(keyword.group, []).append(bool(find_concepts(keyword.name)))
    if 2 * sum(map(sum, known.values())) < len(vocabulary):
        return frozenset()
    return frozenset(group for group, knows in known.items() if 2 * sum(knows) >= len(knows))


def find_unexplained(
    reading: Interpretation, explained: Set[int], stems: Set[str]
) -> tuple[str, ...]:
    """What of a query is neither explained nor denied, nor in the name of a keyword that was found.

    Signs that are no words, such as an emoji, are not understood either.
    """
    places = [
        (word.start, word.end)
        for position, word in enumerate(reading.words)
        if word.has_content
        and position not in explained
        and position not in reading.denied
        and word.stem not in stems
    ]
    places += find_pictures(reading.query)
    return tuple(reading.query[start:end] for start, end in sorted(set(places)))


def _span(reading: Interpretation, evidence: Evidence) -> tuple[int, int]:
    first, last = evidence.positions[0], evidence.positions[-1]
    return reading.words[first].start, reading.words[last].end


def _in_order(found: Iterable[Evidence]) -> list[Evidence]:
    return sorted(_best_per_keyword(found), key=lambda evidence: evidence.positions)


def _best_per_keyword(found: Iterable[Evidence]) -> list[Evidence]:
    best: dict[int, Evidence] = {}
    for evidence in found:
        if evidence.keyword not in best or best[evidence.keyword].score < evidence.score:
            best[evidence.keyword] = evidence
    return list(best.values())
