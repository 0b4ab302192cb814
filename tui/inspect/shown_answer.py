"""The answer on the screen, which part of it is listed, and one result of it as it is judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.keywords.judgement import Judgement, JudgementContext, Target
from tui.look.nouns import OF_CLIPS, Nouns

if TYPE_CHECKING:
    from engine.keywords.clip_ranks import ClipRanks
    from engine.keywords.inspection import Inspection
    from engine.keywords.question import Question
    from tui.work.questions import QueryAnswer


@dataclass(frozen=True)
class ShownAnswer:
    """What the Inspect screen shows.

    standing  where the clips stand in another model; None: not known, or there is none
    missed    the list holds what the top K missed
    nouns     what clips and keywords are called; where clips have labels, the list says which
    """

    answer: QueryAnswer
    standing: ClipRanks | None = None
    missed: bool = False
    nouns: Nouns = OF_CLIPS

    @property
    def inspection(self) -> Inspection:
        return self.answer.inspection

    @property
    def k(self) -> int:
        """The largest cut-off; results below it count for no metric of the strip."""
        return self.inspection.shown

    @property
    def places(self) -> Sequence[int]:
        """What is listed: places in the ranking, from 0."""
        found = self.inspection
        places: list[int] = found.missed(self.k).tolist() if self.missed else []
        return places if self.missed else range(found.depth)

    def tell_from(self, asked: Question) -> str:
        """What tells this answer from the one that is asked for now."""
        own = self.inspection.question
        if (own.mode, own.query) != (asked.mode, asked.query):
            return f"“{own.query}”"
        return f"that of {own.model}" if own.model != asked.model else "the one before"

    def judgement(self, place: int) -> Judgement:
        return self.answer.judgements.get(self.inspection.clip(place), Judgement())

    def standing_in(self, model: str | None, inspection: Inspection) -> ClipRanks | None:
        """Where the clips of another answer stand in a model, if this one has found that out."""
        same = (self.inspection.mode, self.inspection.query) == (inspection.mode, inspection.query)
        known = self.standing is not None and self.standing.model == model
        return self.standing if same and known else None

    def title(self, rows: int) -> str:
        """What is listed, and how much of it. Counts never lie."""
        if self.missed:
            deeper = self.inspection.unranked
            cut = f", {deeper:,} deeper than {self.inspection.depth:,}" if deeper else ""
            places = self.inspection.missed(self.k)
            where = "not counted in" if (places < self.k).any() else "below"
            return f"Missed: {rows:,} relevant {where} the top {self.k}{cut}"
        total = self.inspection.reachable
        cut = "" if rows == total else f" of {total:,}"
        return f"Results: {rows:,} ranked{cut}"


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
    def seen(self) -> JudgementContext:
        """What stands on the screen while it is judged."""
        found, question = self.inspection, self.inspection.question
        marks = [mark for group in found.result(self.place).groups for mark in group.marks]
        return JudgementContext(
            model=question.model,
            groups=question.groups,
            keywords=tuple(map(str, found.keywords)),
            rank=self.place + 1,
            score=float(found.similarities[self.place]),
            lacking=tuple(str(keyword) for keyword, has in marks if not has),
        )

    def is_same(self, other: SelectedResult | None) -> bool:
        """Whether the other is the same result, whatever was said about either."""
        return other is not None and self == replace(other, judgement=self.judgement)
