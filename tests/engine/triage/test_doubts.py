"""Doubtful labels: planted ones are found, and nothing judges itself."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from engine.base.arrays import Bools
from engine.keywords.judge import judge
from engine.triage.analyses.doubts import DOUBTS
from engine.triage.correction import correct
from engine.triage.mode_queries import compute_precision
from engine.triage.study import Study
from engine.triage.workings.corrected_labels import correct_labels
from engine.triage.workings.label_doubts import (
    LabelDoubts,
    calibrate,
    find_doubtful,
    measure_doubts,
)
from tests.engine.triage.alarms import has_alarm
from tests.engine.triage.planted import (
    QUICK,
    Plan,
    draw_scene,
    make_study,
    make_texts,
)
from tests.engine.triage.plants import see_again, turn_labels


def make(rate: float, *, noise: float = 1.2, seed: int = 0) -> tuple[Study, Bools]:
    scene = draw_scene(Plan(seed=seed))
    marred, wrong = turn_labels(scene, rate)
    return make_study(marred, second=see_again(scene, noise)), wrong


def test_a_hand_calculation() -> None:
    p = np.array([0.95, 0.85, 0.92, 0.05, 0.1, 0.02, 0.04])[:, None]
    labels = np.array([1, 1, 0, 1, 0, 0, 0])[:, None] > 0
    # t₁ = (0.95 + 0.85 + 0.05) / 3 = 0.617; t₀ = (0.08 + 0.9 + 0.98 + 0.96) / 4 = 0.73.
    missing, wrong = find_doubtful(p, labels)
    assert np.flatnonzero(missing).tolist() == [2]
    assert np.flatnonzero(wrong).tolist() == [3]


def test_doubts_are_those_of_cleanlab() -> None:
    from cleanlab.multilabel_classification.filter import find_multilabel_issues_per_class

    rng = np.random.default_rng(5)
    true = rng.random((300, 4)) < [0.5, 0.3, 0.2, 0.1]
    p = np.clip(np.where(true, 0.75, 0.2) + 0.15 * rng.normal(size=(300, 4)), 0.01, 0.99)
    given = true ^ (rng.random(true.shape) < 0.05)
    lists = [np.flatnonzero(row).tolist() for row in given]
    theirs = find_multilabel_issues_per_class(lists, p, n_jobs=1, filter_by="confident_learning")
    # Ours also must be probable; without that they are the same, but for where neither label is.
    missing, wrong = find_doubtful(p, given, least=0.5)
    assert ((missing | wrong) == theirs).all()
    assert (missing | wrong).sum() > 20


def test_probabilities_are_those_of_a_logistic_regression() -> None:
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(2)
    labels = rng.random((400, 2)) < 0.3
    scores = 5 + 0.01 * (labels + rng.normal(size=(400, 2)))
    found = calibrate(scores, labels, np.ones(400, np.bool_))
    for k in range(2):
        own, n = labels[:, k], labels[:, k].sum()
        # Platt's targets: each clip counts for both labels, by how much of each it is.
        high, low = (n + 1) / (n + 2), 1 / (400 - n + 2)
        target = np.where(own, high, low)
        s = (scores[:, k : k + 1] - 5) / 0.01
        fit = LogisticRegression(C=1e9, tol=1e-10, max_iter=1000).fit(
            np.vstack([s, s]), np.repeat([1, 0], 400), np.hstack([target, 1 - target])
        )
        assert found[:, k] == pytest.approx(fit.predict_proba(s)[:, 1], abs=1e-5)


def test_scores_that_separate_stay_finite() -> None:
    labels = np.arange(100)[:, None] < 30
    found = calibrate(np.where(labels, 1.0, -1.0), labels, np.ones(100, np.bool_))
    assert found[0, 0] == pytest.approx(31 / 32, abs=1e-3)
    assert found[-1, 0] == pytest.approx(1 / 72, abs=1e-3)


def test_wrong_labels_are_found_and_ranked_first() -> None:
    study, wrong = make(0.05)
    doubts = measure_doubts(study)
    hit = wrong[doubts.rows, doubts.columns]
    assert len(doubts.judged) == 8
    assert hit.mean() > 0.9 > 10 * wrong.mean()
    assert hit.sum() > 0.6 * wrong.sum()
    assert hit[: len(hit) // 2].all()
    having = study.unpack(study.selection.columns)
    assert (doubts.wrong == having[doubts.rows, doubts.columns]).all()


def test_more_wrong_labels_are_more_doubts() -> None:
    counts = [len(measure_doubts(make(rate)[0])) for rate in (0.0, 0.02, 0.05)]
    assert counts == sorted(counts)
    assert counts[0] < 0.005 * 240 * 8 < counts[1] < counts[2]


@pytest.mark.slow
def test_right_labels_raise_few_doubts_and_no_alarm() -> None:
    rates = []
    for seed in range(20):
        study, _ = make(0.0, noise=1.6, seed=seed)
        rates.append(len(study.once(measure_doubts)) / (240 * 8))
        assert not has_alarm(DOUBTS, study)
    assert np.mean(rates) < 0.01


def test_what_m_would_be_is_what_judging_anew_says() -> None:
    scene = draw_scene(Plan())
    marred, wrong = turn_labels(scene, 0.05)
    study = make_study(marred, second=see_again(scene), texts=make_texts(scene))
    rows, columns = np.nonzero(wrong)
    having = study.unpack(study.selection.columns)[rows, columns]
    none = np.empty(0, np.int64)
    every = LabelDoubts(
        rows, columns, np.zeros(len(rows)), having, study.selection.columns, none, none, 240
    )
    right = make_study(scene, texts=make_texts(scene))
    for asked, truly in zip(study.asked, right.asked, strict=True):
        found = correct_labels(study, asked, every)
        bits = truly.queries.bits
        judged = judge(asked.judged.ranking, scene.truth, bits, own_rows=asked.own_rows)
        expected = compute_precision(judged, 5)
        assert np.array_equal(found.values, expected, equal_nan=True)
        assert found.now == pytest.approx(np.nanmean(asked.values))
        assert found.then == pytest.approx(np.nanmean(expected))
        assert found.between.low <= min(found.now, found.then)
        assert found.between.high >= max(found.now, found.then)


def test_the_sentences() -> None:
    study, _ = make(0.05)
    whole, *keywords = list(DOUBTS.find(study))
    assert whole.outcome == "fact"
    assert whole.sentence.startswith("Of 1,920 labels, alfa-9 contradicts ")
    assert " would move the P@5 of video queries from 0." in whole.sentence
    assert not whole.tests
    assert 0 < len(keywords) <= 10
    assert all(one.effect >= two.effect for one, two in pairwise(keywords))
    assert len(keywords[0].evidence.clips) > 0
    assert {one.outcome for one in correct([whole, *keywords], QUICK)} == {"fact"}


def test_labels_without_doubt_are_said_to_be_so() -> None:
    study, _ = make(0.0, noise=0.3)
    (one,) = DOUBTS.find(study)
    assert one.outcome == "nothing"
    assert one.sentence == "Of 1,920 labels, alfa-9 contradicts none (8 keywords, 240 clips)."


def test_the_model_does_not_judge_itself() -> None:
    (one,) = DOUBTS.find(make_study(draw_scene()))
    assert one.outcome == "unknown"
    assert one.remedy == "name --visual MODEL or add a second model"


def test_who_knows_nothing_contradicts_nothing() -> None:
    scene = draw_scene()
    (one,) = DOUBTS.find(make_study(scene, second=see_again(scene, noise=30.0)))
    assert one.outcome == "unknown"
    assert "knows none of the keywords" in one.sentence


def test_keywords_that_are_rare_or_not_known_are_left_out_aloud() -> None:
    scene = draw_scene(Plan(groups={"who": 4, "way": 4, "odd": 60}))
    study = make_study(scene, second=see_again(scene, leaves_out="way"))
    doubts = measure_doubts(study)
    words = study.truth.words.keywords
    assert {words[c].group for c in doubts.unclear.tolist()} >= {"way"}
    assert {words[c].group for c in doubts.rare.tolist()} == {"odd"}
    assert {words[c].group for c in doubts.judged.tolist()} >= {"who"}
    notes = next(iter(DOUBTS.find(study))).notes
    assert any(note.startswith("Left out, fewer than 10 sources") for note in notes)
    assert any(
        note.startswith("Left out, alfa-9 does not know it (AUC below 0.8)") for note in notes
    )


def test_clips_that_were_not_seen_again_are_not_judged() -> None:
    scene = draw_scene(Plan())
    second = see_again(scene)
    known = np.arange(240) % 3 > 0
    doubts = measure_doubts(
        make_study(turn_labels(scene, 0.05)[0], second=replace(second, known=known))
    )
    assert doubts.clips == 160
    assert known[doubts.rows].all()


def test_the_same_seed_finds_the_same() -> None:
    first, again = measure_doubts(make(0.05)[0]), measure_doubts(make(0.05)[0])
    assert np.array_equal(first.rows, again.rows)
    assert np.array_equal(first.probability, again.probability)
