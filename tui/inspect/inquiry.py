"""Inquiry: what the user is asking, as they change it piece by piece."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from engine.base.errors import InputError
from engine.base.mode import Mode
from engine.keywords.question import Question


@dataclass(frozen=True, slots=True)
class Inquiry:
    """The parts of a question before it is asked; each change makes a new one.

    >>> inquiry = Inquiry(model="a", groups=("g",)).about("text", "red car")
    >>> inquiry.with_keywords(("g:car",)).question.keywords
    ('g:car',)
    >>> inquiry.with_keywords(("g:car",)).about("text", "blue car").question.keywords is None
    True
    """

    model: str
    groups: tuple[str, ...]
    mode: Mode = "text"
    query: str = ""
    left_out: tuple[str, ...] = ()
    keywords: tuple[str, ...] | None = None
    min_similarity: float | None = None

    @property
    def question(self) -> Question:
        return Question(
            self.mode,
            self.query,
            self.model,
            self.groups,
            self.left_out,
            self.keywords,
            self.min_similarity,
        )

    @classmethod
    def of(cls, question: Question) -> Inquiry:
        return cls(
            question.model,
            question.groups,
            question.mode,
            question.query,
            question.left_out,
            question.keywords,
            question.min_similarity,
        )

    def about(self, mode: Mode, query: str) -> Inquiry:
        """Another query; keywords set by hand were those of the one before."""
        same = (mode, query) == (self.mode, self.query)
        return replace(self, mode=mode, query=query, keywords=self.keywords if same else None)

    def with_keywords(self, keywords: tuple[str, ...] | None) -> Inquiry:
        """Keywords set by hand; None: as they are mapped, or the clip's own."""
        return replace(self, keywords=keywords)

    def with_least(self, similarity: float | None) -> Inquiry:
        """Results below a similarity are not to count; None: all do."""
        return replace(self, min_similarity=similarity)

    def with_model(self, model: str) -> Inquiry:
        return replace(self, model=model)

    def with_groups(self, groups: tuple[str, ...], left_out: tuple[str, ...] = ()) -> Inquiry:
        return replace(self, groups=groups, left_out=left_out)


Edit: TypeAlias = tuple[str, bool | None]
"""A keyword ("group:name"), and whether the query is to have it; None: the other way round."""


def edited(keywords: Sequence[str], edits: Sequence[Edit]) -> tuple[str, ...]:
    """Keywords after some were added and dropped, in this order.

    >>> edited(("g:a", "g:b"), [("g:c", True), ("g:a", None), ("g:x", False)])
    ('g:b', 'g:c')
    """
    kept = list(keywords)
    for name, wanted in edits:
        has = name in kept
        if wanted is not False and not has:
            kept.append(name)
        elif wanted is not True and has:
            kept.remove(name)
    return tuple(kept)


def similarity_of(text: str) -> float | None:
    """A least similarity as it is typed; nothing: there is none.

    >>> similarity_of("0.15"), similarity_of(" "), similarity_of("-2,5")
    (0.15, None, -2.5)
    """
    if not text.strip():
        return None
    try:
        value = float(text.strip().replace(",", "."))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"{text.strip()!r} is no similarity", hint="type a number such as 0.15")
    return value
