"""Scope: what an evaluation looks at."""

from __future__ import annotations

from dataclasses import dataclass

from tui.look.words import counted


@dataclass(frozen=True, slots=True)
class Scope:
    """What an evaluation looks at, beside its query set.

    >>> str(Scope("alfa", ("object_type",), frozenset({"object_type:car"}), 0.15))
    'alfa · object_type · 1 keyword left out · similarity ≥ 0.15'
    """

    model: str
    groups: tuple[str, ...]
    left_out: frozenset[str] = frozenset()
    min_similarity: float | None = None

    def __str__(self) -> str:
        return self.told(" · ")

    def told(self, dot: str) -> str:
        """In words, with a sign between them."""
        parts = [self.model, ", ".join(self.groups)]
        if self.left_out:
            parts.append(f"{counted(len(self.left_out), 'keyword')} left out")
        if self.min_similarity is not None:
            parts.append(f"similarity ≥ {self.min_similarity:g}")
        return dot.join(parts)
