"""One query looked at closely: its keywords, its ranked results, why each is a hit or not, and its
metrics as a person adjudicated them: the ground truth, corrected by what was judged by eye.

    published    a clip is relevant if it has ALL query keywords, or as the policy says
    adjudicated  the same, and clips marked "relevant" are too, and clips marked "not relevant" are
                 not, whatever their keywords say; R changes with them. Graded, a clip marked
                 "relevant" counts in full

A bias case says why a result is there. It does not change what is relevant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from engine.base.arrays import AnyInts, Ints
from engine.base.choices import OnePerPolicy
from engine.base.keyword import Keyword
from engine.dataset.clip_set import WORD, set_bit
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.matching import count_keywords, count_matched, find_relevant
from engine.keywords.adjudicated_sources import adjudicate_sources
from engine.keywords.evaluate import Evaluation, has_chance_levels, score_judged
from engine.keywords.instead import Absence, find_absences
from engine.keywords.judge import Breakdown, JudgedRanking, break_down
from engine.keywords.judgement import Judgement, Mark
from engine.keywords.query_keywords import QueryKeywords
from engine.keywords.typed_relevance import TypedRelevance
from engine.metrics import Measure
from engine.metrics.chance import find_p_of_value
from engine.metrics.gain_levels import GainLevels
from engine.metrics.policies import Policies

LOOKED_AT = 20
"""Results of one query that say what stands in for its keywords, where K is less."""


@dataclass(frozen=True, eq=False)
class Inspection(QueryKeywords):
    """What can be seen of one query; a place counts from 0, a rank from 1.

    judged      the one query's ranking, as deep as it was asked for
    evaluation  None if the query has no ground truth, and then its results are not judged
    unjudged    the measures that need no ground truth, of a query that has none
    shown       how many results are listed
    typed       the relevant clips as typed by hand; None: the keywords say which are relevant
    """

    judged: JudgedRanking
    evaluation: Evaluation | None
    shown: int
    policies: Policies
    unjudged: Evaluation | None = None
    typed: TypedRelevance | None = None

    @property
    def relevant(self) -> int:
        """Clips of the collection that are relevant by their keywords, or were typed as such; or
        sources that have such a clip."""
        return int(self.judged.relevant[0])

    @property
    def reachable(self) -> int:
        """Clips that could be found: without the query clip where it is removed; or sources."""
        return int(self.judged.collection[0])

    @property
    def one_per_source(self) -> bool:
        """Whether of each source one clip stays."""
        return self.policies.one_per == "source"

    @property
    def depth(self) -> int:
        """How many results were ranked."""
        return self.judged.ranking.depth

    @property
    def rows(self) -> npt.NDArray[np.int64]:
        """The ranked clips' rows, best first."""
        rows: npt.NDArray[np.int64] = self.judged.ranking.indices[0]
        return rows

    @property
    def similarities(self) -> npt.NDArray[np.float32]:
        """Their scores."""
        scores: npt.NDArray[np.float32] = self.judged.ranking.scores[0]
        return scores

    def clip(self, place: int) -> str:
        return self.collection.truth.ids[int(self.rows[place])]

    def result(self, place: int) -> Breakdown:
        """The marks of the result at a place."""
        marks = break_down(self.judged, self.collection.truth, self.selection, 0, place)
        return marks if self._grades is None else replace(marks, grade=float(self._grades[place]))

    @cached_property
    def _grades(self) -> npt.NDArray[np.float64] | None:
        """The typed grade of every ranked clip; None if nothing was typed."""
        if self.typed is None:
            return None
        return self.typed.of_ranked(self.rows, self.collection.truth)

    @cached_property
    def results(self) -> tuple[Breakdown, ...]:
        """The marks of the results that are listed."""
        return tuple(self.result(place) for place in range(min(self.shown, self.depth)))

    @cached_property
    def matched(self) -> npt.NDArray[np.int64]:
        """How many of the query's keywords each ranked clip has."""
        own = self.collection.truth.bits[self.rows] & self.judged.query_bits[0]
        counts: npt.NDArray[np.int64] = np.bitwise_count(own).sum(axis=1, dtype=np.int64)
        return counts

    def lacks(
        self, keywords: Sequence[Keyword], places: Sequence[int] | AnyInts | None = None
    ) -> npt.NDArray[np.bool_]:
        """Which of the keywords the clips at some places lack, or all: (places, keywords)."""
        truth = self.collection.truth
        columns = np.array([truth.words.column_of[keyword] for keyword in keywords], np.int64)
        rows = self.rows if places is None else self.rows[np.asarray(places, np.int64)]
        own = truth.bits[rows[:, None], columns[None, :] // WORD]
        lacking: npt.NDArray[np.bool_] = (own & set_bit(columns)) == 0
        return lacking

    def missed(self, k: int) -> npt.NDArray[np.int64]:
        """The places of relevant clips that are no hits of the top k, best first: those below it,
        and those in it that do not reach the least similarity.

        Clips below the depth of the ranking are not among them: see `unranked`.
        """
        missed = self.is_relevant.copy()
        missed[:k] &= ~self.retrieved[:k]
        return np.flatnonzero(missed)

    @property
    def every_place(self) -> npt.NDArray[np.int64]:
        """The places of the whole ranking."""
        return np.arange(self.depth)

    def top_and_missed(self, k: int) -> npt.NDArray[np.int64]:
        """The places of the top k, and behind them those of the relevant clips that it missed."""
        return np.union1d(np.arange(min(k, self.depth)), self.missed(k))

    def hits(self, k: int) -> int:
        """How many of the top k are relevant and reach the least similarity."""
        return int(np.count_nonzero(self.is_relevant[:k] & self.retrieved[:k]))

    @cached_property
    def is_relevant(self) -> npt.NDArray[np.bool_]:
        """Whether each ranked clip is relevant; none is if the query has no ground truth."""
        if self._grades is not None:
            return self._grades > 0
        if not self.keywords:
            return np.zeros(self.depth, np.bool_)
        if self.judged.rule != "all":
            return self.matched > 0
        has_all: npt.NDArray[np.bool_] = self.matched == len(self.keywords)
        return has_all

    @property
    def retrieved(self) -> npt.NDArray[np.bool_]:
        """Whether each ranked clip reaches the least similarity."""
        reached: npt.NDArray[np.bool_] = self.judged.retrieved[0]
        return reached

    @property
    def unranked(self) -> int:
        """Relevant clips that stand below the depth to which the ranking was cut; or sources, also
        those whose relevant clips stand behind another clip of theirs."""
        return self.relevant - int(np.count_nonzero(self.is_relevant))

    def find_chance_level(self, measure: Measure) -> float:
        """What a random ranking would score; NaN: that is not defined."""
        chance = None if self.evaluation is None else self.evaluation.chance
        return float("nan") if chance is None else chance.level(measure)

    def find_chance_p(self, measure: Measure) -> float:
        """How often a random ranking scores at least as well; NaN for a measure that does not
        follow from the number of hits, or where nothing is relevant."""
        if self.evaluation is None or not self.relevant or not has_chance_levels(self.policies):
            return float("nan")
        return find_p_of_value(
            measure,
            float(self.evaluation.scores.column(measure)[0]),
            items=self.reachable,
            relevant=self.relevant,
            returned=int(np.count_nonzero(self.retrieved)),
            short=self.policies.fewer_than_k,
        )

    def describe_unranked(self, below: str) -> str:
        """Where the relevant clips are that are not in the ranking, in words; "": there are none.
        `below`: how to say that they rank deeper than a number."""
        if not self.unranked:
            return ""
        if not self.one_per_source:
            return f"{self.unranked:,} {below} {self.depth:,}"
        behind = "behind another clip of the same source"
        cut = f" or {below} {self.depth:,}" if self.depth < self.reachable else ""
        return f"{self.unranked:,} {behind}{cut}"

    @property
    def looked_at(self) -> int:
        """Results of one query that are looked at for what they have instead: the top K of one
        query alone are too few to tell anything."""
        return min(self.depth, max(self.shown, LOOKED_AT))

    @cached_property
    def absences(self) -> tuple[Absence, ...]:
        """What the first `looked_at` results have in place of each keyword of the query."""
        if self.one_per_source:  # the base is that of clips, of which sources have more or fewer
            return ()
        removed = self.policies.self_clip == "remove"
        own = self.queries.rows if removed else None
        return find_absences(self.collection.truth, self.judged, k=self.looked_at, own_rows=own)

    def place_of(self, clip: str) -> int | None:
        """Where a clip stands in the ranking."""
        row = self.collection.truth.rows_of([clip])[0]
        found = np.flatnonzero(self.rows == row)
        return int(found[0]) if row >= 0 and len(found) else None


@dataclass(frozen=True, slots=True)
class MetricPair:
    """One metric of one query, as published and as adjudicated; NaN where it is undefined."""

    measure: Measure
    published: float
    adjudicated: float


def adjudicate(
    judged: JudgedRanking,
    truth: GroundTruth,
    judgements: Mapping[str, Judgement],
    one_per: OnePerPolicy = "clip",
    own: str | None = None,
) -> JudgedRanking:
    """One query's judged ranking, corrected by the marks that its clips got.

    one_per  source: of each source one clip stays, and nothing of that of the query clip `own`
    """
    added = _rows(truth, judgements, "relevant")
    taken = _rows(truth, judgements, "not relevant")
    rows = judged.ranking.indices
    hits = (judged.hits | np.isin(rows, added)) & ~np.isin(rows, taken) & judged.retrieved
    if one_per == "source":
        return adjudicate_sources(judged, truth, added, taken, own)
    relevant = judged.relevant + np.count_nonzero(~_was_relevant(judged, truth, added))
    relevant = relevant - np.count_nonzero(_was_relevant(judged, truth, taken))
    corrected = replace(judged, hits=hits, relevant=relevant)
    if judged.shares is None or judged.levels is None:
        return corrected
    shares = np.where(hits, np.where(np.isin(rows, added), 1.0, judged.shares), 0.0)
    levels = _move_levels(judged, judged.levels, truth, added, taken)
    return replace(corrected, shares=shares, levels=levels)


def _move_levels(
    judged: JudgedRanking, levels: GainLevels, truth: GroundTruth, added: Ints, taken: Ints
) -> GainLevels:
    """Of one query: clips that are `added` have all that is asked for, those `taken` nothing."""
    counts = levels.counts.copy()
    asked = int(count_keywords(judged.query_bits[:1])[0])
    had = count_matched(truth, np.concatenate([added, taken])[None], judged.query_bits[:1])[0]
    # The level of those with all keywords comes first.
    np.subtract.at(counts[0], asked - had[had > 0], 1)
    counts[0, 0] += len(added)
    return replace(levels, counts=counts)


def pair_metrics(
    inspection: Inspection, judgements: Mapping[str, Judgement]
) -> tuple[MetricPair, ...]:
    """Every metric of the query, both ways; none if the query has no keyword, or if its relevant
    clips were typed: then there are no keywords to correct.
    """
    evaluation = inspection.evaluation
    if evaluation is None or inspection.typed is not None:
        return ()
    measures = evaluation.scores.measures
    published = _values(evaluation, inspection.judged)
    own = inspection.question.clip if inspection.policies.self_clip == "remove" else None
    if own is not None:
        # The query clip itself is no answer, whatever was said about it.
        judgements = {clip: said for clip, said in judgements.items() if clip != own}
    corrected = adjudicate(
        inspection.judged,
        inspection.collection.truth,
        judgements,
        inspection.policies.one_per,
        own,
    )
    adjudicated = _values(evaluation, corrected)
    return tuple(map(MetricPair, measures, published, adjudicated))


def _values(evaluation: Evaluation, judged: JudgedRanking) -> list[float]:
    scores = score_judged(
        judged, evaluation.scores.measures, evaluation.policies, evaluation.complete
    )
    values: list[float] = scores.values[0].tolist()
    return values


def _rows(truth: GroundTruth, judgements: Mapping[str, Judgement], mark: Mark) -> Ints:
    rows = truth.rows_of([clip for clip, said in judgements.items() if said.mark == mark])
    return rows[rows >= 0]


def _was_relevant(judged: JudgedRanking, truth: GroundTruth, rows: Ints) -> npt.NDArray[np.bool_]:
    was: npt.NDArray[np.bool_]
    was = find_relevant(truth, rows[None, :], judged.query_bits[:1], judged.rule)[0]
    return was
