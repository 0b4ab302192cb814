"""WordNet in one file of arrays, memory-mapped: words → senses (synsets) → what they are.

lemmas, lemma_lengths     all words and phrases ("ice_hockey"), sorted by their bytes, in one row
senses, sense_counts      for each lemma its synsets; within a part of speech the commonest first
members, member_counts    for each synset its lemmas
relations, relation_counts  for each synset what it leads to: the target × 16 + the relation
parts                     where nouns, verbs, adjectives and adverbs end among the synsets
irregular                 "form lemma" lines: inflections that no rule finds, as "wolves wolf"

`python -m training.wordnet_table` makes it. WordNet's licence lies beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.files.array_file import ArrayFile

TABLE = Path(__file__).with_name("wordnet.safetensors")
PARTS = "nvar"

Synset = int


class Relation(IntEnum):
    """How a synset leads to another."""

    KIND_OF = 0
    LIKE = 1
    DERIVED = 2
    PERTAINS = 3
    TOPIC = 4
    PART_OF = 5
    VERB_GROUP = 6
    ENTAILS = 7
    CAUSES = 8
    ATTRIBUTE = 9
    SEE_ALSO = 10


_RELATIONS = tuple(Relation)
_Starts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows of different lengths, one after the other."""

    values: npt.NDArray[np.uint32]
    starts: _Starts

    def __getitem__(self, row: int) -> list[int]:
        values: list[int] = self.values[self.starts[row] : self.starts[row + 1]].tolist()
        return values


class WordNet:
    """Look-ups in the table; nothing of it is copied but where rows begin."""

    def __init__(self, path: Path = TABLE) -> None:
        self._file = ArrayFile(path)
        self._lemmas = self._file["lemmas"].data
        self._lemma_starts = _starts(self._file["lemma_lengths"])
        self._senses = self._rows("senses", "sense_counts")
        self._relations = self._rows("relations", "relation_counts")
        self._ends: list[int] = self._file["parts"].tolist()

    @cached_property
    def _members(self) -> _Rows:
        return self._rows("members", "member_counts")

    @cached_property
    def irregular(self) -> dict[str, str]:
        """Inflected forms that are no lemma themselves and that no rule reduces."""
        lines = self._file["irregular"].tobytes().decode().split("\n")
        return {form: lemma for form, _, lemma in (line.partition(" ") for line in lines[::-1])}

    def _rows(self, values: str, counts: str) -> _Rows:
        return _Rows(self._file[values], _starts(self._file[counts]))

    def _lemma(self, number: int) -> bytes:
        begin, end = self._lemma_starts[number : number + 2].tolist()
        return bytes(self._lemmas[begin:end])

    def list_lemmas(self) -> list[str]:
        """All of them, sorted by their bytes."""
        return [self._lemma(number).decode() for number in range(len(self._lemma_starts) - 1)]

    def _find(self, lemma: str) -> int | None:
        wanted = lemma.encode(errors="replace")
        low, high = 0, len(self._lemma_starts) - 1
        while low < high:
            middle = (low + high) // 2
            if self._lemma(middle) < wanted:
                low = middle + 1
            else:
                high = middle
        found = low < len(self._lemma_starts) - 1 and self._lemma(low) == wanted
        return low if found else None

    @lru_cache(maxsize=5_000)  # noqa: B019 (there is one table in a process)
    def senses(self, lemma: str) -> dict[str, tuple[Synset, ...]]:
        """The synsets of a lemma by part of speech (n, v, a, r), commonest first."""
        number = self._find(lemma)
        if number is None:
            return {}
        found: dict[str, list[Synset]] = {}
        for synset in self._senses[number]:
            found.setdefault(self.part(synset), []).append(synset)
        return {part: tuple(synsets) for part, synsets in found.items()}

    def part(self, synset: Synset) -> str:
        """Its part of speech."""
        return PARTS[sum(synset >= end for end in self._ends)]

    def members(self, synset: Synset) -> list[str]:
        """The lemmas that mean it, as they are written."""
        return [self._lemma(n).decode().replace("_", " ") for n in self._members[synset]]

    def relations(self, synset: Synset) -> list[tuple[Relation, Synset]]:
        return [(_RELATIONS[value & 15], value >> 4) for value in self._relations[synset]]


def _starts(counts: npt.NDArray[np.uint8]) -> _Starts:
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])


@lru_cache(maxsize=1)
def load_wordnet() -> WordNet:
    """The table that comes with the install; read once.

    >>> wordnet = load_wordnet()
    >>> [wordnet.members(synset) for synset in wordnet.senses("lorry")["n"]]
    [['lorry'], ['lorry', 'camion']]
    """
    return WordNet()
