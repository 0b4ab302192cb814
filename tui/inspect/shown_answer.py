"""The answer on the screen, which part of it is listed, and one result of it as it is judged."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from engine.keywords.judgement import Judgement, JudgementContext, Target
from tui.inspect.rank_change import RankChange
from tui.look.glyphs import UNICODE, Glyphs
from tui.look.nouns import OF_CLIPS, Nouns

if TYPE_CHECKING:
    from engine.base.arrays import Bools, Ints
    from engine.keywords.clip_ranks import ClipRanks
    from engine.keywords.inspection import Inspection
    from engine.keywords.question import Question
    from tui.work.questions import QueryAnswer


@dataclass(frozen=True)
class ShownAnswer:
    """What the Inspect screen shows.

    standing       where the clips stand in another model; None: not known, or there is none
    missed         the list holds the top K, and below it the relevant clips that it missed
    nouns          what clips and keywords are called; where clips have labels, the list says which
    filtered       the filter of the list, as it is typed; empty: there is none
    kept           which places of the ranking it keeps; None: all of them
    from_standing  the other model is the earlier one: ranks changed from there to here
    """

    answer: QueryAnswer
    standing: ClipRanks | None = None
    missed: bool = False
    nouns: Nouns = OF_CLIPS
    filtered: str = ""
    kept: Bools | None = None
    from_standing: bool = False

    @property
    def inspection(self) -> Inspection:
        return self.answer.inspection

    @property
    def k(self) -> int:
        """The largest cut-off; results below it count for no metric of the strip."""
        return self.inspection.shown

    @cached_property
    def places(self) -> Ints:
        """What is listed: places in the ranking, from 0, rising."""
        return self._listable if self.kept is None else self._listable[self.kept[self._listable]]

    @cached_property
    def _listable(self) -> Ints:
        """What would be listed without a filter."""
        found = self.inspection
        return found.top_and_missed(self.k) if self.missed else found.every_place

    @property
    def listable(self) -> int:
        """How many results would be listed without a filter."""
        return len(self._listable)

    def filter_for(self, found: Inspection) -> str:
        """The filter, as long as the same is asked; what is asked next is seen whole."""
        own = self.inspection
        return self.filtered if (own.mode, own.query) == (found.mode, found.query) else ""

    def keep(self, filtered: str) -> ShownAnswer:
        """The same with a filter, which can be read. What is judged afterwards stays listed."""
        if not filtered:
            return replace(self, filtered="", kept=None)
        from engine.keywords.result_filter import parse_result_filter

        chosen = parse_result_filter(filtered, self.inspection)
        kept = chosen.keep(self.inspection, self.answer.judgements, self.k)
        return replace(self, filtered=filtered, kept=kept)

    def rule(self, glyphs: Glyphs = UNICODE) -> tuple[int, str] | None:
        """After how many of the listed results K is reached, and what to say there; None: nothing
        stands below it."""
        above = int(self.places.searchsorted(self.k))
        if self.missed:
            below = len(self._listable) - int(self._listable.searchsorted(self.k))
            deeper = self.inspection.unranked
            said = [f"{below:,} missed below" if below else "" if deeper else "nothing missed"]
            if below and self.filtered:
                said = [f"{len(self.places) - above:,} of {below:,} missed listed"]
            said += [f"{deeper:,} deeper than {self.inspection.depth:,}"] if deeper else []
            return above, f" {glyphs.dot} ".join(filter(None, (f"K = {self.k}", ", ".join(said))))
        return (above, f"K = {self.k}") if above < len(self.places) else None

    def find_rank_change(self, place: int) -> RankChange | None:
        """The result's rank in the other model against its own; None: it has none there."""
        found = self.inspection
        other = self.standing.rank(found.clip(place)) if self.standing is not None else None
        if other is None:
            return None
        relevant = bool(found.is_relevant[place]) if found.keywords else None
        return RankChange(place + 1, other, relevant, self.from_standing)

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

    @property
    def title(self) -> str:
        """How good the answer is, what is listed, and how much of it. Counts never lie."""
        found, rows = self.inspection, len(self.places)
        said = [f"{found.hits(self.k):,} of {min(self.k, found.depth):,} hits"]
        if not found.keywords:
            said = ["not judged"]
        if self.filtered:
            said.append(f"{rows:,} of {self.listable:,} listed")
        elif self.missed:
            said.append(f"{len(found.missed(self.k)):,} missed")
        else:
            said.append(f"{rows:,} ranked")
        if found.depth < found.reachable:
            said[-1] += f", cut at {found.depth:,} of {found.reachable:,}"
        if found.one_per_source:
            said.append("one per source")
        return f"Results ── {', '.join(said)}"


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
    def name(self) -> str:
        return self.clip

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
