"""Whether metrics are above chance: models that know nothing, and models that know a little."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest

from engine.base.choices import TiePolicy
from engine.base.ranking import Ranking
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.query_set import QuerySet
from engine.keywords import shuffle_plan, shuffled
from engine.keywords.evaluate import compute_judged_chance, score_judged
from engine.keywords.judge import JudgedRanking, judge
from engine.keywords.shuffle_plan import MOST_RESULTS, SHUFFLES, ShufflePlan
from engine.keywords.shuffled import ChanceTrial
from engine.metrics import Measure
from engine.metrics.chance import ChanceTest, can_be_tested, find_p_of_hits
from engine.metrics.policies import Policies
from engine.metrics.registry import list_patterns

CLIPS, TEXTS = 60, 30
EVERY = tuple(Measure.parse(text.replace("@k", "@5")) for text in list_patterns())
TIES: tuple[TiePolicy, ...] = ("insertion", "docid_desc", "expected")
TRIALS = 200
ERROR = (0.05 * 0.95 / TRIALS) ** 0.5
"""Standard error of a rate of 5 % that is seen in so many trials."""


def parse(*ids: str) -> tuple[Measure, ...]:
    return tuple(map(Measure.parse, ids))


@dataclass(frozen=True)
class Model:
    """Rankings of one model, to the last clip.

    own  the rows of the clips that ask, which are not among their results
    """

    truth: GroundTruth
    queries: QuerySet
    ranking: Ranking
    own: np.ndarray | None

    @classmethod
    def of(cls, truth: GroundTruth, queries: QuerySet, similar: np.ndarray) -> Model:
        """By similarity; of equal ones the first row comes first."""
        clips = len(truth)
        if queries.rows is not None:
            similar = similar.copy()
            similar[np.arange(len(queries)), queries.rows] = -np.inf
            clips -= 1
        order = np.argsort(-similar, axis=1, kind="stable")[:, :clips]
        scores = np.take_along_axis(similar, order, axis=1).astype(np.float32)
        return cls(truth, queries, Ranking(order, scores), queries.rows)

    def judge(self, depth: int | None, policies: Policies) -> JudgedRanking:
        return judge(
            self.ranking.cut(depth or self.ranking.depth),
            self.truth,
            self.queries.bits,
            own_rows=self.own,
            min_similarity=policies.min_similarity,
        )

    def test(
        self,
        measures: tuple[Measure, ...],
        policies: Policies | None = None,
        depth: int | None = None,
        parts: int = 1,
    ) -> ChanceTest:
        policies = policies or Policies()
        judged = self.judge(depth, policies)
        complete = judged.ranking.depth == self.ranking.depth
        scores = score_judged(judged, measures, policies, complete)
        trial = ChanceTrial.plan(
            self.truth,
            self.queries,
            measures,
            policies,
            depth=judged.ranking.depth,
            complete=complete,
            own_removed=self.own is not None,
        )
        for rows in np.array_split(np.arange(len(self.queries)), parts):
            trial.keep(judged.take(rows), slice(int(rows[0]), int(rows[-1]) + 1))
        return trial.carry_out(compute_judged_chance(judged, scores, policies, complete))


def make_model(
    seed: int,
    mode: str,
    *,
    known: float = 0.0,
    asking: int | None = None,
    alike: bool = False,
    shares: tuple[float, ...] = (0.5, 0.2, 0.2, 0.1),
    steps: int | None = None,
) -> Model:
    """Random vectors that know the label a little; texts that mean the same may be `alike`, as
    paraphrases are, `asking` clips ask, and similarities may have few `steps`, so that many tie."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(len(shares), CLIPS, p=shares)
    truth = GroundTruth.from_columns(
        [f"c{n}" for n in range(CLIPS)], {"g": [[f"k{label}"] for label in labels]}
    )
    centres = rng.standard_normal((len(shares), 8))
    vectors = rng.standard_normal((CLIPS, 8)) + known * centres[labels]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    if mode == "video":
        own = np.sort(rng.choice(CLIPS, asking or CLIPS, replace=False))
        similar = vectors[own] @ vectors.T
        names = tuple(truth.ids[row] for row in own)
        queries = QuerySet("video", names, truth.bits[own], np.arange(len(own)), own)
    else:
        meant = rng.choice(labels, TEXTS)
        asked = rng.standard_normal((TEXTS, 8)) + known * centres[meant]
        if alike:
            asked = 0.3 * asked + rng.standard_normal((len(shares), 8))[meant]
        similar = asked @ vectors.T
        examples = [int(np.argmax(labels == label)) for label in meant]
        queries = QuerySet(
            "text", tuple(map(str, range(TEXTS))), truth.bits[examples], np.arange(TEXTS)
        )
    return Model.of(truth, queries, similar if steps is None else np.round(similar * steps))


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fewest shuffles: 5 % is one of their p-values."""
    monkeypatch.setattr(shuffle_plan, "SHUFFLES", SHUFFLES[-1:])


# By hand


def test_one_query_has_the_p_that_is_counted_over_all_choices() -> None:
    """Two of ten clips are relevant, and one of them is among the first three."""
    truth = GroundTruth.from_columns(
        [f"c{n}" for n in range(10)], {"g": [["y"], ["x"], *[["y"]] * 7, ["x"]]}
    )
    queries = QuerySet.of("text", truth, ["ex"], [[truth.words.find("x")]])
    model = Model.of(truth, queries, -np.arange(10.0)[None])
    one_hit, first_at_2 = find_p_of_hits(10, 2, 3, 1), 1 - (8 / 10) * (7 / 9)
    assert one_hit == pytest.approx(1 - (8 * 7 * 6) / (10 * 9 * 8))
    measures = parse("P@3", "Success@3", "FN@3", "RR", "MedR", "MnR", "RR@3", "Success@1")
    by_hand = [one_hit] * 3 + [first_at_2] * 4 + [1.0]
    found = model.test(measures)
    error = [math.sqrt(p * (1 - p) / SHUFFLES[0]) for p in by_hand]
    assert (abs(found.p - by_hand) <= 4 * np.array(error) + 0.003).all(), found.p
    assert set(found.shuffles) == {SHUFFLES[0]} and set(found.queries) == {1}


def test_measures_that_count_the_same_hits_have_the_same_p() -> None:
    for mode, asking in (("text", None), ("video", None), ("video", 30)):
        for known in (0.0, 0.3):
            model = make_model(5, mode, known=known, asking=asking)
            p = model.test(parse("P@5", "TP@5", "FP@5", "FN@5", "TN@5", "LabelScore@5")).p
            assert set(p.tolist()) == {p[0]}, (mode, asking, p)
            p = model.test(parse("P@1", "Success@1", "RR@1", "nDCG@1")).p
            assert set(p.tolist()) == {p[0]}, (mode, asking, p)


@pytest.mark.parametrize("least", [None, 0.1])
@pytest.mark.parametrize("asking", [None, 30])
@pytest.mark.parametrize("shares", [(0.5, 0.2, 0.2, 0.1), (0.05,) * 20])
@pytest.mark.parametrize("mode", ["text", "video"])
def test_first_hits_are_those_of_rankings_that_are_judged_anew(
    mode: str,
    shares: tuple[float, ...],
    asking: int | None,
    least: float | None,
    monkeypatch: pytest.MonkeyPatch,
    quick: None,
) -> None:
    """Looked for in two ways, where many clips are relevant and where few are."""
    measures, policies = parse("MedR", "MnR", "RR"), Policies(min_similarity=least)
    found = []
    for fast in (True, False):
        if not fast:
            monkeypatch.setattr(shuffled, "follows_from_first_hit", lambda measure: False)
        models = (make_model(seed, mode, shares=shares, asking=asking) for seed in range(12))
        found.append([model.test(measures, policies, parts=3) for model in models])
    for quickly, thoroughly in zip(*found, strict=True):
        np.testing.assert_array_equal(quickly.p, thoroughly.p)
        assert quickly.queries == thoroughly.queries
        assert quickly.shuffles == thoroughly.shuffles


# Every metric, alone and beside others


@pytest.mark.parametrize("mode", ["text", "video"])
@pytest.mark.parametrize("measure", EVERY, ids=str)
def test_every_metric_is_tested_alone_or_said_not_to_be(
    measure: Measure, mode: str, quick: None
) -> None:
    for ties in TIES:
        found = make_model(3, mode, known=0.5).test((measure,), Policies(ties=ties))
        tested = can_be_tested(measure, ties)
        assert math.isnan(found.p[0]) is not tested
        assert (found.shuffles[0] > 0) is (found.queries[0] > 0) is tested


@pytest.mark.parametrize("depth", [None, 20])
@pytest.mark.parametrize("asking", [None, 30])
@pytest.mark.parametrize("mode", ["text", "video"])
@pytest.mark.parametrize("ties", TIES)
def test_no_metric_changes_the_p_of_another(
    ties: TiePolicy,
    mode: str,
    asking: int | None,
    depth: int | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also where some are tested with fewer queries, or more shuffles, than others."""
    monkeypatch.setattr(shuffle_plan, "SHUFFLES", (99, 39))
    monkeypatch.setattr(shuffle_plan, "QUICK_RESULTS", 99 * CLIPS * 24)
    monkeypatch.setattr(shuffle_plan, "MOST_RESULTS", 39 * CLIPS * 15)
    policies = Policies(ties=ties)
    model = make_model(8, mode, known=0.2, asking=asking, steps=4)
    every = parse("P@1", "Success@1", "R@3", "F1@5", "RR@5", "nDCG@10", "TopK%@20", "AP@20")
    every += parse("MedR", "MnR", "RR", "AP", "nDCG", "Rprec", "MedR(all)", "AvgSim@5")
    together = model.test(every, policies, depth, parts=4)
    for place, measure in enumerate(every):
        least = depth or measure.cutoff or None
        alone = model.test((measure,), policies, least if ties != "expected" else depth)
        assert alone.p[0] == pytest.approx(together.p[place], abs=0, nan_ok=True), measure
        assert alone.queries[0] == together.queries[place]
        assert alone.shuffles[0] == together.shuffles[place]
    if mode == "video" and not asking and depth is None:
        of = dict(zip(map(str, every), together.queries, strict=True))
        assert of["AP"] < of["P@1"] == of["nDCG@10"]


