"""Blame: what a keyword costs, beyond the others of the same queries."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from engine.base.arrays import Floats
from engine.triage.analyses.blame import BLAME
from engine.triage.correction import correct
from engine.triage.finding import Finding
from engine.triage.study import Study
from engine.triage.workings.blame_shares import BlameShares, measure_blame
from tests.engine.triage.alarms import count_alarms, count_allowed
from tests.engine.triage.planted import (
    QUICK,
    Plan,
    draw_scene,
    make_study,
    make_texts,
)
from tests.engine.triage.plants import weaken


def value_by_hand(study: Study, query: int, kept: frozenset[int]) -> tuple[float, float]:
    """v and `reached` of one query that asks for these columns only."""
    asked, truth, k = study.asked[0], study.truth, study.settings.k
    if not kept:
        return 1.0, 1.0
    has = study.unpack(np.array(sorted(kept))).all(axis=1)
    own = asked.own_rows
    findable = np.ones(len(truth), bool)
    if own is not None:
        findable[own[query]] = False
    relevant, clips = (has & findable).sum(), findable.sum()
    precision = has[asked.judged.ranking.indices[query, :k]].sum() / k
    chance = relevant / clips
    if relevant == clips:
        return 1.0, 1.0
    best = min(relevant, k) / k
    return (precision - chance) / (1 - chance), (precision - chance) / (best - chance)


def share_by_hand(study: Study, query: int, columns: list[int]) -> Floats:
    """(n, 2) the mean of what each keyword adds, over all orders of dropping."""
    shares = np.zeros((len(columns), 2))
    for order in permutations(range(len(columns))):
        for place, dropped in enumerate(order):
            kept = {columns[at] for at in order[place + 1 :]}
            before = value_by_hand(study, query, frozenset(kept | {columns[dropped]}))
            shares[dropped] += np.subtract(value_by_hand(study, query, frozenset(kept)), before)
    return shares / math.factorial(len(columns))


def rows_of(shares: BlameShares, query: int) -> np.ndarray:
    return np.flatnonzero(shares.query == query)


@pytest.mark.parametrize("videos", [True, False])
def test_shares_are_those_of_all_orders(videos: bool) -> None:
    groups = {"who": 2, "way": 3, "sky": 2, "day": 2}
    scene = draw_scene(Plan(clips=150, groups=groups, seed=3))
    study = make_study(scene, texts=None if videos else make_texts(scene), videos=videos)
    shares = measure_blame(study, 0)
    for query in shares.queries[:6].tolist():
        rows = rows_of(shares, query)
        expected = share_by_hand(study, query, shares.column[rows].tolist())
        assert np.allclose(np.stack([shares.blame[rows], shares.reached[rows]], axis=1), expected)


def test_shares_sum_to_all_that_a_query_lacks() -> None:
    study = make_study(draw_scene(Plan(groups={"who": 3, "way": 3, "sky": 2}, seed=1)))
    (asked,) = study.asked
    shares = measure_blame(study, 0)
    sums = np.bincount(shares.query, shares.blame, len(asked))[shares.queries]
    chance = asked.judged.relevant / asked.judged.collection
    lacks = (1 - asked.values) / (1 - chance)  # 1 − v(∅)
    assert np.allclose(sums, lacks[shares.queries])


def test_one_keyword_by_hand() -> None:
    # Of 9 clips that could be found 4 have the keyword, and 3 of the 5 results: v = (3/5 − 4/9)
    # / (5/9) = 0.28; what is lacking is the keyword's. Of 4 of 5 places that could be filled it
    # is (3/5 − 4/9) / (4/5 − 4/9) = 0.4375.
    scene = draw_scene(Plan(clips=10, groups={"who": 2}))
    numbers = {"who": np.array([0, 0, 0, 0, 0, 1, 1, 1, 1, 1])}
    angles = np.array([0.0, 0.1, 0.2, 0.3, 3.0, 0.25, 0.26, 2.0, 2.1, 2.2])
    from tests.engine.triage.planted import make_truth

    scene = replace(scene, truth=make_truth(numbers), numbers=numbers).with_vectors(
        np.stack([np.cos(angles), np.sin(angles)], axis=1)
    )
    shares = measure_blame(make_study(scene), 0)
    assert shares.blame[0] == pytest.approx(1 - 0.28)
    assert shares.reached[0] == pytest.approx(1 - 0.4375)


def test_many_keywords_are_shared_by_drawn_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.triage.workings import blame_shares

    scene = draw_scene(Plan(clips=120, groups={"who": 2, "way": 2, "sky": 2, "day": 2}, seed=5))
    exact = measure_blame(make_study(scene), 0)
    monkeypatch.setattr(blame_shares, "MOST_EXACT", 3)
    monkeypatch.setattr(blame_shares, "_ORDERS", 400)
    study = make_study(scene)
    drawn = measure_blame(study, 0)
    assert drawn.drawn == len(drawn.queries)
    query = drawn.queries[0]
    assert np.allclose(
        drawn.blame[rows_of(drawn, query)], exact.blame[rows_of(exact, query)], atol=0.1
    )
    sums = [np.bincount(one.query, one.blame) for one in (exact, drawn)]
    assert np.allclose(*[total[drawn.queries] for total in sums])
    assert any("drawn at random" in note for one in BLAME.find(study) for note in one.notes)


def test_a_keyword_that_every_clip_has_is_to_blame_for_nothing() -> None:
    scene = draw_scene(Plan(groups={"who": 4, "way": 3, "all": 1}))
    study = make_study(scene)
    shares = measure_blame(study, 0)
    (column,) = study.columns_of("all")
    assert np.abs(shares.blame[shares.column == column]).max() < 1e-12


def plant(by: float, seed: int = 0) -> Study:
    scene = draw_scene(
        Plan(clips=320, dimension=64, groups={"who": 4, "way": 4}, noise=1.0, seed=seed)
    )
    return make_study(weaken(scene, "way", 2, by))


def find(study: Study) -> list[Finding]:
    return list(BLAME.find(study))


def test_a_planted_keyword_is_found_first() -> None:
    study = plant(1.0)
    decided = correct(find(study), study.settings)
    first = next(one for one in decided if one.subject.kind == "keyword")
    # Its group costs more for its sake, and all queries ask for one of a group.
    assert {one.subject.names for one in decided[: decided.index(first)]} <= {("way",)}
    assert first.subject.names == ("way:way2",) and first.p <= 0.05
    assert first.outcome == "found" and first.mode == "video"
    assert "“way2” costs" in first.sentence and "more than the other keywords" in first.sentence
    words = study.truth.words
    asking = study.truth.relevant([words.find("way2")])
    assert set(first.evidence.queries) <= {study.truth.ids[row] for row in asking.indices()}
    assert not set(first.evidence.clips) & {study.truth.ids[row] for row in asking.indices()}


def test_the_more_is_planted_the_more_it_costs() -> None:
    costs = [
        next(one.effect for one in find(plant(by)) if one.subject.names == ("way:way2",))
        for by in (0.0, 0.6, 1.0)
    ]
    assert costs[0] + 0.04 < costs[1] < costs[2] - 0.04


def test_the_effect_is_the_excess_over_the_other_keywords_and_the_blame_is_named() -> None:
    study = plant(1.0)
    shares = measure_blame(study, 0)
    (column,) = [
        c for c in study.columns_of("way") if str(study.truth.words.keywords[c]) == "way:way2"
    ]
    excess, blame, harm = [], [], []
    for query, lacking in zip(shares.queries.tolist(), shares.lacking.tolist(), strict=True):
        rows = rows_of(shares, query)
        own, others = rows[shares.column[rows] == column], rows[shares.column[rows] != column]
        if len(own):
            blame.append(shares.blame[own[0]])
            excess.append(blame[-1] - shares.blame[others].mean())
            harm.append(lacking)
    one = next(one for one in find(study) if one.subject.names == ("way:way2",))
    assert one.effect == pytest.approx(np.mean(excess))
    assert dict(one.numbers)["blame"] == pytest.approx(np.mean(blame))
    assert one.harm == pytest.approx(np.mean(excess) * np.mean(harm))
    assert one.support == len(excess)
    assert one.claim.startswith(f"“way2” costs {np.mean(excess):.3f} points")
    assert f": {np.mean(blame):.3f} in the {len(blame)} queries" in one.claim


def test_a_planted_group_is_found() -> None:
    scene = draw_scene(Plan(clips=240, dimension=64, weights={"way": 0.1}, noise=1.0))
    found = {one.subject.names: one for one in find(make_study(scene))}
    assert found["way",].p <= 0.05 and found["who",].p > 0.5


def make_noise(seed: int) -> Study:
    """Nothing is in the vectors: every keyword is to blame alike."""
    plan = Plan(clips=120, groups={"who": 3, "way": 3}, weights={"who": 0, "way": 0}, seed=seed)
    return make_study(draw_scene(plan), settings=replace(QUICK, resamples=200))


def make_alike(seed: int) -> Study:
    """Every keyword is in the vectors alike, and at right angles to the others."""
    scene = draw_scene(Plan(clips=120, groups={"who": 3, "way": 3}, per_source=2, seed=seed))
    axes = np.eye(32)
    clean = scene.vectors - sum(scene.directions[g][scene.numbers[g]] for g in ("who", "way"))
    for first, group in ((0, "who"), (3, "way")):
        clean = clean + axes[first + scene.numbers[group]]
    return make_study(scene.with_vectors(clean), settings=replace(QUICK, resamples=200))


@pytest.mark.slow
@pytest.mark.parametrize("make", [make_noise, make_alike])
def test_false_alarms_are_rare(make: object) -> None:
    assert count_alarms(BLAME, make) <= count_allowed()  # type: ignore[arg-type]


def test_without_effect_it_says_so_with_the_interval() -> None:
    study = make_noise(0)
    for one in correct(find(study), study.settings):
        assert one.outcome != "found" and "95 % CI" in one.sentence
        assert "none is found" in one.sentence or "is not found to cost more" in one.sentence


def test_the_same_seed_finds_the_same() -> None:
    one, other = find(plant(0.5)), find(plant(0.5))
    assert [(f.id, f.p, f.effect, f.interval) for f in one] == [
        (f.id, f.p, f.effect, f.interval) for f in other
    ]


def test_single_keywords_share_nothing() -> None:
    (only,) = find(make_study(draw_scene(Plan(clips=40, groups={"who": 3}))))
    assert only.outcome == "unknown" and "two keywords" in only.sentence


def test_queries_are_sampled_aloud() -> None:
    scene = draw_scene(Plan(clips=200))
    study = make_study(scene, settings=replace(QUICK, most_queries=50))
    found = find(study)
    assert all("A sample of" in one.notes[0] for one in found)
    assert all(one.support <= 50 and one.share <= 1 for one in found)
