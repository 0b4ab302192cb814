"""What an index loses: against FAISS's flat index, and with lists that it does not look at."""

from __future__ import annotations

import faiss
import numpy as np
import pytest

from engine.base.ranking import NO_ITEM, Ranking
from engine.search import PreciseIndex
from engine.triage.analyses.index import (
    INDEX_LOSS,
    IndexLoss,
    compute_recall,
    find_index,
    measure_index_loss,
)
from engine.triage.correction import correct
from engine.triage.settings import TriageSettings
from engine.triage.study import Study
from tests.engine.triage.alarms import count_alarms, count_allowed
from tests.engine.triage.lossy_index import LossyIndex
from tests.engine.triage.planted import Plan, Scene, draw_scene, make_study, make_texts, make_unit

LEAN = TriageSettings(resamples=200)


def draw(clips: int = 300, seed: int = 0, **plan: object) -> Scene:
    return draw_scene(Plan(clips=clips, groups={"who": 4, "way": 5}, seed=seed, **plan))


def make_lossy(scene: Scene, probes: int, lists: int = 16) -> Study:
    units = make_unit(scene.vectors)
    return make_study(
        scene,
        texts=make_texts(scene),
        settings=LEAN,
        index=lambda: LossyIndex(units, lists, probes),
    )


def measure(study: Study, mode: int = 0) -> IndexLoss:
    loss = measure_index_loss(study, mode)
    assert loss is not None
    return loss


def test_recall_by_hand() -> None:
    exact = np.float32([[0.9, 0.8, 0.7], [0.9, 0.8, 0.8]])
    returned = np.float32([[0.9, 0.7, 0.6], [0.8, 0.8, -np.inf]])
    assert compute_recall(exact, returned).tolist() == pytest.approx([2 / 3, 2 / 3])


def test_recall_and_points_are_those_of_a_flat_index() -> None:
    scene = draw()
    study = make_lossy(scene, probes=1)
    asked = study.asked[0]
    loss = measure(study)
    flat = faiss.IndexFlatIP(32)
    flat.add(study.vectors)
    _, best = flat.search(asked.vectors, 5)
    got, _ = asked.top(5)
    shared = [len(set(a) & set(b)) / 5 for a, b in zip(best.tolist(), got.tolist(), strict=True)]
    assert loss.recall.tolist() == pytest.approx(shared)
    hits = study.truth.has_all(best, asked.queries.bits).mean(axis=1)
    assert loss.points.value == pytest.approx(float(hits.mean() - asked.values.mean()))
    assert loss.mean_recall == pytest.approx(np.mean(shared))
    assert loss.share_low == pytest.approx(np.mean(np.array(shared) < 0.9))


def test_copies_of_a_clip_are_as_good_as_the_clip() -> None:
    scene = draw(clips=40)
    vectors = np.repeat(scene.vectors[:20], 2, axis=0)
    scene = scene.with_vectors(vectors)
    units = make_unit(vectors)

    class Reversed:
        """Exact, but of equal scores the last row stands first."""

        size, dimension, metric = 40, 32, "cosine"

        def __init__(self) -> None:
            self._exact = PreciseIndex(units[::-1].copy())

        def search(self, queries: np.ndarray, k: int) -> Ranking:
            found = self._exact.search(queries, k)
            return Ranking(39 - found.indices, found.scores)

    study = make_study(scene, texts=make_texts(scene), videos=False, index=Reversed)
    assert (measure(study).recall == 1).all()


def test_lists_that_are_not_searched_cost_the_more_the_more_there_are() -> None:
    scene = draw(noise=1.0)
    losses = [measure(make_lossy(scene, 1, lists), 1).points.value for lists in (1, 60, 150)]
    assert losses[0] == 0
    assert losses[0] < losses[1] < losses[2]


def test_a_lossy_index_is_found_first_and_with_its_queries() -> None:
    study = make_lossy(draw(noise=1.0), probes=1, lists=150)
    first, second = correct(list(find_index(study)), study.settings)
    assert {first.mode, second.mode} == {"text", "video"}
    assert first.severity >= second.severity
    for finding in (first, second):
        assert finding.outcome == "found"
        assert finding.evidence.queries
        assert finding.claim.startswith("The index costs 0.")
        assert finding.evidence.clips


def test_an_exact_index_loses_nothing() -> None:
    scene = draw()
    study = make_study(scene)
    (finding,) = correct(list(find_index(study)), study.settings)
    assert measure_index_loss(study, 0) is None
    assert finding.outcome == "fact"
    assert finding.sentence == "The search is exact: nothing is lost to an index."


def test_an_index_that_happens_to_find_all_says_so() -> None:
    study = make_lossy(draw(), probes=16)
    for finding in correct(list(find_index(study)), study.settings):
        assert finding.outcome == "nothing"
        assert (
            "The index costs nothing: 0.000, 95 % CI 0.000 to 0.000; it returns 100 %"
            in finding.sentence
        )


def test_places_without_a_result_are_lost() -> None:
    scene = draw()
    study = make_lossy(scene, probes=1, lists=150)
    assert (study.asked[0].top(5)[0] == NO_ITEM).any()
    assert measure(study).mean_recall < 0.9


def test_same_seed_same_findings() -> None:
    one, two = (list(find_index(make_lossy(draw(), 1))) for _ in range(2))
    assert [(f.claim, f.p) for f in one] == [(f.claim, f.p) for f in two]


@pytest.mark.slow
def test_an_index_that_loses_what_means_nothing_raises_no_alarm() -> None:
    def make_null(seed: int) -> Study:
        scene = draw(clips=100, seed=seed, weights={"who": 0.0, "way": 0.0})
        units = make_unit(scene.vectors)
        return make_study(scene, settings=LEAN, index=lambda: LossyIndex(units, 8))

    assert count_alarms(INDEX_LOSS, make_null) <= count_allowed()
