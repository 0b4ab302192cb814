"""What tells questions about the same query apart: the settings that they were asked with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from engine.keywords.question import Question

_SHOWN = 5
"""Left-out keywords that are named; the rest is counted."""


def settings_in_words(questions: Sequence[Question]) -> list[str]:
    """For each question the settings that explain its numbers; empty if there is none to name.

    Groups are named where they are not the same for all. Keywords left out or set by hand and the
    least similarity are named wherever there are any. The model is not among them.

    >>> asked = Question("text", "a car", "m", ("object",), min_similarity=0.3)
    >>> settings_in_words([asked, Question("text", "a car", "m", ("place",), ("place:road",))])
    ['groups: object; similarity ≥ 0.3', 'groups: place; without place:road']
    """
    several = len({question.groups for question in questions}) > 1
    # What few questions leave out tells them apart best, so it is named first.
    common = Counter(name for question in questions for name in set(question.left_out))
    return ["; ".join(_settings(question, several, common)) for question in questions]


def _settings(question: Question, several: bool, common: Counter[str]) -> Iterable[str]:
    if several:
        yield f"groups: {', '.join(question.groups) or 'none'}"
    if question.left_out:
        names = sorted(question.left_out, key=lambda name: (common[name], name))
        more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
        yield f"without {', '.join(names[:_SHOWN])}{more}"
    if question.keywords is not None:
        yield f"set by hand: {', '.join(question.keywords) or 'no keyword'}"
    if question.min_similarity is not None:
        yield f"similarity ≥ {question.min_similarity:.9g}"
