"""Keyword: a word of the ground truth, in its group."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, order=True, slots=True)
class Keyword:
    """A keyword of one group; the same name in another group is another keyword.

    >>> str(Keyword("object_type", "bicyclist"))
    'object_type:bicyclist'
    """

    group: str
    name: str

    def __str__(self) -> str:
        return f"{self.group}:{self.name}"
