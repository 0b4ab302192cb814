"""How much series and copies of clips flatter m: against brute force, and with series planted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.base.arrays import Floats, Ints
from engine.triage.analyses.leakage import (
    LEAKAGE,
    find_leakage,
    find_repeats,
    measure_own_kin,
    measure_repeats,
)
from engine.triage.correction import correct
from engine.triage.finding import Finding
from engine.triage.mode_queries import ModeQueries
from engine.triage.settings import TriageSettings
from engine.triage.study import Reference, Study
from engine.triage.workings.clip_kin import (
    find_kin,
    join_pairs,
    measure_one_each,
    measure_without_own,
)
from tests.engine.triage.alarms import count_alarms, count_allowed
from tests.engine.triage.planted import (
    Plan,
    Scene,
    draw_scene,
    make_study,
    make_texts,
    make_truth,
    make_unit,
)
from tests.engine.triage.plants import draw_series

LEAN = TriageSettings(resamples=200)
OWN, EACH = "own source", "one per source"


def make(scene: Scene) -> Study:
    return make_study(scene, texts=make_texts(scene), settings=LEAN)


def decide(study: Study) -> dict[tuple[str, str], Finding]:
    found = correct(list(find_leakage(study)), study.settings)
    return {(one.mode or "", one.subject.names[0]): one for one in found}


def compute_by_hand(study: Study, asked: ModeQueries, kin: Ints, *, each: bool) -> Floats:
    """P@5 without own kin (and of the first clip of each kin), query by query."""
    values = []
    for query in range(len(asked)):
        own = None if asked.queries.rows is None else int(asked.queries.rows[query])
        scores = study.vectors.astype(float) @ asked.vectors[query].astype(float)
        bits = asked.queries.bits[query]
        relevant = ((study.truth.bits & bits) == bits).all(axis=1)
        found, seen = [], set()
        for row in np.argsort(-scores, kind="stable").tolist():
            if own is not None and kin[row] == kin[own]:
                relevant[row] = False
            elif not (each and kin[row] in seen):
                seen.add(kin[row])
                found.append(row)
        hits = relevant[found[:5]].mean() if len(found) >= 5 and relevant.any() else np.nan
        values.append(hits)
    return np.array(values)


@pytest.mark.parametrize("mode", [0, 1])
def test_m_without_kin_is_that_of_brute_force(mode: int) -> None:
    study = make(draw_series(30, 4))
    asked, kin = study.asked[mode], find_kin(study).numbers
    each = compute_by_hand(study, asked, kin, each=True)
    assert measure_repeats(study, mode).without.values.tolist() == pytest.approx(
        each.tolist(), nan_ok=True
    )
    if asked.own_rows is not None:
        own = compute_by_hand(study, asked, kin, each=False)
        flattery = measure_own_kin(study, mode)
        assert flattery.without.values.tolist() == pytest.approx(own.tolist(), nan_ok=True)
        gained = np.nanmean(asked.values - own)
        assert flattery.gained.effect.value == pytest.approx(gained)


def test_repeats_and_joined_pairs_by_hand() -> None:
    assert find_repeats(np.array([[1, 2, 1, 2, 2]])).tolist() == [[False, False, True, True, True]]
    assert join_pairs(np.array([4, 2]), np.array([2, 0]), 5).tolist() == [0, 1, 0, 2, 0]


def test_series_are_found_and_flatter_the_more_the_longer_they_are() -> None:
    flattered = []
    for length in (1, 2, 4):
        found = decide(make(draw_series(40, length)))
        own = found["video", OWN]
        flattered.append(own.effect)
        assert (own.outcome == "found") == (length > 1)
    assert flattered[0] == 0 < flattered[1] < flattered[2]
    worst = max(found.values(), key=lambda one: one.severity)
    assert worst.mode == "video"
    assert worst.severity > 0.1
    assert own.claim.startswith("Answers from the query's own source, and near-copies of it, flat")
    assert own.evidence.queries
    assert own.evidence.clips


def test_a_series_of_answers_flatters_texts() -> None:
    scene = draw_series(20, 6)
    texts = [(n, w, v) for seed in range(4) for n, w, v in make_texts(scene, noise=0.5 * seed)]
    found = decide(make_study(scene, texts=texts, videos=False, settings=LEAN))
    assert ("text", OWN) not in found
    assert found["text", EACH].numbers[1][1] > 0.2
    assert "of the first 5 results are left" in found["text", EACH].claim


def test_copies_in_other_sources_are_found_by_their_vectors() -> None:
    scene = draw_series(12, 2, spread=0.0)
    apart = replace(scene, sources=np.arange(240), truth=make_truth(scene.numbers, np.arange(240)))
    study = make(apart)
    kin = find_kin(study)
    assert len(kin.near) == 12
    assert (kin.numbers[0:24:2] == kin.numbers[1:24:2]).all()
    assert len(np.unique(kin.numbers)) == 240 - 12
    own = next(f for f in find_leakage(study) if f.subject.names == (OWN,))
    assert own.effect > 0


def test_equal_frames_make_kin() -> None:
    scene = draw_scene(Plan(clips=60))
    frames = make_unit(np.random.default_rng(0).normal(size=(60, 8)))
    frames[7] = frames[3]
    frames[8] = frames[9] = 0
    known = np.arange(60) != 9
    known[8] = False
    study = make_study(scene, visual=Reference("frames", frames, known))
    numbers = find_kin(study).numbers
    assert numbers[7] == numbers[3]
    assert len(np.unique(numbers)) == 59
    other = make_study(scene, visual=Reference("another model", frames, known))
    assert len(np.unique(find_kin(other).numbers)) == 60


def test_kin_that_fill_the_results_are_searched_past() -> None:
    scene = draw_series(2, 60, clips=200)
    settings = TriageSettings(resamples=200, depth=10)
    study = make_study(scene, settings=settings)
    asked = study.asked[0]
    kin = find_kin(study).numbers
    without = measure_one_each(study, 0)
    assert without.deeper >= 120
    assert without.short == 0
    own = compute_by_hand(study, asked, kin, each=False)
    assert measure_without_own(study, 0).values.tolist() == pytest.approx(own.tolist(), nan_ok=True)
    expected = compute_by_hand(study, asked, kin, each=True)
    assert without.values.tolist() == pytest.approx(expected.tolist(), nan_ok=True)
    notes = [note for one in find_leakage(study) for note in one.notes]
    assert any("searched deeper" in note for note in notes)


def test_clips_of_one_source_alone_cannot_tell() -> None:
    scene = draw_series(1, 80, clips=80)
    (own, each) = find_leakage(make_study(scene, settings=LEAN))
    assert own.outcome == each.outcome == "unknown"
    assert own.id != each.id
    assert "cannot be told" in own.sentence


def test_without_series_nothing_is_flattered_and_the_sentence_says_so() -> None:
    scene = draw_scene(Plan(clips=400, per_source=2, weights={"who": 2, "way": 2}))
    for finding in decide(make(scene)).values():
        assert finding.outcome == "nothing"
        assert "do not flatter P@5: " in finding.sentence
        assert "95 % CI" in finding.sentence


def test_same_seed_same_findings() -> None:
    one, two = (list(find_leakage(make(draw_series(20, 3)))) for _ in range(2))
    assert [(f.claim, f.p) for f in one] == [(f.claim, f.p) for f in two]


@pytest.mark.slow
def test_sources_without_likeness_raise_no_alarm() -> None:
    def make_null(seed: int) -> Study:
        scene = draw_scene(
            Plan(clips=90, dimension=12, groups={"who": 3, "way": 4}, per_source=3, seed=seed)
        )
        return make_study(scene, settings=LEAN)

    assert count_alarms(LEAKAGE, make_null) <= count_allowed()
