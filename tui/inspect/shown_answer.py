"""The answer on the screen, and which part of it is listed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.keywords.judgement import Judgement
from tui.inspect.results import ResultRows
from tui.look.glyphs import Glyphs
from tui.look.nouns import OF_CLIPS, Nouns

if TYPE_CHECKING:
    from engine.keywords.inspection import Inspection
    from engine.keywords.workbench import Standing
    from tui.work.questions import QueryAnswer


@dataclass(frozen=True)
class ShownAnswer:
    """What the Inspect screen shows.

    standing  where the clips stand in another model; None: not known, or there is none
    missed    the list holds what the top K missed
    nouns     what clips and keywords are called; where clips have labels, the list says which
    """

    answer: QueryAnswer
    standing: Standing | None = None
    missed: bool = False
    nouns: Nouns = OF_CLIPS

    @property
    def inspection(self) -> Inspection:
        return self.answer.inspection

    @property
    def k(self) -> int:
        """The largest cut-off; results below it count for no metric of the strip."""
        return self.inspection.shown

    def judgement(self, place: int) -> Judgement:
        return self.answer.judgements.get(self.inspection.clip(place), Judgement())

    def standing_in(self, model: str | None, inspection: Inspection) -> Standing | None:
        """Where the clips of another answer stand in a model, if this one has found that out."""
        same = (self.inspection.mode, self.inspection.query) == (inspection.mode, inspection.query)
        known = self.standing is not None and self.standing.model == model
        return self.standing if same and known else None

    def rows(self, glyphs: Glyphs, width: Callable[[], int] = lambda: 0) -> ResultRows:
        """The rows of the list; `width` is that of a line."""
        inspection = self.inspection
        places = inspection.missed(self.k).tolist() if self.missed else range(inspection.depth)
        return ResultRows(
            inspection,
            places,
            self.answer.judgements,
            self.standing,
            glyphs,
            self.k,
            nouns=self.nouns,
            width=width,
        )

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
