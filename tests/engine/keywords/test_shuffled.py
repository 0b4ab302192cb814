"""Whether metrics are above chance: models that know nothing, and models that know a little."""

from __future__ import annotations

import numpy as np
import pytest

from engine.base.ranking import Ranking
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.query_set import QuerySet
from engine.keywords.evaluate import expect_by_chance, score_judged
from engine.keywords.judge import judge
from engine.keywords.shuffled import FEWEST_SHUFFLES, ChanceTrial
from engine.metrics import Measure
from engine.metrics.policies import Policies

MEASURES = tuple(Measure.parse(text) for text in ("P@5", "RR@5", "nDCG@5", "FP@5", "AvgSim@5"))
TRIALS = 200
MOST_FALSE = 0.05 + 2.6 * (0.05 * 0.95 / TRIALS) ** 0.5
"""At most 5 %, and what 200 trials may show by chance of a rate of just that."""


def run_trial(
    seed: int, mode: str, *, known: float = 0.0, asking: int | None = None, alike: bool = False
) -> np.ndarray:
    """p of every measure for random vectors that know the label a little; texts that mean the same
    may be `alike`, as paraphrases are, and `asking` clips ask."""
    rng = np.random.default_rng(seed)
    clips, labels = 60, rng.choice(4, 60, p=[0.5, 0.2, 0.2, 0.1])
    truth = GroundTruth.from_columns(
        [f"c{n}" for n in range(clips)], {"g": [[f"k{label}"] for label in labels]}
    )
    centres = rng.standard_normal((4, 8))
    vectors = rng.standard_normal((clips, 8)) + known * centres[labels]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    policies, own = Policies(), None
    if mode == "video":
        own = np.sort(rng.choice(clips, asking or clips, replace=False))
        similar = vectors[own] @ vectors.T
        similar[np.arange(len(own)), own] = -9
        names = tuple(truth.ids[row] for row in own)
        queries = QuerySet("video", names, truth.bits[own], np.arange(len(own)), own)
    else:
        meant = rng.choice(labels, 30)
        asked = rng.standard_normal((30, 8)) + known * centres[meant]
        if alike:
            asked = 0.3 * asked + rng.standard_normal((4, 8))[meant]
        similar = asked @ vectors.T
        examples = [int(np.argmax(labels == label)) for label in meant]
        names = tuple(map(str, range(30)))
        queries = QuerySet("text", names, truth.bits[examples], np.arange(30))
    order = np.argsort(-similar, axis=1)[:, :5].astype(np.int64)
    ranking = Ranking(order, np.take_along_axis(similar, order, axis=1).astype(np.float32))
    judged = judge(ranking, truth, queries.bits, own_rows=own)
    scores = score_judged(judged, MEASURES, policies, complete=False)
    chance = expect_by_chance(judged, scores, policies, complete=False)
    trial = ChanceTrial(FEWEST_SHUFFLES, np.arange(len(queries)))
    trial.keep(judged, slice(0, len(queries)))
    found = trial.carry_out(
        truth, queries, judged.relevant, chance, policies, own_removed=own is not None
    )
    return found.p


@pytest.mark.parametrize(
    ("mode", "settings"),
    [
        ("text", {}),
        ("text", {"alike": True}),  # the same results for queries with the same keywords
        ("video", {}),  # clips that find each other
        ("video", {"asking": 30}),
    ],
)
def test_models_that_know_nothing_are_rarely_above_chance(
    mode: str, settings: dict[str, int]
) -> None:
    ps = np.array([run_trial(seed, mode, **settings) for seed in range(1000, 1000 + TRIALS)])  # type: ignore[arg-type]
    false = (ps[:, :4] <= 0.05).mean(axis=0)
    assert (false <= MOST_FALSE).all(), false
    assert np.isnan(ps[:, 4]).all()


@pytest.mark.parametrize("settings", [{}, {"asking": 30}])
@pytest.mark.parametrize("mode", ["text", "video"])
def test_models_that_know_a_little_are_above_chance(mode: str, settings: dict[str, int]) -> None:
    if mode == "text" and settings:
        pytest.skip("all texts ask")
    ps = np.array([run_trial(seed, mode, known=0.8, **settings) for seed in range(20)])  # type: ignore[arg-type]
    assert ((ps[:, :4] <= 0.05).mean(axis=0) >= 0.9).all()


def test_a_perfect_model_has_the_smallest_p_there_is() -> None:
    p = run_trial(0, "text", known=50.0)
    assert p[:4].tolist() == [1 / (FEWEST_SHUFFLES + 1)] * 4


def test_many_queries_are_tested_by_some_of_them() -> None:
    small, large = ChanceTrial.plan(271, 5), ChanceTrial.plan(200_000, 5)
    assert (small.shuffles, len(small.chosen)) == (499, 271)
    assert large.shuffles == FEWEST_SHUFFLES
    assert len(large.chosen) < 10_000
    assert len(set(large.chosen.tolist())) == len(large.chosen)
    assert (small.shuffles + 1) % 20 == 0, "one p-value is 0.05"
