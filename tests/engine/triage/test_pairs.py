"""Minimal pairs: which keywords are told apart, all else being equal."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from engine.stats.shares import bound_shares, compute_tail
from engine.triage.analyses.pairs import MINIMAL_PAIRS
from engine.triage.correction import correct
from engine.triage.finding import Finding
from engine.triage.settings import TriageSettings
from engine.triage.study import Study
from engine.triage.workings.swap_loss import measure_swap_loss
from engine.triage.workings.swap_shares import TOLD_APART, estimate_worth, list_shares
from engine.triage.workings.swap_trials import SwapTrials, TrialKind, collect_trials
from tests.engine.triage.alarms import count_alarms, count_allowed
from tests.engine.triage.planted import (
    QUICK,
    Plan,
    Scene,
    draw_scene,
    make_study,
    make_texts,
    make_truth,
)


def make_blind_study(weight: float, seed: int = 0, clips: int = 160) -> Study:
    """Clips whose "way" weighs so much in the vectors."""
    return make_study(draw_scene(Plan(clips=clips, weights={"way": weight}, noise=1.0, seed=seed)))


def collect(study: Study, kind: TrialKind) -> SwapTrials:
    found = collect_trials(study, kind)
    assert found is not None
    return found


def find(study: Study) -> dict[str, Finding]:
    return {one.id: one for one in correct(list(MINIMAL_PAIRS.find(study)), study.settings)}


def merge(scene: Scene, group: str, one: int, other: int) -> Scene:
    """The vectors say the same of two keywords."""
    directions = scene.directions[group].copy()
    gap = directions[other] - directions[one]
    has = scene.numbers[group] == other
    return scene.with_vectors(scene.vectors - np.where(has[:, None], gap, 0.0))


def test_a_trial_is_won_where_the_right_clip_is_nearer() -> None:
    study = make_blind_study(1.0, clips=60)
    trials = collect(study, "video")
    names = [str(word) for word in study.truth.words.keywords]

    for trial in range(0, len(trials), 7):
        right, wrong = names[trials.right[trial]], names[trials.wrong[trial]]
        asker, lost = int(trials.asker[trial]), int(trials.clip[trial])
        asking = {str(word) for word in study.truth.keywords_of(asker)}
        other = {str(word) for word in study.truth.keywords_of(lost)}
        assert right in asking and other == asking - {right} | {wrong}
        twins = [
            row
            for row in range(60)
            if {str(word) for word in study.truth.keywords_of(row)} == asking and row != asker
        ]
        near = study.vectors @ study.vectors[asker]
        margins = near[twins] - near[lost]
        assert np.abs(margins - trials.margins[trial]).min() < 1e-6
    assert_array_equal(trials.wins, trials.margins > 0)


def test_texts_ask_clips_and_clips_ask_texts() -> None:
    scene = draw_scene(Plan(clips=120, noise=0.5))
    study = make_study(scene, texts=make_texts(scene))
    names = study.asked[0].queries.names

    text, reverse = collect(study, "text"), collect(study, "reverse")

    for trial in range(0, len(text), 11):
        right = study.truth.words.keywords[text.right[trial]].name
        wrong = study.truth.words.keywords[text.wrong[trial]].name
        own = names[text.asker[trial]].split()
        assert right in own
        clip = {word.name for word in study.truth.keywords_of(int(text.clip[trial]))}
        assert clip == set(own) - {right} | {wrong}
    for trial in range(0, len(reverse), 11):
        own = names[reverse.asker[trial]].split()
        clip = {word.name for word in study.truth.keywords_of(int(reverse.clip[trial]))}
        assert clip == set(own)
    assert min(text.wins.mean(), reverse.wins.mean()) > 0.95


def test_independent_trials_are_binomial() -> None:
    """Trials that share nothing are worth themselves: against a binomial test."""
    from scipy.stats import binomtest

    rng = np.random.default_rng(0)
    wins = (rng.random(90) < 0.6).astype(float)
    keyword = np.zeros(90, np.int64)
    trials = SwapTrials(
        "reverse",
        wins,
        wins - 0.5,
        keyword,
        keyword,
        keyword + 1,
        np.arange(270).reshape(90, 3),
        keyword,
        keyword,
    )
    (found,) = list_shares(make_blind_study(1.0, clips=40), trials)
    told = binomtest(int(wins.sum()), 90, TOLD_APART, alternative="less")
    tail = compute_tail(np.array([90 - wins.sum()]), np.array([90.0]), np.array([0.25]))
    whole = binomtest(int(wins.sum()), 90).proportion_ci(0.95)
    low, high = bound_shares(np.array([wins.sum()]), np.array([90.0]), np.array([0.05]))

    assert_allclose(tail, told.pvalue)
    assert_allclose([low[0], high[0]], [whole.low, whole.high])
    assert 88 < found.worth <= 90
    assert found.tail == pytest.approx(told.pvalue, rel=0.2)
    assert found.interval.low == pytest.approx(whole.low, abs=0.005)


def test_trials_that_share_clips_are_worth_less_by_hand() -> None:
    """20 clips decide five trials each, alike: 100 trials are worth 20."""
    wins = np.repeat(np.arange(20) % 2, 5).astype(float)
    parts = np.repeat(np.arange(20), 5)[:, None]
    keyword = np.zeros(100, np.int64)
    trials = SwapTrials(
        "reverse", wins, wins - 0.5, keyword, keyword, keyword + 1, parts, keyword, keyword
    )

    (found,) = list_shares(make_blind_study(1.0, clips=40), trials)

    variance = 20 * 5**2 * 0.25 / 100**2
    assert 0.25 / variance == pytest.approx(20)
    expected = estimate_worth(0.5, variance, 100, 20, np.array([0.05]))
    assert found.worth == pytest.approx(expected)
    assert 10 < found.worth < 20


def test_keywords_that_vectors_do_not_tell_apart_are_found_first() -> None:
    scene = merge(draw_scene(Plan(clips=240, noise=1.0)), "way", 0, 1)
    findings = correct(list(MINIMAL_PAIRS.find(make_study(scene))), QUICK)

    worst = findings[0]
    assert worst.outcome == "found"
    assert worst.subject.names == ("way:way0", "way:way1")
    assert worst.effect == pytest.approx(0.5, abs=0.15)
    assert worst.sentence.startswith("“way0” and “way1” are hardly told apart: by clips in ")
    assert worst.sentence.endswith("; chance 50).")
    assert worst.harm > 0.02
    assert not [one for one in findings if one.outcome == "found" and "who" in str(one.subject)]


def test_the_less_a_group_weighs_the_smaller_its_share() -> None:
    found = [find(make_blind_study(weight))["pairs/video/way"] for weight in (1.5, 0.25, 0.0)]

    assert found[0].effect > found[1].effect > found[2].effect
    assert [one.outcome for one in found] == ["nothing", "found", "found"]
    assert found[2].effect == pytest.approx(0.5, abs=0.1)
    assert found[0].sentence.startswith("Keywords of way are told apart by clips in ")


def test_texts_that_vectors_do_not_tell_apart_are_found() -> None:
    scene = draw_scene(Plan(clips=160, noise=0.5, weights={"way": 0.0}))
    found = find(make_study(scene, texts=make_texts(scene), videos=False))

    assert found["pairs/text/way"].outcome == "found"
    assert found["pairs/text/way"].claim.startswith(
        "Keywords of way are hardly told apart: by text"
    )
    assert found["pairs/text/who"].outcome == "nothing"
    assert found["pairs/text/texts"].claim.startswith("Texts that differ in one keyword")
    assert all(name.startswith("who") for name in found["pairs/text/way"].evidence.queries)


def test_places_that_went_to_swaps_are_counted_by_hand() -> None:
    """Query 0 has one hit and two results with another way; the third wrong one has nothing."""
    who, way = np.array([0, 0, 0, 0, 1, 0]), np.array([0, 0, 1, 1, 1, 0])
    vectors = np.array([[1, 0], [1, 0.1], [1, 0.2], [1, 0.3], [1, 0.4], [-1, 0.1]])
    scene = replace(
        draw_scene(Plan(clips=6)),
        truth=make_truth({"who": who, "way": way}),
        vectors=vectors,
        sources=np.arange(6),
    )
    study = make_study(scene, settings=replace(QUICK, k=4))
    alone = replace(study.asked[0], values=np.array([0.25, *[np.nan] * 5]))
    loss = measure_swap_loss(replace(study, asked=(alone,)), 0)

    # One relevant clip was missed, of three wrong places: each is worth a third of a quarter.
    assert loss.queries == 1
    assert_allclose(loss.points, [1 / 12, 1 / 12])
    words = [str(word) for word in study.truth.words.keywords]
    assert {words[c] for c in loss.right.tolist()} == {"way:way0"}
    assert {words[c] for c in loss.wrong.tolist()} == {"way:way1"}


def test_too_few_pairs_are_unknown() -> None:
    (found,) = MINIMAL_PAIRS.find(make_study(draw_scene(Plan(clips=8))))

    assert found.outcome == "unknown" and found.mode == "video"
    assert found.sentence.startswith("There are too few pairs of clips that differ in one keyword")


def test_the_same_seed_finds_the_same_and_draws_belong_together() -> None:
    one, other = (list(MINIMAL_PAIRS.find(make_blind_study(0.5))) for _ in range(2))
    better = find(make_blind_study(0.9))["pairs/video/way"]
    way = next(found for found in one if found.id == "pairs/video/way")

    assert [(a.id, a.claim, a.p) for a in one] == [(b.id, b.claim, b.p) for b in other]
    assert way.draws is not None and better.draws is not None
    assert np.corrcoef(way.draws, better.draws)[0, 1] > 0.1
    assert way.draws.std() == pytest.approx((way.interval.high - way.interval.low) / 4, rel=0.3)


@pytest.mark.slow
def test_shares_of_noise_lie_in_their_intervals() -> None:
    """Vectors of noise, clips that are in many trials: half of each kind is won."""
    missed: list[bool] = []
    for seed in range(150):
        plan = Plan(clips=90, weights={"who": 0.0, "way": 0.0}, seed=seed)
        study = make_study(draw_scene(plan), settings=TriageSettings(resamples=100, depth=5))
        shares = list_shares(study, collect(study, "video"))
        missed += [not one.interval.low <= 0.5 <= one.interval.high for one in shares]

    assert np.mean(missed) < 0.07


@pytest.mark.slow
def test_keywords_that_are_just_told_apart_are_rarely_found() -> None:
    """Of these weights three of four trials are won: all that is tested is just at the limit."""
    settings = TriageSettings(resamples=100, depth=5)

    def make(seed: int) -> Study:
        plan = Plan(clips=100, weights={"who": 0.745, "way": 0.745}, seed=seed)
        return make_study(draw_scene(plan), settings=settings)

    assert count_alarms(MINIMAL_PAIRS, make) <= count_allowed()
