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
    """Clips with who1 and way2 have noise in place of a part of their vector. Few clips share all
    of their keywords: queries of one keyword set are one case."""
    groups = {"who": 4, "way": 4, "sky": 6, "road": 6}
    scene = draw_scene(replace(Plan(400, 48, groups), noise=0.8))
    both = (scene.numbers["who"] == 1) & (scene.numbers["way"] == 2)
    noise = 2 * draw_directions(np.random.default_rng(7), 400, 48)
    mixed = (1 - dull) * scene.vectors + dull * noise
    vectors = np.where(both[:, None], mixed, scene.vectors)
    return make_study(scene.with_vectors(vectors), settings=SETTINGS)


def test_a_slice_that_was_mended_is_better() -> None:
    """Where few queries have three keywords, and a match of all four is rare, P@5 is 0.1 or so."""
    bad, good = draw_slice(1.0), draw_slice(0.0)
    for before, after in ((bad, good), (good, bad)):
        changes = {one.id: one for one in compare(before, after)}
        for one in changes.values():
            if one.id.startswith("slices") and one.before and one.after:
                print(one.id, one.kind, one.difference, one.corrected, one.before.clusters, one.before.outcome, one.after.outcome, one.before.chosen_from)
