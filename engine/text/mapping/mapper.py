"""Text → keywords of a vocabulary, each with the words it comes from, a score and a reason.

Words are read first: a keyword that stands in the query ("exact") or is said by a phrase of the
synonym table ("synonym"). What words remain unexplained are KeyBERT's candidate n-grams of one to
three words, compared as sentence embeddings with the vocabulary ("similar"). Every word speaks
for one keyword at most, and what the query denies is not mapped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from engine.base.keyword import Keyword
from engine.text import MAPPER_THRESHOLD
from engine.text.mapping.choice import choose
from engine.text.mapping.denials import is_denial
from engine.text.mapping.evidence import Evidence, misreads, read_evidence
from engine.text.mapping.lexicon import compile_lexicon
from engine.text.mapping.query_words import Word, split_words

SINGLE_WORD_MARGIN = 0.1
"""How much nearer an n-gram must be that has one word of content only. At 0.65 + 0.1, 31 % of the
single-word synonyms left out are found and 94 % of what is found is right (at 0.65: 47 %, 90 %).
Of 11,196 whole words of the model's vocabulary that the table did not know, 48 were taken for a
keyword (at 0.65: 260), before the worst of them became neutral words."""

NEAR_FLOOR = 0.45
"""Below this a keyword has nothing to do with the words and is not even a near miss."""

_MOST_NEAR = 5


class CandidateEncoder(Protocol):
    """What the mapper asks of an encoder: vectors of texts, and KeyBERT's n-grams of texts."""

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]: ...

    def candidates(
        self, texts: Iterable[str], longest: int
    ) -> dict[str, npt.NDArray[np.float32]]: ...


@dataclass(frozen=True, slots=True)
class MappedKeyword:
    """A keyword and why it was found. `span` are offsets in the query as it was typed."""

    keyword: Keyword
    score: float
    ngram: str
    span: tuple[int, int]
    why: str


@dataclass(frozen=True, slots=True)
class KeywordMapping:
    """What a query says in the terms of the vocabulary, and what it nearly said.

    `outside` are keywords that the query names though their groups were not chosen.
    """

    query: str
    keywords: tuple[MappedKeyword, ...]
    near: tuple[MappedKeyword, ...]
    outside: tuple[MappedKeyword, ...] = ()


@dataclass(slots=True)
class _Reading:
    """One query on its way through the stages."""

    query: str
    words: list[Word]
    chosen_numbers: set[int]
    picked: list[Evidence] = field(default_factory=list)
    outside: list[Evidence] = field(default_factory=list)
    open_runs: list[list[int]] = field(default_factory=list)
    near: list[Evidence] = field(default_factory=list)


