"""LabelFinding: what a reader of label scores should know, with its numbers, and from where on."""

from __future__ import annotations

from dataclasses import dataclass

from engine.base.arrays import ROUNDING

NamedNumber = tuple[str, float]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From where on something is worth a line.

    apart     difference of two scores
    drop      fall of the score, and of the share of the way from chance to the possible, from the
              smallest K to the largest
    lift      times chance below which a direction hardly finds anything
    gained    share of the way from chance to the possible, below which the same holds
    support   items that a label needs to be spoken of
    """

    apart: float = 0.05
    drop: float = 0.10
    lift: float = 1.5
    gained: float = 0.5
    support: int = 5


DEFAULT_THRESHOLDS = Thresholds()


@dataclass(frozen=True, slots=True)
class LabelFinding:
    """Something that a reader should know, of some directions of a level at a K."""

    id: str
    level: str
    directions: tuple[str, ...]
    k: int
    numbers: tuple[NamedNumber, ...]
    text: str


def reaches(value: float, limit: float) -> bool:
    """Whether a value is at its limit or beyond, whatever rounding says; NaN never is.

    >>> 0.3 - 0.25 >= 0.05, reaches(0.3 - 0.25, 0.05)
    (False, True)
    """
    return bool(value >= limit - ROUNDING)
