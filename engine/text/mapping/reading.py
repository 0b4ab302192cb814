"""A query as phrases read it: what is found, what lies in other groups, and what is open."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass

from engine.base.keyword import Keyword
from engine.text.mapping.choice import choose
from engine.text.mapping.entries import EntriesAround, find_entries_around
from engine.text.mapping.evidence import Evidence, read_evidence
from engine.text.mapping.lexicon import Lexicon
from engine.text.mapping.open_query import OpenQuery
from engine.text.mapping.open_words import find_open_words
from engine.text.mapping.query_words import Word, split_words
from engine.text.mapping.senses import KeywordSenses


@dataclass(frozen=True, slots=True)
class Interpretation:
    """What phrases say: keywords of the chosen groups, keywords of others, and the open rest.

    `denied` and `beside` are positions of words; those `beside` belong together with
    the words of a keyword that was found, as in "timber wolf".
    """

    query: str
    words: list[Word]
    groups: Set[str]
    picked: list[Evidence]
    outside: list[Evidence]
    denied: Set[int]
    beside: Set[int]
    open: OpenQuery


class Reader:
    """Reads queries by the phrases of one vocabulary."""

    def __init__(
        self,
        vocabulary: Sequence[Keyword],
        lexicon: Lexicon,
        covered: Set[str],
        senses: Callable[[], KeywordSenses],
    ) -> None:
        self._vocabulary = tuple(vocabulary)
        self._lexicon = lexicon
        self._covered = covered
        self._senses = senses
        self._every_group = frozenset(keyword.group for keyword in vocabulary)

    def read(self, query: str, groups: Sequence[str] | None) -> Interpretation:
        lexicon = self._lexicon
        words = split_words(query, lexicon.spelling)
        chosen = self._every_group if groups is None else frozenset(groups)
        read = read_evidence(words, lexicon)
        certain: list[Evidence] = []
        doubted: set[int] = set()
        entries: dict[int, set[int]] = {}
        for evidence in read.evidence:
            around = self._find_entries(evidence, words)
            if around.unrelated:  # the words belong together with others and say something else
                doubted.update(evidence.positions)
            else:
                certain.append(evidence)
                entries.setdefault(evidence.keyword, set()).update(around.related)
        picked = self._choose(certain, words, lambda group: group in chosen)
        claimed = {position for evidence in picked for position in evidence.positions}
        others = [e for e in certain if claimed.isdisjoint(e.positions)]
        outside = self._choose(others, words, lambda group: group not in chosen)
        # Words that name something of a group that was not chosen are explained as well.
        explained = frozenset(read.understood) - (doubted - claimed)
        beside = {p for e in (*picked, *outside) for p in entries.get(e.keyword, ())}
        explained |= beside
        return Interpretation(
            query=query,
            words=words,
            groups=chosen,
            picked=picked,
            outside=outside,
            denied=read.denied,
            beside=beside,
            open=OpenQuery(
                words=words,
                open=find_open_words(words, explained, read.denied),
                groups=chosen,
                found={self._group_of(evidence.keyword) for evidence in picked},
                neutral={p for p, word in enumerate(words) if word.stem in lexicon.neutral},
                vetoes=read.vetoes,
            ),
        )

    def _choose(
        self, found: Iterable[Evidence], words: Sequence[Word], admits: Callable[[str], bool]
    ) -> list[Evidence]:
        admitted = [evidence for evidence in found if admits(self._group_of(evidence.keyword))]
        chosen = choose(admitted, words, self._group_of, self._lexicon.contrasts)
        # A name that several groups have is said of each of them.
        said = {(self._vocabulary[e.keyword].name, e.positions) for e in chosen}
        taken = {evidence.keyword for evidence in chosen}
        twins = {
            evidence.keyword: evidence
            for evidence in admitted
            if evidence.keyword not in taken
            and (self._vocabulary[evidence.keyword].name, evidence.positions) in said
        }
        return [*chosen, *twins.values()]

    def _find_entries(self, evidence: Evidence, words: Sequence[Word]) -> EntriesAround:
        """What stands around a keyword's own words, where the synonym table does not know it."""
        if evidence.why != "exact" or self._group_of(evidence.keyword) in self._covered:
            return EntriesAround(frozenset(), unrelated=False)
        count = len(self._vocabulary)
        return find_entries_around(
            words, evidence.positions, evidence.keyword, self._senses(), count
        )

    def _group_of(self, number: int) -> str:
        return self._vocabulary[number].group
