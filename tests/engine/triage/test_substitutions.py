"""Substitutions: which keyword comes in place of one that was asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import hypergeom

from engine.base.arrays import Floats
from engine.triage.analyses.substitutions import SUBSTITUTIONS
from engine.triage.correction import correct
from engine.triage.finding import Finding
from engine.triage.study import Study
from engine.triage.workings.plain_tail import compute_plain_tail
from engine.triage.workings.substitution_matrix import SubstitutionMatrix, measure_substitutions
from tests.engine.triage.alarms import count_alarms, count_allowed
from tests.engine.triage.planted import (
    QUICK,
    Plan,
    Scene,
    draw_directions,
    draw_scene,
    make_study,
    make_texts,
    make_truth,
)
from tests.engine.triage.plants import blur


def get_matrix(study: Study, group: str) -> SubstitutionMatrix:
    return next(one for one in measure_substitutions(study) if one.group == group)


def count_by_hand(study: Study, asked: str, instead: str) -> tuple[int, int, float]:
    """n, O and E of a pair of keywords, result by result."""
    queries, truth, k = study.asked[0], study.truth, study.settings.k
    named = [{str(word) for word in truth.keywords_of(row)} for row in range(len(truth))]
    n, observed, expected = 0, 0, 0.0
    for query in np.flatnonzero(queries.counted).tolist():
        wanted = {str(word) for word in truth.words.named(queries.judged.query_bits[query])}
        if asked not in wanted or instead in wanted:
            continue
        for row in queries.judged.ranking.indices[query, :k].tolist():
            if wanted <= named[row] or asked in named[row]:
                continue
            alike = [own for own in named if own & wanted == named[row] & wanted]
            n, observed = n + 1, observed + (instead in named[row])
            expected += sum(instead in own for own in alike) / len(alike)
    return n, observed, expected


@pytest.mark.parametrize("videos", [True, False])
def test_counts_are_those_of_a_loop(videos: bool) -> None:
    scene = draw_scene(Plan(clips=150, groups={"who": 3, "way": 4}, seed=2))
    study = make_study(scene, texts=None if videos else make_texts(scene), videos=videos)
    matrix = get_matrix(study, "way")
    for asked, instead in ((0, 1), (1, 3), (2, 0)):
        n, observed, expected = count_by_hand(study, matrix.names[asked], matrix.names[instead])
        assert matrix.results[asked, instead] == n
        assert matrix.observed[asked, instead] == observed
        assert matrix.expected[asked, instead] == pytest.approx(expected)
        lift = observed / expected if expected else np.nan
        assert matrix.lift[asked, instead] == pytest.approx(lift, nan_ok=True)
    assert not np.diag(matrix.results).any()


def test_one_query_by_hand() -> None:
    # Asked for who0 and way0. Its five results: one hit, three with who0 and way1, one with who0
    # and way2. Of the 8 clips with who0 and without way0 four have way1: E = 4 · 4/8 = 2, O = 3.
    way = np.array([0, 1, 1, 1, 2, 1, 2, 2, 2, 0, 0, 1])
    who = np.array([0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1])
    scene = draw_scene(Plan(clips=12))
    scene = replace(scene, truth=make_truth({"who": who, "way": way}))
    angles = np.arange(12) / 10
    scene = scene.with_vectors(np.stack([np.cos(angles), np.sin(angles)], axis=1))
    text = ("it", ["who:who0", "way:way0"], np.array([1.0, 0.0]))
    matrix = get_matrix(make_study(scene, texts=[text], videos=False), "way")
    assert matrix.observed[0].tolist() == [0, 3, 1]
    assert matrix.expected[0].tolist() == [0, 2, 2]
    assert matrix.lift[0, 1] == 1.5


def test_the_plain_p_is_hypergeometric() -> None:
    for found, clips, good, drawn in ((3, 20, 6, 5), (1, 8, 4, 4), (5, 100, 30, 5), (0, 5, 2, 1)):
        own = compute_plain_tail(found, [(clips, good, drawn)])
        assert own == pytest.approx(hypergeom.sf(found - 1, clips, good, drawn))
    draws = [(20, 6, 5), (9, 3, 2), (20, 6, 5)]
    rng = np.random.default_rng(0)
    sums = sum(hypergeom.rvs(*one, size=200_000, random_state=rng) for one in draws)
    assert compute_plain_tail(6, draws) == pytest.approx((sums >= 6).mean(), abs=0.005)


def find(study: Study) -> list[Finding]:
    return list(SUBSTITUTIONS.find(study))


def plant(by: float, seed: int = 0) -> Study:
    plan = Plan(clips=400, dimension=64, groups={"who": 4, "way": 6}, noise=2.2, seed=seed)
    return make_study(blur(draw_scene(plan), "way", 2, 4, by))


def test_a_planted_substitution_is_found_first() -> None:
    study = plant(0.8)
    first, second, *_ = correct(find(study), study.settings)
    pairs = {("way:way2", "way:way4"), ("way:way4", "way:way2")}
    assert {first.subject.names, second.subject.names} == pairs  # alike is alike both ways
    assert first.outcome == "found" and first.p <= 0.05
    asked, instead = first.subject.names
    assert f"For “{asked[4:]}”, “{instead[4:]}” comes instead" in first.sentence
    numbers = dict(first.numbers)
    assert 1 < numbers["lift, low"] < numbers["lift"] < numbers["lift, high"]
    assert numbers["plain hypergeometric p"] < first.p
    words = study.truth.words
    having = study.truth.relevant([words.find(instead)]).indices()
    assert set(first.evidence.clips) <= {study.truth.ids[row] for row in having}


def test_the_more_is_planted_the_larger_the_lift() -> None:
    lifts = [get_matrix(plant(by), "way").lift[2, 4] for by in (0.0, 0.4, 0.8)]
    assert lifts[0] + 0.3 < lifts[1] < lifts[2] - 0.3


def test_keywords_that_go_together_do_not_stand_in() -> None:
    # Nearly all clips with who1 have way1. Asked for who1 and way0, results with who1 have way1:
    # not in place of way0, but as clips with who1 do.
    scene = draw_scene(Plan(clips=400, groups={"who": 2, "way": 3}, weights={"way": 0.0}))
    rng = np.random.default_rng(1)
    who, way = scene.numbers["who"], scene.numbers["way"]
    numbers = {"who": who, "way": np.where((who == 1) & (rng.random(400) < 0.6), 1, way)}
    scene = replace(scene, truth=make_truth(numbers, scene.sources), numbers=numbers)
    wanted = ["who:who1", "way:way0"]
    texts = [
        (f"{number}", wanted, scene.directions["who"][1] + 0.5 * draw_directions(rng, 1, 32)[0])
        for number in range(40)
    ]
    study = make_study(scene, texts=texts, videos=False)
    matrix = get_matrix(study, "way")
    having = study.unpack(study.columns_of("way")[[0, 1]])
    plain = matrix.observed[0, 1] / matrix.results[0, 1] / having[~having[:, 0], 1].mean()
    assert plain > 1.15 and 0.9 < matrix.lift[0, 1] < 1.1


SMALL = replace(QUICK, resamples=100)


def make_looks(seed: int) -> Study:
    """The group is not in the vectors; looks are, which clips of a source share."""
    plan = Plan(
        clips=120,
        groups={"who": 6, "way": 4},
        weights={"way": 0.0},
        looks=1.5,
        per_source=4,
        seed=seed,
    )
    return make_study(draw_scene(plan), settings=SMALL)


def label_sources(scene: Scene) -> Scene:
    """All clips of a source have one keyword of the group "way"."""
    way = np.random.default_rng([scene.plan.seed, 5]).integers(0, 4, scene.sources.max() + 1)
    numbers = {**scene.numbers, "way": way[scene.sources]}
    return replace(scene, truth=make_truth(numbers, scene.sources), numbers=numbers)


def make_series(seed: int) -> Study:
    """Likewise, and all clips of a source have one keyword: whole series are wrong alike."""
    plan = Plan(
        clips=120,
        groups={"who": 6, "way": 4},
        weights={"way": 0.0},
        looks=1.0,
        kinds=12,
        per_source=3,
        seed=seed,
    )
    return make_study(label_sources(draw_scene(plan)), settings=SMALL)


def make_hubs(seed: int) -> Study:
    """Six clips are near everything; of four texts for a pair of keywords each finds the same."""
    plan = Plan(clips=120, groups={"who": 5, "way": 4}, weights={"way": 0.0}, seed=seed)
    scene = draw_scene(plan)
    rng = np.random.default_rng([seed, 6])
    middle: Floats = draw_directions(rng, 1, plan.dimension)[0]
    hubs = rng.permutation(plan.clips)[:6]
    vectors = scene.vectors + 0.4 * middle
    vectors[hubs] += 1.5 * middle
    texts = [
        (f"{name} {number}", words, vector + middle + 0.3 * draw_directions(rng, 1, 32)[0])
        for name, words, vector in make_texts(scene)
        for number in range(4)
    ]
    return make_study(scene.with_vectors(vectors), texts=texts, videos=False, settings=SMALL)


@pytest.mark.slow
@pytest.mark.parametrize("make", [make_looks, make_series, make_hubs])
def test_false_alarms_are_rare(make: Callable[[int], Study]) -> None:
    assert count_alarms(SUBSTITUTIONS, make) <= count_allowed()


def test_without_effect_it_says_so_with_the_interval() -> None:
    study = make_looks(1)
    for one in correct(find(study), study.settings):
        assert one.outcome != "found" and "95 % CI" in one.sentence
        assert "No keyword of" in one.sentence or "is not found" in one.sentence


def test_the_same_seed_finds_the_same() -> None:
    one, other = find(plant(0.5)), find(plant(0.5))
    assert [(f.id, f.p, f.effect, f.interval) for f in one] == [
        (f.id, f.p, f.effect, f.interval) for f in other
    ]


def test_without_wrong_results_it_cannot_be_told() -> None:
    (only,) = find(make_study(draw_scene(Plan(clips=60, groups={"who": 2}, noise=0.0))))
    assert only.outcome == "unknown" and "cannot be told" in only.sentence


def test_a_pair_of_another_model_is_told_of_too() -> None:
    scene = draw_scene(Plan(clips=300, groups={"who": 6, "way": 6}))
    listed = {one.id for one in find(make_study(scene))}
    some = [(a, b) for a in range(6) for b in range(6) if a != b]
    pairs = {f"substitutions/video/way-way{a}-way-way{b}" for a, b in some}
    hidden = min(pairs - listed)
    assert hidden in {one.id for one in find(make_study(scene).wanting([hidden]))}


def test_what_is_sampled_is_said() -> None:
    study = make_study(draw_scene(Plan(clips=300)), settings=replace(QUICK, most_queries=120))
    assert all("A sample of 1" in one.notes[0] for one in find(study))
