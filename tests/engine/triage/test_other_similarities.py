"""The analyses that search again, where the similarity is no cosine."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.base.similarity import Similarity
from engine.dataset.collection import Collection
from engine.triage.analyses.gap import measure_gap_loss
from engine.triage.analyses.hubs import find_hubs
from engine.triage.analyses.leakage import find_leakage
from engine.triage.settings import TriageSettings
from engine.triage.study import Study
from engine.triage.workings.crowd_scores import measure_hub_loss
from engine.triage.workings.exact_search import measure_precision, rank_as_it_is, rank_exactly
from tests.engine.triage.planted import Plan, ask, draw_scene, make_study, make_texts

LEAN = TriageSettings(resamples=200)


def make(metric: Similarity) -> Study:
    """A study of vectors of many lengths."""
    scene = draw_scene(Plan(clips=120, dimension=12, groups={"who": 4, "way": 6}))
    cosine = make_study(scene, texts=make_texts(scene), settings=LEAN)
    model = replace(cosine.collection.model, metric=metric)
    lengths = np.random.default_rng(0).uniform(0.5, 2, (120, 1))
    vectors = (scene.vectors * lengths).astype(np.float32)
    collection = Collection(model, scene.truth, vectors, cosine.collection.alignment)
    texts, videos = cosine.asked
    asked = [
        ask(collection, one.queries, own, scene.sources, LEAN)
        for one, own in ((texts, texts.vectors), (videos, vectors))
    ]
    return Study(collection, cosine.selection, tuple(asked), vectors, scene.sources, LEAN)


def score(study: Study, mode: int) -> np.ndarray:
    """(q, clips) what has the order of the similarity, in plain float64."""
    asked = study.asked[mode]
    queries, clips = asked.vectors.astype(float), study.vectors.astype(float)
    if study.collection.model.metric == "ip":
        scores = queries @ clips.T
    else:
        scores = -((queries[:, None] - clips[None]) ** 2).sum(axis=2) / 2
    if asked.own_rows is not None:
        scores[np.arange(len(asked)), asked.own_rows] = -np.inf
    return scores


@pytest.mark.parametrize("metric", ["ip", "l2"])
@pytest.mark.parametrize("mode", [0, 1])
def test_corrected_scores_are_those_of_the_formula(metric: Similarity, mode: int) -> None:
    study = make(metric)
    asked, scores = study.asked[mode], score(study, mode)
    rows = np.arange(len(asked))
    first = study.make_rng(f"bank {asked.mode}").permutation(len(asked)) < len(asked) // 2
    loss = measure_hub_loss(study, mode)
    assert loss is not None
    for name, weight in (("CSLS", 0.5), ("NNN", 0.75)):
        values = np.empty(len(asked))
        for half in (first, ~first):
            crowding = np.sort(scores[~half], axis=0)[-10:].mean(axis=0)
            top = np.argsort(weight * crowding - scores[half], axis=1)[:, :5]
            values[half] = study.truth.has_all(top, asked.queries.bits[half]).mean(axis=1)
        assert loss.corrected[name][asked.counted] == pytest.approx(values[asked.counted])
    assert loss.now[asked.counted] == pytest.approx(asked.values[asked.counted])
    again = measure_precision(study, asked, rows, rank_exactly(study, asked, rows, 5))
    kept = measure_precision(study, asked, rows, rank_as_it_is(study, asked, rows, 5))
    assert again[asked.counted] == pytest.approx(kept[asked.counted])


@pytest.mark.parametrize("metric", ["ip", "l2"])
def test_every_analysis_says_something(metric: Similarity) -> None:
    study = make(metric)
    findings = [*find_hubs(study), *find_leakage(study)]
    assert all(np.isfinite(one.effect) and one.outcome is None for one in findings)
    assert np.isfinite(measure_gap_loss(study, 0).lost.effect.value)
