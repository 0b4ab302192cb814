"""The verdict per group: planted groups get the verdict that they deserve, nearly always."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from engine.stats import Interval
from engine.triage.effect import Effect
from engine.triage.verdicts import (
    KEPT_LIMIT,
    GroupVerdict,
    VerdictName,
    _choose,
    choose_causes,
    measure_verdicts,
)
from engine.triage.workings.group_precision import measure_group_precision
from tests.engine.triage.lossy_index import LossyIndex
from tests.engine.triage.planted import (
    QUICK,
    Plan,
    Scene,
    draw_scene,
    make_study,
    make_texts,
    make_truth,
    make_unit,
)
from tests.engine.triage.plants import draw_gap, draw_readable_but_unused

SEEDS = range(30)


def draw_unreadable(seed: int) -> Scene:
    return draw_scene(Plan(clips=480, weights={"way": 0.0}, seed=seed))


def draw_unused(seed: int) -> Scene:
    return draw_readable_but_unused(360, seed)


def draw_outvoted(seed: int) -> Scene:
    weights = {"who": 1.6, "way": 0.65}
    return draw_scene(Plan(clips=360, weights=weights, noise=1.4, seed=seed))


def draw_equals(seed: int) -> Scene:
    return draw_scene(Plan(clips=240, noise=1.2, seed=seed))


def draw_little(seed: int) -> Scene:
    """Of 60 clips and a group that hardly weighs nobody can tell much."""
    return draw_scene(Plan(clips=60, weights={"way": 0.6}, seed=seed))


@cache
def judge_all(draw: Callable[[int], Scene]) -> list[dict[str, GroupVerdict]]:
    return [judge(draw(seed)) for seed in SEEDS]


def judge(scene: Scene) -> dict[str, GroupVerdict]:
    study = make_study(scene, settings=replace(QUICK, resamples=200))
    return {one.group: one for one in measure_verdicts(study)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("draw", "verdict"),
    [
        (draw_unreadable, "not readable"),
        (draw_unused, "readable but unused"),
        (draw_outvoted, "used but outvoted"),
        (draw_equals, "fine"),
    ],
)
def test_planted_groups_get_their_verdict(
    draw: Callable[[int], Scene], verdict: VerdictName
) -> None:
    judged = judge_all(draw)
    counts = Counter(one["way"].verdict for one in judged)
    assert counts[verdict] >= 0.9 * len(SEEDS), counts
    # Where there is not enough to tell, nothing else is claimed.
    assert set(counts) <= {verdict, "not known"}
    assert {one["who"].verdict for one in judged} == {"fine"}


@pytest.mark.slow
def test_the_winner_is_the_group_that_weighs_more() -> None:
    winners = Counter(one["way"].winner for one in judge_all(draw_outvoted))
    assert winners["who"] >= 0.9 * len(SEEDS)
    assert set(winners) <= {"who", ""}
    one = judge(draw_outvoted(0))["way"]
    assert one.sentence.startswith("Way: used but outvoted. Selectivity 0.")
    assert one.sentence.endswith(". Who wins instead.")


@pytest.mark.slow
def test_who_is_told_little_of_is_not_judged() -> None:
    counts = Counter(one["way"].verdict for one in judge_all(draw_little))
    # Its weight is in the vectors: whatever is said, never that they do not hold it.
    assert counts["not known"] > 0.5 * len(SEEDS)
    assert counts["not readable"] <= 1


def test_two_groups_that_hinder_each_other_have_not_both_won() -> None:
    scene, texts = draw_gap(3.0, 0.5)
    found = measure_verdicts(make_study(scene, texts=texts, videos=False, settings=QUICK))
    assert {one.verdict for one in found} == {"used but outvoted"}
    assert [one.winner for one in found] == ["way", ""]
    keeps = {one.group: one.kept for one in found}
    assert keeps["way"].minus(keeps["who"]).interval.low > 0


def test_what_an_index_loses_is_no_groups_fault() -> None:
    scene = draw_scene(Plan(clips=300, noise=1.0))
    units = make_unit(scene.vectors)
    lossy = make_study(scene, settings=QUICK, index=lambda: LossyIndex(units, 150, 1))
    exact = make_study(scene, settings=QUICK)
    assert np.nanmean(lossy.asked[0].values) < np.nanmean(exact.asked[0].values) - 0.3
    for one, other in zip(measure_verdicts(lossy), measure_verdicts(exact), strict=True):
        assert one.verdict == other.verdict == "fine"
        assert one.kept.value == pytest.approx(other.kept.value)


def test_kept_by_hand() -> None:
    # Clips on a line of angles; of clip 0's first two results one has its who; of the other five
    # clips two have it.
    angles = np.array([0.0, 0.1, 0.2, 0.35, 1.0, 1.5])
    who = np.array([0, 0, 1, 0, 1, 1])
    scene = replace(
        draw_scene(Plan(clips=6)), truth=make_truth({"who": who, "way": np.arange(6)})
    ).with_vectors(np.stack([np.cos(angles), np.sin(angles)], axis=1))
    study = make_study(scene, settings=replace(QUICK, k=2))
    found = measure_group_precision(study, 0, "who")
    # Nearest two: 0 ← 1, 2; 1 ← 0, 2; 2 ← 1, 3; 3 ← 2, 1; 4 ← 5, 3; 5 ← 4, 3.
    hits = np.array([1, 1, 0, 1, 1, 1])
    assert found.values.tolist() == (hits / 2).tolist()
    assert found.chance == pytest.approx(2 / 5)
    assert found.ceiling == 1
    assert found.kept.value == pytest.approx((hits.mean() / 2 - 0.4) / 0.6)
    # Nobody else has a clip's own way: there is nothing to keep.
    alone = measure_group_precision(study, 0, "way")
    assert alone.queries == 0 and math.isnan(alone.kept.value)


@pytest.mark.parametrize("videos", [True, False])
def test_kept_is_that_of_a_loop(videos: bool) -> None:
    scene = draw_scene(Plan(clips=90, groups={"who": 3, "way": 12}, seed=4))
    study = make_study(scene, texts=None if videos else make_texts(scene), videos=videos)
    (asked,), truth = study.asked, study.truth
    kept = []
    for query in range(len(asked)):
        own = asked.queries.bits[query] & truth.words.mask(study.columns_of("way"))
        others = [row for row in range(len(truth)) if not videos or row != query]
        having = {row for row in others if (truth.bits[row] & own == own).all()}
        scores = study.vectors[others] @ asked.vectors[query]
        top = [others[at] for at in np.argsort(-scores)[:5]]
        if having:
            at_best = min(len(having), 5) / 5
            kept.append((len(having & set(top)) / 5, len(having) / len(others), at_best))
    mean, chance, ceiling = np.mean(kept, axis=0)
    found = measure_group_precision(study, 0, "way")
    assert found.queries == len(kept)
    assert found.kept.value == pytest.approx((mean - chance) / (ceiling - chance))


def test_a_group_without_data_is_not_known() -> None:
    scene = draw_scene(Plan(clips=120))
    numbers = {**scene.numbers, "odd": np.arange(120)}  # a keyword of its own for every clip
    scene = replace(scene, truth=make_truth(numbers, scene.sources), numbers=numbers)
    judged = judge(scene)
    assert judged["odd"].verdict == "not known"
    assert math.isnan(judged["odd"].kept.value)
    assert judged["odd"].sentence == (
        "Odd: not known. Selectivity – (no interval), reliance – (no interval), kept – "
        "(no interval)."
    )
    assert judged["odd"].dump()["kept"] == {"value": None, "interval": None}
    few = measure_verdicts(make_study(draw_scene(Plan(clips=30)), settings=QUICK))
    assert {one.verdict for one in few} == {"not known"}


def effect(low: float, high: float) -> Effect:
    return Effect((low + high) / 2, Interval(low, high, 0.95), np.empty(0))


@pytest.mark.parametrize(
    ("read", "used", "kept", "verdict"),
    [
        ((0.00, 0.09), (0.00, 0.02), (0.0, 0.1), "not readable"),
        ((0.00, 0.11), (0.00, 0.02), (0.0, 0.1), "not known"),
        ((0.11, 0.40), (0.00, 0.07), (0.0, 0.1), "readable but unused"),
        ((0.11, 0.40), (0.00, 0.09), (0.0, 0.1), "not known"),
        ((0.11, 0.40), (0.09, 0.20), (0.0, 0.1), "used but outvoted"),
        ((0.11, 0.40), (0.09, 0.20), (0.5, 0.66), "used but outvoted"),
        ((0.11, 0.40), (0.09, 0.20), (0.5, 0.67), "fine"),
        ((0.11, 0.40), (0.00, 0.20), (0.3, 0.90), "not known"),
        ((math.nan, math.nan), (0.09, 0.20), (0.5, 0.9), "not known"),
    ],
)
def test_a_verdict_needs_intervals_that_are_surely_on_its_side(
    read: tuple[float, float],
    used: tuple[float, float],
    kept: tuple[float, float],
    verdict: VerdictName,
) -> None:
    assert pytest.approx(2 / 3) == KEPT_LIMIT
    assert _choose(effect(*read), effect(*used), 0.08, effect(*kept)) == verdict


def test_what_a_result_lacks_is_as_its_group_is_judged() -> None:
    causes = {
        draw: choose_causes(make_study(draw(0), settings=QUICK))
        for draw in (draw_unreadable, draw_unused, draw_outvoted, draw_little)
    }
    ways = [set(list(one.values())[4:]) for one in causes.values()]
    assert ways == [{"not readable"}, {"unused"}, {"outvoted"}, {"not known"}]
    # Of a group that is fine, whatever is missing was outvoted.
    assert all(set(list(one.values())[:4]) == {"outvoted"} for one in list(causes.values())[:3])
