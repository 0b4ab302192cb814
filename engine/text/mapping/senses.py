"""What the keywords of a vocabulary mean in WordNet, and what leads there from a query's words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Floats
from engine.base.keyword import Keyword
from engine.text.mapping.query_words import STOP_WORDS, Word, split_words
from engine.text.wordnet.lemmas import find_senses
from engine.text.wordnet.paths import find_company, find_kinds, walk_up
from engine.text.wordnet.table import Synset, load_wordnet

DECAY = 0.85
"""What a step up, or two places in the order of a word's senses, leaves of the evidence."""

LARGE_VOCABULARY = 1_000
"""Keywords beyond which each is looked up without its company, and only those are weighed for a
query that WordNet or their own words lead to: to encode 20,000 names takes a minute or more."""

LEAST_PART = 0.3
"""How surely a word of a keyword must be said to count at all."""

MOST_SYNONYMS = 2
"""Synonyms of a keyword that are encoded beside its name."""

_KIND = 0.9  # what a step up leaves where a noun is a kind of something
_COMPANY = 0.7  # what a step to a common kind leaves of two senses' likeness
_COMMONEST = 0.7  # what the first of a word's senses has in its favour
_LEAST_LIKELY = 0.5  # senses less likely than so, compared with the best, are not meant


@dataclass(frozen=True, slots=True)
class KeywordSenses:
    """For a vocabulary: where in WordNet its keywords are, and where their single words are.

    index      the keywords that a synset stands for, and how surely
    part_index the words of keywords of several words that a synset stands for
    part_stems the same words by their stem
    starts     where each such keyword's words begin among all of them
    several    the keywords (by number) that have several words
    synonyms   of each keyword, nearest first
    """

    index: dict[Synset, list[tuple[int, float]]]
    part_index: dict[Synset, list[tuple[int, float]]]
    part_stems: dict[str, list[int]]
    starts: npt.NDArray[np.int64]
    several: npt.NDArray[np.int64]
    synonyms: list[list[str]]
    parts: int


def find_keyword_senses(keywords: Sequence[Keyword]) -> KeywordSenses:
    """Look the keywords up; of a word's senses those count that suit its group's other keywords."""
    forms = [_forms(keyword.name) for keyword in keywords]
    meant = _choose_senses([keyword.group for keyword in keywords], forms)
    index: dict[Synset, list[tuple[int, float]]] = {}
    for number, senses in enumerate(meant):
        for synset, weight in senses.items():
            index.setdefault(synset, []).append((number, weight))
    part_index: dict[Synset, list[tuple[int, float]]] = {}
    part_stems: dict[str, list[int]] = {}
    starts, several, parts = [], [], 0
    for number, keyword in enumerate(keywords):
        content = [w for w in split_words(keyword.name, {}) if w.form not in STOP_WORDS]
        if len(content) < 2:
            continue
        several.append(number)
        starts.append(parts)
        for word in content:
            part_stems.setdefault(word.stem, []).append(parts)
            for synset, rank in find_senses([word.form]).items():
                part_index.setdefault(synset, []).append((parts, DECAY ** (rank / 2)))
            parts += 1
    return KeywordSenses(
        index=index,
        part_index=part_index,
        part_stems=part_stems,
        starts=np.array(starts, np.int64),
        several=np.array(several, np.int64),
        synonyms=[_synonyms(k.name, s) for k, s in zip(keywords, meant, strict=True)],
        parts=parts,
    )


def _forms(name: str) -> tuple[str, ...]:
    return tuple(word.form for word in split_words(name, {}))


def _choose_senses(
    groups: Sequence[str], forms: Sequence[tuple[str, ...]]
) -> list[dict[Synset, float]]:
    """Senses by how near they are to those of the group's other keywords: "hare" is no verb there.

    A sense's likeness to its group is the sum over the other keywords, through the kind that they
    have in common; computed for all at once from what each kind gathers.
    """
    ranks = [_keyword_senses(form) for form in forms]
    if len(groups) > LARGE_VOCABULARY:  # to compare all of them would take half a minute
        return [{s: 0.8**rank for s, rank in senses.items()} for senses in ranks]
    own = [_reach(senses) for senses in ranks]
    gathered: dict[tuple[str, Synset], float] = {}
    members: dict[str, int] = {}
    for group, reached in zip(groups, own, strict=True):
        members[group] = members.get(group, 0) + 1
        for synset, near in reached.items():
            gathered[group, synset] = gathered.get((group, synset), 0.0) + near
    chosen = []
    for group, senses, reached in zip(groups, ranks, own, strict=True):
        others = max(1, members[group] - 1)
        scores = {
            synset: _likeness(synset, group, reached, gathered) / others + _COMMONEST * 0.8**rank
            for synset, rank in senses.items()
        }
        best = max(scores.values(), default=0.0)
        chosen.append(
            {s: score / best for s, score in scores.items() if score > _LEAST_LIKELY * best}
        )
    return chosen


def _keyword_senses(forms: tuple[str, ...]) -> dict[Synset, float]:
    """The senses of a keyword's words together, also where a hyphen joins them."""
    if not forms:
        return {}
    senses = find_senses(forms)
    if len(forms) > 1:
        for spelling in ("-".join(forms), "".join(forms)):
            for synset, rank in find_senses([spelling]).items():
                senses.setdefault(synset, rank)
    return senses


