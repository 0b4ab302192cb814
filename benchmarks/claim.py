"""Claim: one ratio that a benchmark has measured, and what it should be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Direction: TypeAlias = Literal["at least", "at most"]
Verdict: TypeAlias = Literal["", "met", "MISSED"]


@dataclass(frozen=True, slots=True)
class Claim:
    """Two things measured in one run, as a ratio.

    ratio   None: one of the two was too small to be measured, as the detail says
    goal    None: shown for information
    detail  the setting and what was measured, in its own units

    >>> claim = Claim("search: ours / bare FAISS", 1.102, 1.25, "at most", "0.61 s / 0.55 s")
    >>> claim.measured, claim.wanted, claim.verdict
    ('1.10×', 'at most 1.25×', 'met')
    """

    name: str
    ratio: float | None
    goal: float | None
    direction: Direction
    detail: str

    @property
    def measured(self) -> str:
        return "unresolved" if self.ratio is None else f"{self.ratio:.2f}×"

    @property
    def wanted(self) -> str:
        return "" if self.goal is None else f"{self.direction} {self.goal:g}×"

    @property
    def verdict(self) -> Verdict:
        """Empty where there is no goal, or nothing to hold against it."""
        if self.goal is None or self.ratio is None:
            return ""
        met = self.ratio >= self.goal if self.direction == "at least" else self.ratio <= self.goal
        return "met" if met else "MISSED"
