"""What a query denies: "foxes but not at night", "skip the dusk footage", "no spot kicks".

A denial reaches to the end of its clause, to a comma, to "but", "just", "only" or "instead", or to
a preposition after a word of content: "no cars on the highway" still asks for the highway.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.text.mapping.query_words import STOP_WORDS, Word

_CUES = frozenset(
    "not no without never neither nor except excluding minus lacking non cannot".split()
)
_IMPERATIVES = frozenset("skip avoid exclude ignore omit".split())
"""Verbs that deny where they begin a clause: "swerves to avoid a dog" denies nothing."""

_PAIRS = frozenset((("rather", "than"), ("instead", "of"), ("other", "than"), ("apart", "from")))
_NOT_MEANT = frozenset((("not", "only"), ("not", "just"), ("no", "matter"), ("not", "merely")))
_ENDS = frozenset("but just only instead".split())
_PREPOSITIONS = frozenset(
    "in on at by with from during into onto through near under over along across for of beside "
    "behind after before between around towards toward".split()
)


@dataclass(frozen=True, slots=True)
class Denial:
    """The words that deny, and those that they may deny."""

    cue: tuple[int, ...]
    scope: tuple[int, ...]


def find_denials(words: Sequence[Word]) -> list[Denial]:
    """
    >>> from engine.text.mapping.query_words import split_words
    >>> words = split_words("foxes but not at night, in snow", {})
    >>> [[words[position].form for position in denial.scope] for denial in find_denials(words)]
    [['at', 'night']]
    """
    cues = (_cue_at(words, position) for position in range(len(words)))
    return [Denial(cue, _scope(words, cue[-1])) for cue in cues if cue]


def _cue_at(words: Sequence[Word], position: int) -> tuple[int, ...]:
    word = words[position]
    following = words[position + 1].form if position + 1 < len(words) else ""
    if (word.form, following) in _PAIRS:
        return (position, position + 1)
    if (word.form, following) in _NOT_MEANT:
        return ()
    return (position,) if is_denial(word) or (word.leads and word.form in _IMPERATIVES) else ()


def is_denial(word: Word) -> bool:
    return word.form in _CUES or word.form.endswith("n't")


def _scope(words: Sequence[Word], cue: int) -> tuple[int, ...]:
    reached: list[int] = []
    content = False
    for position in range(cue + 1, len(words)):
        word = words[position]
        ends = word.clause != words[cue].clause or (word.after_comma and position > cue + 1)
        if ends or word.form in _ENDS or (content and word.form in _PREPOSITIONS):
            break
        if is_denial(word):
            break  # what follows is denied by that word itself
        content = content or word.form not in STOP_WORDS
        reached.append(position)
    return tuple(reached)
