"""Few resamples and a small alpha switch no test off, or it is said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.triage.analyses.blame import BLAME
from engine.triage.analyses.hubs import HUBS
from engine.triage.analyses.leakage import LEAKAGE
from engine.triage.analyses.looks import LOOKS
from engine.triage.analyses.slices import SLICES
from engine.triage.analysis import Analysis
from engine.triage.permutations import (
    MOST_ANALYSES,
    MOST_PERMUTATIONS,
    choose_permutations,
    count_fewest_permutations,
    note_permutations,
)
from engine.triage.registry import ANALYSES
from engine.triage.settings import TriageSettings
from engine.triage.study import Study
from tests.engine.triage.planted import QUICK, Plan, draw_scene, make_study, make_visual
from tests.engine.triage.plants import draw_cone, draw_failing_slice, draw_series, weaken


def test_the_bound_holds_for_all_analyses() -> None:
    assert len(ANALYSES) <= MOST_ANALYSES


@pytest.mark.parametrize("alpha", [0.05, 0.01])
@pytest.mark.parametrize("tests", [1, 2, 4])
def test_so_many_permutations_can_prove_something(tests: int, alpha: float) -> None:
    settings = TriageSettings(alpha=alpha, resamples=100)
    chosen = choose_permutations(tests, settings)
    assert chosen >= count_fewest_permutations(tests, settings)
    assert tests * MOST_ANALYSES / (chosen + 1) < alpha
    fewest = count_fewest_permutations(tests, settings)
    assert not note_permutations(tests, fewest, settings)
    assert note_permutations(tests, fewest - 1, settings)


def test_what_the_settings_say_is_the_least_and_there_is_a_most() -> None:
    assert choose_permutations(1, TriageSettings(resamples=100_000)) == 100_000
    assert choose_permutations(4, TriageSettings(alpha=1e-6)) == MOST_PERMUTATIONS


def slice_study(settings: TriageSettings) -> Study:
    return make_study(draw_failing_slice(), settings=settings)


def blame_study(settings: TriageSettings) -> Study:
    groups = {"who": 4, "way": 4, "sky": 3}
    scene = weaken(draw_scene(Plan(160, 32, groups, noise=0.8)), "way", 1, by=1.0)
    return make_study(scene, settings=settings)


def leakage_study(settings: TriageSettings) -> Study:
    return make_study(draw_series(20, 6), settings=settings)


def hub_study(settings: TriageSettings) -> Study:
    return make_study(draw_cone(8), settings=settings)


def look_study(settings: TriageSettings) -> Study:
    scene = draw_scene(Plan(120, looks=2.0))
    return make_study(scene, visual=make_visual(scene), settings=settings)


PLANTS = [
    (SLICES, slice_study),
    (BLAME, blame_study),
    (LEAKAGE, leakage_study),
    (HUBS, hub_study),
    (LOOKS, look_study),
]


@pytest.mark.parametrize(("analysis", "make"), PLANTS, ids=lambda one: getattr(one, "name", ""))
def test_few_resamples_and_a_small_alpha_still_find_what_is_clear(analysis: Analysis, make) -> None:
    alpha = 0.05 if analysis is SLICES else 0.01  # few clusters of a slice prove no more
    found = list(analysis.find(make(replace(QUICK, resamples=100, alpha=alpha))))
    assert MOST_ANALYSES * min(one.p for one in found if one.tests) <= alpha
    assert not any("can be small enough" in note for one in found for note in one.notes)


@pytest.mark.parametrize(("analysis", "make"), PLANTS, ids=lambda one: getattr(one, "name", ""))
def test_an_alpha_that_nothing_reaches_is_noted(analysis: Analysis, make) -> None:
    found = list(analysis.find(make(replace(QUICK, resamples=100, alpha=1e-5))))
    tested = [one for one in found if one.tests]
    assert tested
    assert all(any("can be small enough" in note for note in one.notes) for one in tested)
