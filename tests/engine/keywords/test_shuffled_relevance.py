"""Chance tests where any keyword is enough, or relevance is graded: every shuffle is the one that
is made when annotations are really exchanged and everything is judged anew."""

from __future__ import annotations

import numpy as np
import pytest

from engine.base.choices import RelevancePolicy
from engine.base.ranking import Ranking
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.query_set import QuerySet
from engine.keywords.annotation_shuffle import AnnotationShuffle
from engine.keywords.evaluate import compute_judged_chance, score_judged
from engine.keywords.judge import JudgedRanking, judge
from engine.keywords.shuffle_plan import ShufflePlan
from engine.keywords.shuffled import ChanceTrial
from engine.keywords.shuffled_first_hits import FirstHitTrial
from engine.keywords.shuffled_tops import TopTrial
from engine.metrics import Measure
from engine.metrics.chance import ChanceTest
from engine.metrics.policies import Policies

CLIPS = 40
RULES: tuple[RelevancePolicy, ...] = ("all", "any", "graded")
TOPS = tuple(map(Measure.parse, ("P@5", "RR@5", "nDCG@5", "AP", "nDCG", "nDCG@9(gain=exp)")))
FIRST = tuple(map(Measure.parse, ("RR", "MnR", "MedR")))


class Case:
    """Random rankings, or such as know the keywords a little; of texts, of all clips, of some."""

    def __init__(self, seed: int, mode: str, rule: RelevancePolicy, known: float = 0.0) -> None:
        rng = np.random.default_rng(seed)
        has = rng.random((CLIPS, 7)) < 0.3
        has[np.arange(7), np.arange(7)] = True
        has[:, 0] |= ~has.any(axis=1)
        names = [f"c{n}" for n in range(CLIPS)]
        self.truth = GroundTruth.from_columns(
            names, {"g": [[f"k{n}" for n in np.flatnonzero(line)] for line in has]}
        )
        self.rule, self.own = rule, None
        if mode == "text":
            wanted = rng.random((25, 7)) < 0.3
            wanted[:, 1] |= ~wanted.any(axis=1)
            bits = self.truth.query_bits(
                [[f"k{n}" for n in np.flatnonzero(line)] for line in wanted]
            )
            self.queries = QuerySet("text", tuple(map(str, range(25))), bits, np.arange(25))
        else:
            count = CLIPS if mode == "all clips" else 17
            self.own = np.sort(rng.choice(CLIPS, count, replace=False))
            wanted = has[self.own]
            bits = self.truth.bits[self.own]
            ids = tuple(names[row] for row in self.own)
            self.queries = QuerySet("video", ids, bits, np.arange(count), self.own)
        similar = rng.random((len(wanted), CLIPS)) + known * (wanted[:, None] & has).sum(axis=2)
        if self.own is not None:
            similar[np.arange(len(wanted)), self.own] = -np.inf
        self.order = np.argsort(-similar, axis=1)[:, : CLIPS - (self.own is not None)]

    @property
    def policies(self) -> Policies:
        return Policies(relevance=self.rule)

    def judge(
        self, truth: GroundTruth | None = None, bits: np.ndarray | None = None
    ) -> JudgedRanking:
        scores = np.tile(
            np.linspace(1, 0, self.order.shape[1], dtype=np.float32), (len(self.order), 1)
        )
        return judge(
            Ranking(self.order, scores),
            truth or self.truth,
            self.queries.bits if bits is None else bits,
            own_rows=self.own,
            relevance=self.rule,
        )

    def shuffle(self) -> AnnotationShuffle:
        return AnnotationShuffle(
            self.truth, self.queries, own_removed=self.own is not None, rule=self.rule
        )

    def judge_anew(
        self, shuffle: AnnotationShuffle, line: int, measures: tuple[Measure, ...]
    ) -> np.ndarray:
        """Give every clip the annotations of another, query by query, and judge all of it."""
        (other,) = shuffle.draw(range(line, line + 1))
        values = []
        for query in range(len(self.queries)):
            bits, given = self.queries.bits[query], other.copy()
            if self.own is not None:
                own = int(self.own[query])
                if shuffle.together:
                    bits = self.truth.bits[other[own]]
                else:  # it keeps its own, which who got them exchanges for what it was given
                    given[other == own], given[own] = other[own], own
            exchanged = GroundTruth(self.truth.ids, self.truth.words, self.truth.bits[given])
            judged = self.judge(exchanged, np.tile(bits, (len(self.queries), 1)))
            scored = score_judged(judged.take(np.array([query])), measures, self.policies, True)
            values.append(scored.values[0])
        return np.array(values)

    def test(self, measures: tuple[Measure, ...]) -> ChanceTest:
        judged = self.judge()
        scores = score_judged(judged, measures, self.policies, True)
        trial = ChanceTrial.plan(
            *(self.truth, self.queries, measures, self.policies),
            depth=judged.ranking.depth,
            complete=True,
            own_removed=self.own is not None,
        )
        trial.keep(judged, slice(0, len(self.queries)))
        return trial.carry_out(compute_judged_chance(judged, scores, self.policies, True))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("mode", ["text", "all clips", "some clips"])
def test_every_shuffle_is_annotations_exchanged_and_judged_anew(
    mode: str, rule: RelevancePolicy
) -> None:
    case = Case(3, mode, rule)
    shuffle, judged, queries = case.shuffle(), case.judge(), len(case.queries)
    assert shuffle.together is (mode == "all clips")
    plan, whole = ShufflePlan(6, np.arange(queries)), slice(0, queries)
    tops = TopTrial(shuffle, TOPS, case.policies, plan, judged.ranking.depth)
    first = FirstHitTrial.plan(shuffle, FIRST, case.policies)
    tops.keep(judged, whole)
    first.keep(judged, whole)
    of_tops = np.concatenate([found.values for found in tops.carry_out()])
    of_first = np.concatenate([found.values for found in first.carry_out()])
    for line in range(4):
        anew = case.judge_anew(shuffle, line, TOPS + FIRST)
        np.testing.assert_allclose(of_tops[line], anew[:, : len(TOPS)], rtol=1e-12)
        np.testing.assert_allclose(of_first[line], anew[:, len(TOPS) :], rtol=1e-12)
    observed = score_judged(judged, TOPS, case.policies, True).values
    np.testing.assert_allclose(tops.observe().values[0], observed, rtol=1e-12)


@pytest.mark.parametrize("rule", ["any", "graded"])
@pytest.mark.parametrize("mode", ["text", "all clips", "some clips"])
def test_models_that_know_nothing_are_above_chance_in_5_percent(
    mode: str, rule: RelevancePolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.keywords.shuffle_plan.SHUFFLES", (39,))
    measures = (*TOPS[:3], TOPS[4], FIRST[0])
    ps = np.array([Case(seed, mode, rule).test(measures).p for seed in range(120)])
    false = (ps <= 0.05).mean(axis=0)
    assert false.max() <= 0.05 + 3 * (0.05 * 0.95 / 120) ** 0.5, false


@pytest.mark.parametrize("rule", ["any", "graded"])
@pytest.mark.parametrize("mode", ["text", "all clips", "some clips"])
def test_models_that_know_keywords_are_above_chance(mode: str, rule: RelevancePolicy) -> None:
    found = Case(1, mode, rule, known=0.5).test(TOPS)
    assert (found.p <= 0.05).all(), found.p
