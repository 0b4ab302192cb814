"""Changes of what two whole triages list because it is among the worst: by chance, and for good."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from engine.triage.baseline import FindingChange, compare_findings
from engine.triage.compare_models import complete_triages, find_shared_tasks
from engine.triage.registry import find_analyses
from engine.triage.study import Study
from engine.triage.triage import triage
from tests.engine.triage.planted import QUICK, Plan, draw_directions, draw_scene, make_study

SETTINGS = replace(QUICK, resamples=1000)
SETS = 60


def compare(before: Study, after: Study) -> tuple[FindingChange, ...]:
    analyses = find_analyses(("slices", "blame", "substitutions"))
    found, old = complete_triages(triage(after, analyses), before)
    shared = find_shared_tasks(after, before)
    return compare_findings(old.findings, found.findings, SETTINGS, shared)


def draw_two(seed: int) -> list[Study]:
    """Two models of the same clips, of which each has noise of its own and nothing else."""
    scene = draw_scene(Plan(120, 16, {"who": 3, "way": 4, "sky": 3}, seed=seed))
    rngs = (np.random.default_rng([seed, model, 5]) for model in range(2))
    return [
        make_study(scene.with_vectors(draw_directions(rng, 120, 16)), settings=SETTINGS)
        for rng in rngs
    ]


@pytest.mark.slow
def test_models_of_equal_noise_seldom_have_a_sure_change() -> None:
    sure = {}
    for seed in range(SETS):
        changes = compare(*draw_two(seed))
        assert sum(one.paired for one in changes) > 30
        sure[seed] = [one.id for one in changes if one.is_sure or one.kind in ("worse", "better")]
    alarms = sum(map(bool, sure.values()))
    assert alarms <= binom.ppf(0.99, SETS, 1 - SETTINGS.level), sure


def draw_slice(dull: float) -> Study:
    """Clips with who1 have noise in place of a part of their vector; their queries are of 24
    keyword sets, each of which is one case."""
    scene = draw_scene(Plan(500, 48, {"who": 4, "way": 6, "sky": 4}, noise=0.5))
    noise = 2 * draw_directions(np.random.default_rng(7), 500, 48)
    mixed = (1 - dull) * scene.vectors + dull * noise
    vectors = np.where((scene.numbers["who"] == 1)[:, None], mixed, scene.vectors)
    return make_study(scene.with_vectors(vectors), settings=SETTINGS)


def test_a_slice_that_was_mended_is_better() -> None:
    """In part, so that both models are found to fail there."""
    bad, less_bad = draw_slice(1.0), draw_slice(0.4)
    for before, after, kind in ((bad, less_bad, "better"), (less_bad, bad, "worse")):
        changes = {one.id: one for one in compare(before, after)}
        mended = changes["slices/video/who-who1"]
        assert (mended.kind, mended.is_sure) == (kind, True)
        assert mended.before is not None and mended.before.chosen_from > 20
        others = (f"slices/video/{name}" for name in ("who-who0", "way-way1", "sky-sky2"))
        assert not any(changes[id].kind == kind for id in others if id in changes)


def test_what_is_chosen_says_of_how_many() -> None:
    """Slices, keywords and pairs of keywords are; groups never."""
    study = draw_slice(1.0).wanting(["readable/who-who0", "pairs/video/who-who0-who-who1"])
    found = triage(study, find_analyses(("slices", "blame", "substitutions", "readable", "pairs")))
    for one in found.findings:
        same = (one.analysis, one.mode, one.subject.kind)
        listed = [(o.analysis, o.mode, o.subject.kind) for o in found.findings].count(same)
        if one.subject.kind in ("slice", "swap", "keyword"):
            assert one.chosen_from >= listed, one.id
    kinds = ("slice", "swap", "keyword")
    most = {o.analysis: o.chosen_from for o in found.findings if o.subject.kind in kinds}
    assert most["blame"] == most["readable"] == 14
    assert most["slices"] > 14 and most["substitutions"] > 14 and most["pairs"] > 14
