"""The order of a column's values, whatever they are: numbers, some of them missing, or texts."""

from __future__ import annotations

import sys

import numpy as np

from engine.base.arrays import Floats, Ints

FEW_VALUES = 32
"""Up to so many distinct values a column is sorted by gathering them."""


def sort_stably(values: Ints | Floats, descending: bool) -> Ints:
    """Where the sorted values stand; equal ones keep their order, NaN comes last.

    >>> sort_stably(np.array([0.5, np.nan, 1.0, 0.5]), descending=True).tolist()
    [2, 0, 3, 1]
    """
    distinct = np.unique(values)
    if len(distinct) > FEW_VALUES:
        return np.argsort(-values if descending else values, kind="stable")
    # A measure at a small cutoff has few values: gathering each is several times quicker.
    missing = np.isnan(values)
    steps = distinct[~np.isnan(distinct)]
    parts = [np.flatnonzero(values == step) for step in (steps[::-1] if descending else steps)]
    return np.concatenate([*parts, np.flatnonzero(missing)])


def find_places(texts: list[str]) -> Ints:
    """The place of each text in their sorted order; equal texts have the same.

    >>> find_places(["b", "a", "b"]).tolist(), find_places(["10", "a", "9"]).tolist()
    ([1, 0, 1], [1, 2, 0])
    """
    ordered = sorted(set(texts), key=_numbers_by_value)
    place = {text: number for number, text in enumerate(ordered)}
    return np.array([place[text] for text in texts], np.int64)


def _numbers_by_value(text: str) -> tuple[int, str]:
    """Whole numbers first and by their value, which is their length and then their digits."""
    if text.isascii() and text.isdecimal():
        digits = text.lstrip("0")
        return len(digits), digits
    return sys.maxsize, text