def test_results_that_ask_themselves_are_counted_by_each_cutoff() -> None:
    """No first result asks itself, and all that come next do."""
    for seed in range(20):
        asked = make_model(seed, "video", asking=30)
        assert asked.own is not None
        similar = np.random.default_rng(seed).random((30, CLIPS))
        similar[:, asked.own] += 1
        silent = np.setdiff1d(np.arange(CLIPS), asked.own)
        similar[np.arange(30), silent[similar[:, silent].argmax(axis=1)]] += 2
        model = Model.of(asked.truth, asked.queries, similar)
        alone, beside = model.test(parse("P@1")), model.test(parse("P@1", "P@20"))
        assert alone.p[0] == beside.p[0]


def test_only_what_reads_the_whole_ranking_is_tested_with_some_of_very_many_queries() -> None:
    plan = ShufflePlan.of
    for queries, results, clips in ((284, 5, 284), (4_000, 10, 4_000), (20_000, 20, 20_000)):
        assert len(plan(queries, results, clips).chosen) == queries
    assert plan(284, 5, 284).shuffles == SHUFFLES[0]
    assert plan(60, 5, 2_000_000).shuffles < SHUFFLES[0], "whoever has many clips shuffles many"
    large = plan(4_000, 4_000, 4_000)
    assert len(large.chosen) * 4_000 * large.shuffles <= MOST_RESULTS
    assert len(set(large.chosen.tolist())) == len(large.chosen) > 500
    assert len(plan(1, 10**9, 10**9).chosen) == 1
    assert all((shuffles + 1) % 20 == 0 for shuffles in SHUFFLES), "one p-value is 0.05"


