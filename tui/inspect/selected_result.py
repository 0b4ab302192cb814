"""A result as it is judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.keywords.judgement import Judgement, Seen, Target

if TYPE_CHECKING:
    from engine.keywords.inspection import Inspection


@dataclass(frozen=True, slots=True)
class SelectedResult:
    """A result: its query's answer, its place, and what was said about it."""

    inspection: Inspection
    place: int
    judgement: Judgement

    @property
    def clip(self) -> str:
        return self.inspection.clip(self.place)

    @property
    def target(self) -> Target:
        """The result as what is judged."""
        return Target(self.inspection.mode, self.inspection.query, self.clip)

    @property
    def seen(self) -> Seen:
        """What stands on the screen while it is judged."""
        found, question = self.inspection, self.inspection.question
        marks = [mark for group in found.result(self.place).groups for mark in group.marks]
        return Seen(
            model=question.model,
            groups=question.groups,
            keywords=tuple(map(str, found.keywords)),
            rank=self.place + 1,
            score=float(found.similarities[self.place]),
            lacking=tuple(str(keyword) for keyword, has in marks if not has),
        )

    @property
    def _known_by(self) -> tuple[Inspection, int]:
        return self.inspection, self.place

    def is_same(self, other: SelectedResult | None) -> bool:
        """Whether the other is the same result, whatever was said about either."""
        return other is not None and self._known_by == other._known_by
