"""Can it be read? Probes of planted vectors, held against scikit-learn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.triage.analyses.readable import READABLE_KEYWORDS, READABLE_LIMIT
from engine.triage.finding import Finding
from engine.triage.settings import TriageSettings
from engine.triage.study import Study
from engine.triage.workings.learned_halves import measure_halves, shuffle_by_source
from engine.triage.workings.readability import (
    FEWEST_KEYWORD_SOURCES,
    Readability,
    measure_readability,
    place_scores,
    weigh_places,
)
from engine.triage.workings.shrunk_covariance import ShrunkCovariance
from tests.engine.triage.alarms import count_alarms, count_allowed
from tests.engine.triage.planted import QUICK, Plan, draw_scene, make_study


def make(way: float, *, seed: int = 0, clips: int = 240, **plan: int) -> Study:
    """Everything is readable, but the group "way" as it weighs."""
    return make_study(draw_scene(Plan(clips=clips, weights={"way": way}, seed=seed, **plan)))


def find(study: Study) -> dict[str, Finding]:
    return {"+".join(one.subject.names): one for one in READABLE_KEYWORDS.find(study)}


def test_a_hand_calculation() -> None:
    scores, own = np.array([[4.0], [1.0], [2.0], [2.0], [0.0]]), np.array([[1], [1], [1], [0], [0]])
    right = place_scores(scores, own > 0)
    # Above the two without it: both, one, one and a tie; below the three with it.
    assert right[:, 0].tolist() == [1.0, 0.5, 0.75, pytest.approx((1 + 0.5) / 3), 1.0]
    auc, pull = weigh_places(right, own > 0)
    assert auc[0] == pytest.approx(0.75)
    assert pull[:, 0] == pytest.approx([0.25 / 3, -0.25 / 3, 0.0, -0.25 / 2, 0.25 / 2])


def test_the_auc_is_that_of_scikit_learn_with_ties() -> None:
    from sklearn.metrics import roc_auc_score

    rng = np.random.default_rng(3)
    scores = rng.integers(0, 9, (60, 4)).astype(float)
    own = rng.random((60, 4)) < 0.3
    auc, _ = weigh_places(place_scores(scores, own), own)
    theirs = [roc_auc_score(own[:, k], scores[:, k]) for k in range(4)]
    assert auc == pytest.approx(theirs, abs=1e-12)


def test_probes_are_ridge_classifiers_on_the_same_halves() -> None:
    from sklearn.linear_model import RidgeClassifier
    from sklearn.metrics import roc_auc_score

    study = make(0.5, clips=100)
    learned = measure_halves(study)
    theirs = []
    for half in learned.halves:
        x, held = study.vectors[half.train].astype(float), study.vectors[half.held].astype(float)
        n, penalties = len(x), ShrunkCovariance.of(x).penalties
        s2 = np.linalg.svd(x - x.mean(axis=0), compute_uv=False) ** 2
        left = np.array([n - 1 - (s2 / (s2 + n * one)).sum() for one in penalties])
        for labels in (learned.labels, half.shuffled):
            for k in range(8):
                own = labels[half.train, k]
                fits = [RidgeClassifier(alpha=n * one).fit(x, own) for one in penalties]
                off = [((2 * own - 1 - fit.decision_function(x)) ** 2).sum() for fit in fits]
                best = fits[int(np.argmin(off / left**2))]
                theirs.append(roc_auc_score(labels[half.held, k], best.decision_function(held)))
    auc, control = np.reshape(theirs, (-1, 2, 8)).mean(axis=0)
    found = measure_readability(study).keywords
    assert found.auc == pytest.approx(auc, abs=1e-9)
    assert found.control == pytest.approx(control, abs=1e-9)


def test_a_group_is_the_mean_of_its_keywords_by_their_clips() -> None:
    found = measure_readability(make(0.5))
    support = found.keywords.support[4:]
    mean = (found.keywords.selectivity[4:] * support).sum() / support.sum()
    assert found.by_group.selectivity[1] == pytest.approx(mean)
    assert found.by_group.support.tolist() == [240, 240]


def test_a_group_that_is_not_in_the_vectors_is_found_first() -> None:
    found = list(READABLE_KEYWORDS.find(make(0.0)))
    worst = min(found, key=lambda one: one.p)
    assert worst.subject.names == ("way",)
    assert worst.p <= 0.05
    groups = [one for one in found if one.subject.kind == "group"]
    harms = {one.subject.names: one.harm * one.share * (one.p <= 0.05) for one in groups}
    assert max(harms, key=lambda name: harms[name]) == ("way",)
    assert worst.claim.startswith("Way cannot be read from the vectors: linear probes have an AUC")
    assert "95 % CI" in worst.claim


def test_a_stronger_plant_is_read_better() -> None:
    values = [find(make(weight))["way"].effect for weight in (0.0, 0.3, 0.6, 1.0)]
    assert values == sorted(values)
    assert values[0] < READABLE_LIMIT < values[-1]


def test_what_can_be_read_is_said_with_its_interval() -> None:
    one = find(make(1.0))["who"]
    assert one.p > 0.5
    assert one.harm == 0
    assert one.interval.low > READABLE_LIMIT
    assert one.otherwise.startswith("Who can be read from the vectors: linear probes have an AUC")
    assert "95 % CI" in one.otherwise


def test_what_is_between_is_left_open() -> None:
    one = find(make(0.3, clips=80))["way"]
    assert one.p > 0.05
    assert one.unsure.startswith("Whether way can be read is open: ")


def test_keywords_are_named_that_may_not_be_readable() -> None:
    keywords = {name for name in find(make(0.0)) if ":" in name}
    assert keywords
    assert all(name.startswith("way:") for name in keywords)


def test_rare_keywords_are_left_out_aloud() -> None:
    scene = draw_scene(Plan(clips=120, groups={"who": 3, "way": 16}))
    one = find(make_study(scene))["way"]
    found = measure_readability(make_study(scene))
    rare = found.keywords.support[3:] < FEWEST_KEYWORD_SOURCES
    assert rare.any()
    assert not found.keywords.measured[3:][rare].any()
    assert one.notes[0].startswith("Left out, too few sources with or without it: way")


def test_without_enough_clips_it_is_unknown() -> None:
    (one,) = READABLE_KEYWORDS.find(make(1.0, clips=30))
    assert one.outcome == "unknown"
    assert "10 sources" in one.remedy


def test_shuffled_labels_move_by_source() -> None:
    sources = np.repeat(np.arange(20), 3)
    giver = shuffle_by_source(sources, np.random.default_rng(0))
    assert sorted(giver.tolist()) == list(range(60))
    assert (sources[giver].reshape(20, 3) == sources[giver].reshape(20, 3)[:, :1]).all()


def test_two_models_share_what_is_drawn() -> None:
    scene = draw_scene(Plan(weights={"way": 0.3}))
    worse = scene.with_vectors(scene.vectors + np.random.default_rng(1).normal(0, 0.1, (240, 32)))
    one, other = find(make_study(scene))["who"], find(make_study(worse))["who"]
    assert one.draws is not None
    assert other.draws is not None
    assert np.corrcoef(one.draws, other.draws)[0, 1] > 0.5


def test_the_same_seed_finds_the_same() -> None:
    first, again = find(make(0.3)), find(make(0.3))
    assert list(first) == list(again)
    for name, one in first.items():
        assert (one.claim, one.p, one.interval) == (
            again[name].claim,
            again[name].p,
            again[name].interval,
        )


def make_barely_readable(seed: int) -> Study:
    """The truth is that both groups are at the limit: a selectivity of 0.10 to 0.11."""
    plan = Plan(100, 16, {"who": 3, "way": 3}, {"who": 0.27, "way": 0.27}, seed=seed)
    return make_study(draw_scene(plan), videos=False, settings=replace(QUICK, resamples=100))


@pytest.mark.slow
def test_what_is_readable_raises_no_false_alarms() -> None:
    assert count_alarms(READABLE_KEYWORDS, make_barely_readable) <= count_allowed()


@pytest.mark.slow
def test_the_interval_of_a_difference_covers() -> None:
    """Two models of the same clips, over and over: the interval has the true difference in it."""
    drawn: list[tuple[Readability, Readability]] = []
    for seed in range(40):
        scene = draw_scene(Plan(clips=120, weights={"way": 0.3}, seed=seed))
        other = draw_scene(Plan(clips=120, weights={"way": 0.6}, seed=seed))
        settings = TriageSettings(resamples=200, splits=4)
        drawn.append(
            tuple(
                measure_readability(make_study(one, videos=False, settings=settings))
                for one in (scene, other)
            )
        )
    effects = [two.by_group.effect(1).minus(one.by_group.effect(1)) for one, two in drawn]
    truth = np.mean([effect.value for effect in effects])
    covered = [effect.interval.low <= truth <= effect.interval.high for effect in effects]
    assert np.mean(covered) >= 0.85