# Models that know nothing, and models that know a little

BY_ALL = parse("P@5", "RR@5", "nDCG@5", "FP@5", "RR", "MnR", "AP", "nDCG", "Rprec")
COARSE = parse("Success@1", "Success@5", "MedR")
"""Few values, so that many shuffles tie: they are less often above chance than 5 %."""


@pytest.mark.parametrize("ties", ["insertion", "expected"])
@pytest.mark.parametrize(
    ("mode", "settings"),
    [
        ("text", {}),
        ("text", {"alike": True}),  # the same results for queries with the same keywords
        ("video", {}),  # clips that find each other
        ("video", {"asking": 30}),
        ("video", {"asking": 30, "shares": (0.05,) * 20}),
    ],
)
def test_models_that_know_nothing_are_above_chance_in_5_percent(
    mode: str, settings: dict[str, int], ties: TiePolicy, quick: None
) -> None:
    steps = 4 if ties == "expected" else None
    models = (
        make_model(seed, mode, steps=steps, **settings)  # type: ignore[arg-type]
        for seed in range(1000, 1000 + TRIALS)
    )
    measures = BY_ALL + COARSE
    ps = np.array([model.test(measures, Policies(ties=ties)).p for model in models])
    false = dict(zip(map(str, measures), (ps <= 0.05).mean(axis=0), strict=True))
    assert max(false.values()) <= 0.05 + 3 * ERROR, false
    if not settings:
        assert min(false[str(measure)] for measure in BY_ALL) >= 0.05 - 3 * ERROR, false


