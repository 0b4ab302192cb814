"""Where there is no effect, whole triages find one in at most one of twenty."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from engine.base.arrays import Floats
from engine.dataset.query_files import TextQuery
from engine.triage.analysis import Analysis
from engine.triage.finding import Finding
from engine.triage.registry import ANALYSES
from engine.triage.settings import TriageSettings
from engine.triage.study import QueryTexts, Reference, Study
from engine.triage.triage import triage
from tests.engine.triage.lossy_index import LossyIndex
from tests.engine.triage.mappings import make_mapping
from tests.engine.triage.planted import (
    Plan,
    Scene,
    draw_directions,
    draw_scene,
    make_study,
    make_truth,
    make_unit,
)

SETTINGS = TriageSettings(resamples=1000, splits=4, least_support=10)
"""Of 200 resamples no p could be small enough for the correction: a test that cannot fail."""

TRUE_OF_NOISE = {
    "readable": "noise holds no keyword, so that none can be read is true",
    "used": "what is not in the vectors is hardly used: true as well",
    "pairs": "noise tells no two keywords apart: true as well",
}
"""Analyses whose claim is no effect but that there is none: their own tests hold them by data in
which the truth is just at their limits."""

CLIPS, WHO, WAY, DIMENSION = 72, 3, 4, 16
CHUNK = 50


def draw_balanced(seed: int, vectors: Floats) -> Scene:
    """Every pair of keywords is had by as many clips, each of a source of its own."""
    cells = np.random.default_rng([seed, 11]).permutation(CLIPS)
    numbers = {"who": cells % WHO, "way": cells // WHO % WAY}
    scene = draw_scene(Plan(CLIPS, DIMENSION, {"who": WHO, "way": WAY}, seed=seed))
    truth = make_truth(numbers, scene.sources)
    return replace(scene, truth=truth, numbers=numbers).with_vectors(vectors[cells])


def list_texts() -> list[tuple[str, list[str]]]:
    """Three texts for every pair of keywords, and these."""
    return [
        (f"who{i} way{j} {n}", [f"who:who{i}", f"way:way{j}"])
        for n in range(3)
        for i in range(WHO)
        for j in range(WAY)
    ]


def make_noise(seed: int) -> Study:
    """Clips, texts and looks are random directions; the index looks at half of its lists; texts
    are read as any keywords."""
    rng = np.random.default_rng([seed, 12])
    scene = draw_balanced(seed, draw_directions(rng, CLIPS, DIMENSION))
    texts = [
        (
            f"who{i} way{j} {n}",
            [f"who:who{i}", f"way:way{j}"],
            draw_directions(rng, 1, DIMENSION)[0],
        )
        for n in range(3)
        for i in range(WHO)
        for j in range(WAY)
    ]
    as_read = {
        text: [(f"who:who{rng.integers(WHO)}", 1.0), (f"way:way{rng.integers(WAY)}", 1.0)]
        for text, _, _ in texts
    }
    read = QueryTexts(
        tuple(TextQuery(text, tuple(own)) for text, own, _ in texts),
        lambda some: tuple(make_mapping(text, as_read[text]) for text in some),
    )
    looks = make_unit(draw_directions(rng, CLIPS, 12))
    seen = Reference("frames", looks, np.ones(CLIPS, np.bool_))
    units = make_unit(scene.vectors)
    return make_study(
        scene,
        texts=texts,
        settings=SETTINGS,
        visual=seen,
        second=seen,
        read=read,
        index=lambda: LossyIndex(units, 4, 2),
    )


def make_fair(seed: int) -> Study:
    """All keywords are in the vectors alike, at right angles to each other, with noise, and in the
    texts as well; looks are noise of their own."""
    rng = np.random.default_rng([seed, 13])
    axes = np.eye(DIMENSION)
    cells = np.arange(CLIPS)
    clean = axes[cells % WHO] + axes[WHO + cells // WHO % WAY]
    scene = draw_balanced(seed, clean + 1.2 * draw_directions(rng, CLIPS, DIMENSION))
    pairs = [axes[i] + axes[WHO + j] for _ in range(3) for i in range(WHO) for j in range(WAY)]
    asked = np.stack(pairs) + draw_directions(rng, len(pairs), DIMENSION)
    texts = [(text, own, asked[n]) for n, (text, own) in enumerate(list_texts())]
    looks = make_unit(draw_directions(rng, CLIPS, 12))
    seen = Reference("frames", looks, np.ones(CLIPS, np.bool_))
    return make_study(scene, texts=texts, settings=SETTINGS, visual=seen)


def find_all(study: Study, analyses: list[Analysis]) -> tuple[Finding, ...]:
    return triage(study, analyses).found


def count_false(
    make: Callable[[int], Study], analyses: list[Analysis], seeds: range
) -> dict[int, list[str]]:
    """Per seed what is found where there is nothing."""
    every = {seed: [one.id for one in find_all(make(seed), analyses)] for seed in seeds}
    return {seed: ids for seed, ids in every.items() if ids}


def check_rate(false: dict[int, list[str]], sets: int) -> None:
    """More would come about less than once in a hundred times if the rate were 5 %."""
    assert len(false) <= binom.ppf(0.99, sets, SETTINGS.alpha), false


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(4))
def test_noise_has_no_effect(chunk: int) -> None:
    analyses = [one for one in ANALYSES if one.name not in TRUE_OF_NOISE]
    check_rate(count_false(make_noise, analyses, range(CHUNK * chunk, CHUNK * (chunk + 1))), CHUNK)


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(2))
def test_vectors_that_treat_all_keywords_alike_have_no_effect(chunk: int) -> None:
    """Here nothing is left out: all can be read, is used, and is told apart."""
    seeds = range(CHUNK * chunk, CHUNK * (chunk + 1))
    check_rate(count_false(make_fair, list(ANALYSES), seeds), CHUNK)


@pytest.mark.parametrize("make", [make_noise, make_fair])
def test_all_that_could_be_found_is_looked_for(make: Callable[[int], Study]) -> None:
    found = triage(make(0), ANALYSES)
    tested = {one.analysis for one in found.findings if one.tests}
    assert tested >= {"slices", "blame", "looks", "substitutions", "hubs", "gap", "leakage"}
    assert tested >= {"readable", "used", "pairs"}
    smallest = found.tested / (SETTINGS.resamples + 1)
    assert smallest < SETTINGS.alpha / 4


def test_what_is_true_of_noise_is_found_of_it() -> None:
    """Else leaving them out would hide that they find nothing at all."""
    study = make_noise(0)
    names = {one.analysis for one in find_all(study, list(ANALYSES))}
    assert names <= TRUE_OF_NOISE.keys()
    assert "pairs" in names