class Mapper:
    """Maps queries onto one vocabulary. The encoder is asked only about unexplained words."""

    def __init__(
        self,
        vocabulary: Sequence[Keyword],
        encoder: CandidateEncoder,
        *,
        threshold: float = MAPPER_THRESHOLD,
        synonyms: dict[str, list[str]] | None = None,
    ) -> None:
        self.vocabulary = tuple(vocabulary)
        self.threshold = threshold
        self._encoder = encoder
        self._lexicon = compile_lexicon([keyword.name for keyword in vocabulary], synonyms)
        self._prototypes: npt.NDArray[np.float32] | None = None

    def map(self, query: str, groups: Sequence[str] | None = None) -> KeywordMapping:
        return self.map_batch([query], [groups])[0]

    def map_batch(
        self, queries: Sequence[str], groups: Sequence[Sequence[str] | None] | None = None
    ) -> list[KeywordMapping]:
        """Map many queries; all their unexplained words are encoded in one batch."""
        chosen = groups if groups is not None else [None] * len(queries)
        readings = [self._read(q, g) for q, g in zip(queries, chosen, strict=True)]
        texts = [_text(reading, run) for reading in readings for run in reading.open_runs]
        if texts and self._lexicon.prototypes:
            vectors = self._encoder.candidates(texts, LONGEST_NGRAM)
            for reading in readings:
                self._compare(reading, vectors)
        return [self._report(reading) for reading in readings]

    def _read(self, query: str, groups: Sequence[str] | None) -> _Reading:
        words = split_words(query, self._lexicon.spelling)
        numbers = {
            number
            for number, keyword in enumerate(self.vocabulary)
            if groups is None or keyword.group in groups
        }
        reading = _Reading(query, words, numbers)
        read = read_evidence(words, self._lexicon)
        reading.picked = self._choose(read.evidence, words, numbers.__contains__)
        claimed = {position for evidence in reading.picked for position in evidence.positions}
        others = [e for e in read.evidence if claimed.isdisjoint(e.positions)]
        reading.outside = self._choose(others, words, lambda number: number not in numbers)
        # Words that name something of a group that was not chosen are explained as well.
        reading.open_runs = find_open_runs(words, read.understood, self._lexicon.neutral)
        return reading

    def _choose(
        self, found: Iterable[Evidence], words: Sequence[Word], admits: Callable[[int], bool]
    ) -> list[Evidence]:
        admitted = [evidence for evidence in found if admits(evidence.keyword)]
        return choose(admitted, words, self._group_of, self._lexicon.contrasts)

    def _group_of(self, number: int) -> str:
        return self.vocabulary[number].group

    def _compare(self, reading: _Reading, vectors: dict[str, npt.NDArray[np.float32]]) -> None:
        taken = {evidence.keyword for evidence in reading.picked}
        similar = [
            evidence
            for run in reading.open_runs
            for evidence in self._similar(reading, run, vectors)
            if evidence.keyword not in taken
        ]
        strong = [e for e in similar if e.score >= self._needed(reading, e.positions)]
        picked = self._choose(strong, reading.words, reading.chosen_numbers.__contains__)
        reading.picked += picked
        taken |= {evidence.keyword for evidence in picked}
        reading.near = [evidence for evidence in similar if evidence.keyword not in taken]

    def _needed(self, reading: _Reading, positions: Sequence[int]) -> float:
        content = sum(has_content(reading.words[p], self._lexicon.neutral) for p in positions)
        return self.threshold if content > 1 else min(self.threshold + SINGLE_WORD_MARGIN, 1.0)

    def _similar(
        self, reading: _Reading, run: list[int], vectors: dict[str, npt.NDArray[np.float32]]
    ) -> Iterable[Evidence]:
        """For each candidate n-gram of a run of open words, its most similar keyword."""
        prototypes = self._prototype_vectors()
        for positions in find_ngram_positions(run, reading.words, self._lexicon.neutral):
            ngram = [reading.words[position] for position in positions]
            vector = _unit(vectors[" ".join(word.form for word in ngram)])
            scores = prototypes @ vector
            best = self._best_keyword(scores, ngram, reading.chosen_numbers)
            if best is not None and best[1] >= NEAR_FLOOR:
                yield Evidence(best[0], positions, best[1], "similar")

    def _best_keyword(
        self, scores: npt.NDArray[np.float32], ngram: Sequence[Word], numbers: set[int]
    ) -> tuple[int, float] | None:
        for index in np.argsort(-scores, kind="stable"):
            phrase, number = self._lexicon.prototypes[index]
            if misreads(ngram, phrase, self._lexicon):
                continue
            # The best keyword of all counts: if it is of no chosen group, nothing is meant here.
            return (number, float(scores[index])) if number in numbers else None
        return None

    def _prototype_vectors(self) -> npt.NDArray[np.float32]:
        if self._prototypes is None:
            texts = [phrase for phrase, _ in self._lexicon.prototypes]
            self._prototypes = _unit(self._encoder.encode(texts))
        return self._prototypes

    def _report(self, reading: _Reading) -> KeywordMapping:
        near = sorted(_best_per_keyword(reading.near), key=lambda e: -e.score)[:_MOST_NEAR]
        return KeywordMapping(
            query=reading.query,
            keywords=self._mapped(reading, _in_order(reading.picked)),
            near=self._mapped(reading, near),
            outside=self._mapped(reading, _in_order(reading.outside)),
        )

    def _mapped(self, reading: _Reading, found: Iterable[Evidence]) -> tuple[MappedKeyword, ...]:
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


def _span(reading: _Reading, evidence: Evidence) -> tuple[int, int]:
    first, last = evidence.positions[0], evidence.positions[-1]
    return reading.words[first].start, reading.words[last].end


def _in_order(found: Iterable[Evidence]) -> list[Evidence]:
    return sorted(_best_per_keyword(found), key=lambda evidence: evidence.positions)


def _text(reading: _Reading, run: Sequence[int]) -> str:
    return " ".join(reading.words[position].form for position in run)


def _best_per_keyword(found: Iterable[Evidence]) -> list[Evidence]:
    best: dict[int, Evidence] = {}
    for evidence in found:
        if evidence.keyword not in best or best[evidence.keyword].score < evidence.score:
            best[evidence.keyword] = evidence
    return list(best.values())


def _unit(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    unit: npt.NDArray[np.float32] = vectors / np.maximum(norms, 1e-12)
    return unit


LONGEST_NGRAM = 3
_DENIAL_REACH = 4


def find_open_runs(
    words: Sequence[Word], explained: set[int], neutral: frozenset[str]
) -> list[list[int]]:
    """Stretches of neighbouring words that nothing explains yet and that hold a word of content."""
    denied = _denied(words)
    runs: list[list[int]] = []
    previous = None
    for position, word in enumerate(words):
        if position in explained or position in denied or word.skippable:
            if not word.skippable:
                previous = None
            continue
        joins = previous is not None and words[previous].clause == word.clause
        if joins and not word.after_comma:
            runs[-1].append(position)
        else:
            runs.append([position])
        previous = position
    return [run for run in runs if any(has_content(words[p], neutral) for p in run)]


def _denied(words: Sequence[Word]) -> set[int]:
    return {
        position
        for cue, word in enumerate(words)
        if is_denial(word)
        for position in range(cue, min(cue + _DENIAL_REACH, len(words)))
        if words[position].clause == word.clause
    }


def has_content(word: Word, neutral: frozenset[str]) -> bool:
    return not word.is_stop_word and word.stem not in neutral


def find_ngram_positions(
    run: Sequence[int], words: Sequence[Word], neutral: frozenset[str]
) -> Iterable[tuple[int, ...]]:
    for size in range(1, LONGEST_NGRAM + 1):
        for start in range(len(run) - size + 1):
            positions = tuple(run[start : start + size])
            edges = words[positions[0]], words[positions[-1]]
            content = any(has_content(words[position], neutral) for position in positions)
            if content and not any(edge.is_stop_word for edge in edges):
                yield positions
