"""Inspected: an answer with what was judged about it, and which part of it is listed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from engine.keywords.judgement import Judgement
from tui.inspect.results import ResultRows
from tui.look.glyphs import Glyphs
from tui.look.nouns import OF_CLIPS, Nouns

if TYPE_CHECKING:
    from engine.keywords.adjudication import MetricPair
    from engine.keywords.inspection import Inspection
    from engine.keywords.workbench import Standing


@dataclass(frozen=True)
class Inspected:
    """What the Inspect screen shows.

    missed  the list holds what the top K missed
    nouns   what clips and keywords are called; where clips have labels, the list says which
    """

    inspection: Inspection
    judgements: Mapping[str, Judgement] = field(default_factory=dict)
    pairs: tuple[MetricPair, ...] = ()
    standing: Standing | None = None
    missed: bool = False
    nouns: Nouns = OF_CLIPS

    @property
    def k(self) -> int:
        """The largest cut-off; results below it count for no metric of the strip."""
        return self.inspection.shown

    def judged(self, judgements: Mapping[str, Judgement]) -> Inspected:
        """With other judgements, and the metrics that follow from them."""
        from engine.keywords.adjudication import metric_pairs

        pairs = metric_pairs(self.inspection, judgements)
        return replace(self, judgements=judgements, pairs=pairs)

    def judgement(self, place: int) -> Judgement:
        return self.judgements.get(self.inspection.clip(place), Judgement())

    def rows(self, glyphs: Glyphs, width: Callable[[], int] = lambda: 0) -> ResultRows:
        """The rows of the list; `width` is that of a line."""
        inspection = self.inspection
        places = inspection.missed(self.k).tolist() if self.missed else range(inspection.depth)
        return ResultRows(
            inspection,
            places,
            self.judgements,
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