def _reach(senses: dict[Synset, float]) -> dict[Synset, float]:
    reached: dict[Synset, float] = {}
    for synset in senses:
        for kind, distance in find_company(synset).items():
            reached[kind] = max(reached.get(kind, 0.0), _COMPANY**distance)
    return reached


def _likeness(
    synset: Synset,
    group: str,
    own: dict[Synset, float],
    gathered: dict[tuple[str, Synset], float],
) -> float:
    return max(
        float(_COMPANY**distance) * (gathered[group, kind] - own[kind])
        for kind, distance in find_company(synset).items()
    )


def _synonyms(name: str, senses: dict[Synset, float]) -> list[str]:
    weights: dict[str, float] = {}
    for synset, weight in senses.items():
        for member in load_wordnet().members(synset):
            weights[member] = weights.get(member, 0.0) + weight
    weights.pop(" ".join(_forms(name)), None)
    weights.pop(name, None)
    return sorted(weights, key=lambda member: -weights[member])[:MOST_SYNONYMS]


@lru_cache(maxsize=5_000)
def _leads_to(forms: tuple[str, ...]) -> dict[Synset, float]:
    """What words may mean, be a kind of or have to do with, and how surely."""
    reached: dict[Synset, float] = {}
    for synset, rank in find_senses(forms).items():
        for other, distance in walk_up(synset).items():
            weight = DECAY ** (distance + rank / 2)
            if weight > reached.get(other, 0.0):
                reached[other] = weight
    return reached


@lru_cache(maxsize=5_000)
def _kinds_of(forms: tuple[str, ...]) -> dict[Synset, float]:
    """What a noun is a kind of in the commonest of its senses, and how surely."""
    found: dict[Synset, float] = {}
    for synset, rank in find_senses(forms).items():
        if rank < 1 and load_wordnet().part(synset) == "n":
            for other, steps in find_kinds(synset).items():
                found[other] = max(found.get(other, 0.0), _KIND**steps)
    return found


def relate_kinds(words: Sequence[Word], senses: KeywordSenses, keywords: int) -> Floats:
    """How surely words that stand together name a kind of what each keyword names: 0 to 1."""
    return _relate([tuple(word.form for word in words)], _kinds_of, senses, keywords)


def relate_words(words: Sequence[Word], senses: KeywordSenses, keywords: int) -> Floats:
    """How surely words that stand together mean each keyword, by WordNet: 0 to 1."""
    forms = [tuple(word.form for word in words)]
    if len(words) > 1:
        forms += [("-".join(forms[0]),), ("".join(forms[0]),)]
    return _relate(forms, _leads_to, senses, keywords)


def _relate(
    spellings: Sequence[tuple[str, ...]],
    reach: Callable[[tuple[str, ...]], dict[Synset, float]],
    senses: KeywordSenses,
    keywords: int,
) -> Floats:
    related = np.zeros(keywords)
    for spelling in spellings:
        reached = reach(spelling)
        for synset in reached.keys() & senses.index.keys():
            for number, weight in senses.index[synset]:
                related[number] = max(related[number], reached[synset] * weight)
    return related


def relate_parts(words: Sequence[Word], senses: KeywordSenses, keywords: int) -> Floats:
    """Of keywords of several words, how surely each of their words is said: the least of them."""
    return _gather_parts(words, senses, keywords, np.minimum)


def find_candidates(
    words: Sequence[Word], related: Floats, senses: KeywordSenses, most: int
) -> npt.NDArray[np.int64]:
    """The keywords of a large vocabulary that words may mean: related, or with a part in common."""
    partly = _gather_parts(words, senses, related.shape[1], np.add)
    likely = related.max(axis=0, initial=0.0) + 0.5 * partly
    best = np.argsort(-likely, kind="stable")[:most]
    return np.sort(best[likely[best] > 0])


def _gather_parts(
    words: Sequence[Word], senses: KeywordSenses, keywords: int, gather: np.ufunc
) -> Floats:
    said = np.zeros(senses.parts)
    for word in words:
        np.maximum(said, _say_parts(word, senses), out=said)
    gathered = np.zeros(keywords)
    if len(senses.several):
        gathered[senses.several] = gather.reduceat(said, senses.starts)
    return gathered


def says_part(word: Word, keyword: int, senses: KeywordSenses) -> bool:
    """Whether a word says one of the words of a keyword of several words."""
    places = np.flatnonzero(senses.several == keyword)
    if not len(places):
        return False
    ends = [*senses.starts[1:].tolist(), senses.parts]
    first, end = int(senses.starts[places[0]]), ends[places[0]]
    return bool(_say_parts(word, senses)[first:end].max() >= LEAST_PART)


def _say_parts(word: Word, senses: KeywordSenses) -> Floats:
    """How surely a word says each of the words of the keywords of several words."""
    said = np.zeros(senses.parts)
    said[senses.part_stems.get(word.stem, [])] = 1.0
    reached = _leads_to((word.form,))
    for synset in reached.keys() & senses.part_index.keys():
        for part, weight in senses.part_index[synset]:
            said[part] = max(said[part], reached[synset] * weight)
    return said
