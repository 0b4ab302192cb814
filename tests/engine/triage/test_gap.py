"""What the gap between texts and clips costs: by hand, and with gaps that do and do not cost."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.distance import cdist, pdist

from engine.triage.analyses.gap import (
    MODALITY_GAP,
    average_distance,
    centre_by_halves,
    find_gap,
    measure_gap,
    measure_gap_loss,
)
from engine.triage.correction import correct
from engine.triage.finding import Finding
from engine.triage.settings import TriageSettings
from engine.triage.study import Study
from tests.engine.triage.alarms import count_alarms, count_allowed
from tests.engine.triage.planted import Plan, draw_scene, make_study, make_texts, make_unit
from tests.engine.triage.plants import draw_gap

LEAN = TriageSettings(resamples=200)


def draw_study(
    texts_by: float = 0.0, clips_by: float = 0.0, *, aside: bool = False, seed: int = 0
) -> Study:
    scene, texts = draw_gap(texts_by, clips_by, aside=aside, seed=seed)
    return make_study(scene, texts=texts, videos=False, settings=LEAN)


def decide(study: Study) -> Finding:
    (finding,) = correct(list(find_gap(study)), study.settings)
    return finding


def test_distances_by_hand() -> None:
    assert average_distance(np.float32([[1, 0], [-1, 0]])) == 1
    assert math.isnan(average_distance(np.float32([[1, 0]])))
    units = make_unit(np.random.default_rng(0).normal(size=(20, 5)))
    assert average_distance(units) == pytest.approx(pdist(units, "cosine").mean() / 2, abs=1e-6)


def test_the_gap_is_that_of_the_formula() -> None:
    study = draw_study(1.0, 0.5)
    asked = study.asked[0]
    rows = np.arange(len(asked))
    gap = measure_gap(study, asked, rows)
    texts, clips = asked.vectors.astype(float), study.vectors.astype(float)
    bits = asked.queries.bits[:, None]
    relevant = ((study.truth.bits & bits) == bits).all(axis=2)
    distances = cdist(texts, clips, "cosine") / 2
    pairs = np.mean([d[r].mean() for d, r in zip(distances, relevant, strict=True) if r.any()])
    d_aa, d_bb = (pdist(some, "cosine").mean() / 2 for some in (texts, clips))
    assert gap.pairs == pytest.approx(pairs, abs=1e-6)
    assert gap.relative == pytest.approx(pairs / (pairs + (d_aa + d_bb) / 2), abs=1e-6)
    between = np.linalg.norm(texts.mean(axis=0) - clips.mean(axis=0))
    assert gap.between_means == pytest.approx(between, abs=1e-6)


def test_texts_are_centred_by_others() -> None:
    texts = np.float32([[0, 0], [2, 0], [4, 4], [8, 0]])
    centred = centre_by_halves(texts, np.random.default_rng(0))
    first = np.random.default_rng(0).permutation(4) < 2
    for own in (first, ~first):
        assert centred[own] == pytest.approx(texts[own] - texts[~own].mean(axis=0))


def test_m_of_the_centred_vectors_is_that_of_all_cosines() -> None:
    study = draw_study(1.5, 0.5)
    asked = study.asked[0]
    texts = centre_by_halves(asked.vectors, study.make_rng("gap halves"))
    clips = study.vectors - study.vectors.mean(axis=0)
    top = np.argsort(cdist(texts, clips, "cosine"), axis=1)[:, :5]
    values = study.truth.has_all(top, asked.queries.bits).mean(axis=1)
    counted = asked.counted
    gained = float((values - asked.values)[counted].mean())
    assert measure_gap_loss(study, 0).lost.effect.value == pytest.approx(gained)


def test_a_gap_that_costs_is_found_and_costs_more_the_larger_it_is() -> None:
    findings = [decide(draw_study(by, 0.5)) for by in (0.0, 1.0, 3.0)]
    assert findings[0].outcome != "found"
    assert findings[1].effect < findings[2].effect
    assert findings[2].outcome == "found"
    assert findings[2].severity > 0.1
    assert findings[2].claim.startswith("The gap between texts and clips costs 0.")
    assert findings[2].evidence.queries


def test_a_gap_that_costs_nothing_is_no_finding_however_large() -> None:
    near, far = draw_study(aside=True), draw_study(3.0, 3.0, aside=True)
    assert measure_gap_loss(far, 0).gap.relative > 0.75 > measure_gap_loss(near, 0).gap.relative
    finding = decide(far)
    assert finding.outcome == "nothing"
    assert finding.sentence.startswith("The gap between texts and clips costs nothing: ")
    assert "95 % CI" in finding.sentence


def test_without_texts_there_is_no_gap() -> None:
    scene = draw_scene(Plan(clips=60))
    assert decide(make_study(scene)).outcome == "unknown"
    few = make_study(scene, texts=make_texts(scene)[:4], videos=False)
    assert "4 texts" in decide(few).sentence
    assert decide(few).outcome == "unknown"


def test_same_seed_same_findings() -> None:
    one, two = (decide(draw_study(1.0)) for _ in range(2))
    assert (one.claim, one.p) == (two.claim, two.p)


@pytest.mark.slow
def test_a_gap_that_costs_nothing_raises_no_alarm() -> None:
    def make_null(seed: int) -> Study:
        return draw_study(2.0, 2.0, aside=True, seed=seed)

    assert count_alarms(MODALITY_GAP, make_null) <= count_allowed()
