"""What many queries say that no keyword explains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class UnexplainedWords:
    """How many of the mapped queries have such words, and which stand in how many of them.

    `words` are in lower case, the most frequent first.
    """

    mapped: int = 0
    queries: int = 0
    words: tuple[tuple[str, int], ...] = ()

    @property
    def share(self) -> float:
        """Of the mapped queries; not defined if there are none."""
        return self.queries / self.mapped if self.mapped else float("nan")


def count_unexplained(texts: Iterable[Sequence[str]]) -> UnexplainedWords:
    """Of each mapped query the words that no keyword explains.

    >>> count_unexplained([["Red", "roof"], [], ["red", "red"]])
    UnexplainedWords(mapped=3, queries=2, words=(('red', 2), ('roof', 1)))
    """
    listed = [frozenset(word.casefold() for word in words) for words in texts]
    counts = Counter(word for words in listed for word in words)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return UnexplainedWords(len(listed), sum(map(bool, listed)), tuple(ordered))
