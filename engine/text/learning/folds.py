"""Queries in folds for cross-validation: by what they say, so that the same file falls the same."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from engine.text.learning.labelled import LabelledText


def fold_case(text: str) -> str:
    """A text without what makes no other query of it: case, and how words are spaced."""
    return " ".join(text.casefold().split())


def deal_folds(
    asked: Sequence[LabelledText], numbers: Sequence[int], count: int
) -> list[list[int]]:
    """These queries in at most so many folds of about as many texts; equal texts fall together.

    >>> texts = [LabelledText(text, (), frozenset()) for text in ("a", "b", "A ", "c")]
    >>> sorted(map(sorted, deal_folds(texts, range(4), 2)))
    [[0, 2, 3], [1]]
    """
    by_text: dict[str, list[int]] = {}
    for number in numbers:
        by_text.setdefault(fold_case(asked[number].text), []).append(number)
    texts = sorted(by_text, key=lambda text: hashlib.sha256(text.encode()).digest())
    folds: list[list[int]] = [[] for _ in range(min(count, len(texts)))]
    for place, text in enumerate(texts):
        folds[place % len(folds)] += by_text[text]
    return folds