def test_a_median_is_tested_as_strictly_where_clips_that_ask_find_each_other(quick: None) -> None:
    """Two clips of each label stand on a ring, so that both find the other at the same rank; ten do
    not ask. Counted apart, 13 % of these models that know nothing had a MedR above chance."""
    clips, ps = 240, []
    truth = GroundTruth.from_columns(
        [f"c{n}" for n in range(clips)], {"g": [[f"k{n // 2}"] for n in range(clips)]}
    )
    for seed in range(TRIALS):
        rng = np.random.default_rng(seed)
        places, own = rng.permutation(clips), np.sort(rng.choice(clips, clips - 10, replace=False))
        apart = np.abs(places[own, None] - places)
        similar = -np.minimum(apart, clips - apart) + 0.1 * rng.random((len(own), clips))
        names = tuple(truth.ids[row] for row in own)
        queries = QuerySet("video", names, truth.bits[own], np.arange(len(own)), own)
        ps.append(Model.of(truth, queries, similar).test(parse("MedR")).p[0])
    false = np.mean(np.array(ps) <= 0.05)
    assert false <= 0.05 + 3 * ERROR, false


@pytest.mark.parametrize(
    ("mode", "asking"), [("text", None), ("video", None), ("video", 30)], ids=str
)
def test_models_that_know_a_little_are_above_chance(
    mode: str, asking: int | None, quick: None
) -> None:
    models = (make_model(seed, mode, known=0.8, asking=asking) for seed in range(20))
    ps = np.array([model.test(BY_ALL).p for model in models])
    assert ((ps <= 0.05).mean(axis=0) >= 0.85).all()


def test_a_perfect_model_has_the_smallest_p_there_is() -> None:
    found = make_model(0, "text", known=50.0).test(parse("P@5", "RR", "AP", "MnR"))
    assert [1 / p - 1 for p in found.p] == pytest.approx(list(found.shuffles))


def test_a_query_without_relevant_clips_is_not_counted() -> None:
    model = make_model(1, "video", shares=(0.05,) * 20)
    alone = model.truth.relevant_counts(model.queries.bits, model.own) == 0
    assert alone.any()
    skipped = model.test(parse("P@5", "MnR", "AP"))
    assert set(skipped.queries) == {int(np.count_nonzero(~alone))}
    zero = model.test(parse("P@5", "MnR", "AP"), replace(Policies(), no_relevant="zero"))
    assert zero.queries == [len(alone), skipped.queries[1], len(alone)]
