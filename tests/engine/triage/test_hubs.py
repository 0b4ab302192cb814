"""What hubs cost: against CSLS and NNN by hand and by another library, and with hubs planted."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import skew

from engine.base.arrays import Floats
from engine.triage.analyses.hubs import HUBS, find_hubs
from engine.triage.correction import correct
from engine.triage.settings import TriageSettings
from engine.triage.study import Study
from engine.triage.workings.crowd_scores import (
    CROWD_WEIGHTS,
    average_nearest,
    measure_hub_loss,
    rank_corrected,
)
from engine.triage.workings.exact_search import write_as_products
from engine.triage.workings.hubness import (
    compute_robin_hood,
    compute_skewness,
    compute_top_share,
    draw_counts_at_random,
    measure_hubness,
)
from tests.engine.triage.alarms import count_alarms, count_allowed
from tests.engine.triage.planted import (
    QUICK,
    Plan,
    draw_scene,
    make_study,
    make_texts,
    make_unit,
)
from tests.engine.triage.plants import draw_cone

LEAN = TriageSettings(resamples=200)


def draw_null(seed: int) -> Study:
    """No hubs: keywords, and a lot of noise in every direction."""
    scene = draw_scene(Plan(clips=90, dimension=12, groups={"who": 4, "way": 5}, seed=seed))
    return make_study(scene, settings=LEAN)


def test_counts_of_places_by_hand() -> None:
    counts = np.array([4, 0, 0, 1, 1])
    # The mean is 1.2: 2.8 of the 6 places would have to move.
    assert compute_robin_hood(counts) == pytest.approx(2.8 / 6)
    assert compute_skewness(counts) == pytest.approx(skew(counts))
    assert compute_top_share(counts) == pytest.approx(4 / 6)
    assert compute_skewness(np.array([2, 2])) == compute_robin_hood(np.array([0, 0])) == 0


def test_random_results_are_different_clips_and_as_skewed_as_their_law() -> None:
    rng = np.random.default_rng(0)
    counts = np.concatenate([draw_counts_at_random(rng, 60, 6, 50) for _ in range(300)])
    share = 6 / 60
    assert counts.sum() == 300 * 50 * 6
    assert counts.mean() == pytest.approx(50 * share)
    law = (1 - 2 * share) / np.sqrt(50 * share * (1 - share))  # of the binomial distribution
    assert skew(counts) == pytest.approx(law, abs=0.05)


@pytest.mark.parametrize("own", [False, True])
def test_corrected_rankings_are_those_of_the_formulas(own: bool) -> None:
    rng = np.random.default_rng(1)
    clips = make_unit(rng.normal(size=(60, 8)) + 0.5)
    rows = np.arange(10, 50) if own else None
    queries = clips[10:50] if own else make_unit(rng.normal(size=(40, 8)) + 0.5)
    first = rng.random(40) < 0.5
    s = queries.astype(np.float64) @ clips.T.astype(np.float64)
    if rows is not None:
        s[np.arange(40), rows] = -np.inf
    study = make_study(draw_scene(Plan(clips=60)))
    found = rank_corrected(study, queries, clips, first, 5, bank_size=10, own_rows=rows)
    for mine, bank in ((first, ~first), (~first, first)):
        r_x = np.sort(s[bank], axis=0)[-10:].mean(axis=0)
        r_q = np.sort(s[mine], axis=1)[:, -10:].mean(axis=1, keepdims=True)
        csls, nnn = 2 * s[mine] - r_q - r_x, s[mine] - 0.75 * r_x
        assert (found["CSLS"].indices[mine] == np.argsort(-csls, axis=1)[:, :5]).all()
        assert (found["NNN"].indices[mine] == np.argsort(-nnn, axis=1)[:, :5]).all()


def test_nearest_neighbour_normalisation_is_that_of_the_library() -> None:
    nnn = pytest.importorskip("nnn")
    rng = np.random.default_rng(2)
    clips, queries, bank = (make_unit(rng.normal(size=(n, 16))) for n in (50, 20, 30))
    ranker = nnn.NNNRanker(
        nnn.NNNRetriever(16), clips, bank, alternate_ks=10, alternate_weight=CROWD_WEIGHTS["NNN"]
    )
    scores, order = ranker.search(queries, 5)
    study = make_study(draw_scene(Plan(clips=60)))
    first = np.arange(50) < 20
    both = np.concatenate([queries, bank])
    found = rank_corrected(study, both, clips, first, 5, bank_size=10)["NNN"]
    assert (found.indices[:20] == order).all()
    assert found.scores[:20] == pytest.approx(scores, abs=1e-6)
    mean = np.asarray(ranker.alignment_means).reshape(-1)
    assert average_nearest(bank @ clips.T, 10) == pytest.approx(mean, abs=2e-6)


def test_many_pieces_find_what_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    study = make_study(draw_cone(4))
    asked = study.asked[0]
    first = np.arange(len(asked)) % 2 == 0

    def rank() -> dict[str, Floats]:
        found = rank_corrected(
            study,
            asked.vectors,
            study.vectors,
            first,
            5,
            bank_size=10,
            own_rows=asked.own_rows,
        )
        return {name: ranking.indices for name, ranking in found.items()}

    whole = rank()
    monkeypatch.setattr("engine.triage.workings.crowd_scores._SCORES_AT_ONCE", 1)
    for name, indices in rank().items():
        assert (indices == whole[name]).all()


def test_products_have_the_order_of_distances() -> None:
    rng = np.random.default_rng(3)
    queries, clips = (rng.normal(5, 1, (n, 4)).astype(np.float32) for n in (10, 30))
    asked, found = write_as_products(queries, clips, "l2")
    distances = np.linalg.norm(queries[:, None] - clips[None], axis=2)
    assert asked @ found.T == pytest.approx(-(distances**2) / 2, abs=1e-4)


def test_planted_hubs_are_found_and_cost_more_the_more_they_are() -> None:
    losses = []
    for hubs in (0, 3, 8):
        study = make_study(draw_cone(hubs), settings=QUICK)
        (finding,) = correct(list(find_hubs(study)), study.settings)
        losses.append(finding.effect)
        assert finding.outcome == "found" or not hubs
        planted = {study.truth.ids[row] for row in range(hubs)}
        assert set(finding.evidence.clips[:hubs]) == planted
    assert finding.severity > 0.1
    assert finding.claim.startswith("Hubs cost 0.")
    assert finding.evidence.queries
    assert losses[0] < 0.03 < losses[1] < losses[2]


def test_planted_hubs_are_found_by_texts() -> None:
    scene = draw_cone(5, ways=10, clips=600)
    towards = np.eye(32)[0] * 3
    texts = [(name, words, vector + towards) for name, words, vector in make_texts(scene, noise=1)]
    study = make_study(scene, texts=texts, videos=False)
    (finding,) = correct(list(find_hubs(study)), study.settings)
    assert finding.outcome == "found"
    assert finding.mode == "text"


def test_results_are_more_skewed_with_hubs_than_by_chance() -> None:
    with_hubs = measure_hubness(make_study(draw_cone(5)), 0)
    assert with_hubs.skewness > 3 > 1 > with_hubs.by_chance[0]
    assert with_hubs.p == pytest.approx(1 / 101)
    assert with_hubs.hubs >= 5
    assert with_hubs.counts.sum() == 10 * 200
    assert with_hubs.find_worst(5).tolist() == sorted(
        range(5), key=lambda row: (-with_hubs.misses[row], -with_hubs.counts[row], row)
    )


def test_without_hubs_nothing_is_lost_and_the_sentence_says_so() -> None:
    study = make_study(draw_scene(Plan(clips=400, weights={"who": 2, "way": 2}, noise=1.0)))
    (finding,) = correct(list(find_hubs(study)), study.settings)
    assert finding.outcome == "nothing"
    assert finding.sentence.startswith("Hubs cost nothing: ")
    assert "95 % CI" in finding.sentence


def test_too_few_queries_are_said() -> None:
    scene = draw_scene(Plan(clips=60))
    texts = make_texts(scene)[:8]
    (finding,) = find_hubs(make_study(scene, texts=texts, videos=False))
    assert finding.outcome == "unknown"
    assert "8 queries" in finding.sentence
    assert "22" in finding.remedy


def test_same_seed_same_findings_and_the_halves_know_no_model() -> None:
    one, two = (make_study(draw_cone(3)) for _ in range(2))
    assert [f.effect for f in find_hubs(one)] == [f.effect for f in find_hubs(two)]
    (first,), (second,) = find_hubs(one), find_hubs(two)
    assert (first.draws == second.draws).all()
    loss = measure_hub_loss(one, 0)
    assert loss is not None
    assert np.nanmean(loss.corrected[loss.better]) >= np.nanmean(loss.chosen)


@pytest.mark.slow
def test_no_hubs_no_alarm() -> None:
    assert count_alarms(HUBS, draw_null) <= count_allowed()
