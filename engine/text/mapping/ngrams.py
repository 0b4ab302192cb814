"""The words that nothing explains, and their candidate n-grams."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.text.mapping.evidence import is_denial
from engine.text.mapping.query_words import Word

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
