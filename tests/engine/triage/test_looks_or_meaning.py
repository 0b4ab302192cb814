"""Looks against meaning: is similar what looks alike, or what means the same?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from engine.stats.mantel import correlate_pairs
from engine.stats.ranks import rank_columns
from engine.triage.analyses.looks import LOOKS
from engine.triage.correction import correct
from engine.triage.finding import Finding
from engine.triage.settings import TriageSettings
from engine.triage.study import Reference, Study
from engine.triage.workings.look_balance import LookBalance, compare_keywords, measure_looks
from engine.triage.workings.look_cost import measure_look_cost
from tests.engine.triage.alarms import count_alarms, count_allowed
from tests.engine.triage.planted import (
    QUICK,
    Plan,
    draw_directions,
    draw_scene,
    make_study,
    make_truth,
    make_unit,
    make_visual,
)


def make_look_study(looks: float, seed: int = 0, clips: int = 120, **more: object) -> Study:
    scene = draw_scene(Plan(clips=clips, looks=looks, seed=seed, noise=1.0, **more))  # type: ignore[arg-type]
    return make_study(scene, visual=make_visual(scene))


def measure(study: Study) -> LookBalance:
    found = measure_looks(study)
    assert found is not None
    return found


def find(study: Study) -> dict[str, Finding]:
    return {one.id: one for one in correct(list(LOOKS.find(study)), study.settings)}


def test_the_index_weighs_two_partial_correlations() -> None:
    """Four clips whose six pairs are ranked by hand."""
    import pandas as pd
    import pingouin

    study = make_look_study(0.7, clips=60)
    found = measure(study)
    first, second = np.triu_indices(60, 1)
    has = study.unpack(study.selection.columns).astype(int)
    both, either = has @ has.T, (has[:, None] | has[None]).sum(axis=2)
    assert study.visual is not None
    pairs = pd.DataFrame(
        {
            "s": (study.vectors @ study.vectors.T)[first, second].astype(float),
            "look": (study.visual.vectors @ study.visual.vectors.T)[first, second].astype(float),
            "overlap": (both / either)[first, second],
        }
    )

    looks = pingouin.partial_corr(pairs, x="s", y="look", covar="overlap", method="spearman")
    meaning = pingouin.partial_corr(pairs, x="s", y="overlap", covar="look", method="spearman")
    a, b = looks["r"].iloc[0], meaning["r"].iloc[0]

    assert found.looks.pairs == 60 * 59 / 2
    assert_allclose(found.looks.correlation, a, atol=1e-5)
    assert_allclose(found.whole.meaning, b, atol=1e-5)
    assert_allclose(found.whole.index.value, (a - b) / (abs(a) + abs(b)), atol=1e-4)


def test_the_permutation_test_agrees_with_an_independent_library() -> None:
    """Mantel's test of what is left of looks and similarity once overlap is taken out."""
    from skbio.stats.distance import mantel

    study = make_look_study(0.12, clips=50)
    has = study.unpack(study.selection.columns)
    assert study.visual is not None
    tables = [
        study.score(study.vectors, study.vectors),
        study.score(study.visual.vectors, study.visual.vectors),
        compare_keywords(has, has),
    ]
    found = correlate_pairs(
        tables[0], tables[1], given=tables[2], permutations=999, alternative="greater"
    )
    low = np.tril_indices(50, -1)
    s, look, overlap = (rank_columns(table[low]) for table in tables)
    left = []
    for one in (s, look):
        slope = np.polyfit(overlap, one, 1)
        square = np.zeros((50, 50))
        square[low] = one - np.polyval(slope, overlap)
        left.append(square + square.T)

    told, p, _ = mantel(*left, method="pearson", permutations=999, alternative="greater", seed=0)

    assert found.correlation == pytest.approx(told, abs=1e-9)
    assert found.p == pytest.approx(p, abs=0.03)


def test_keywords_overlap_by_jaccard() -> None:
    has = np.array([[True, True, False], [False, True, True]])

    assert_allclose(compare_keywords(has, has), [[1, 1 / 3], [1 / 3, 1]])


def test_clips_of_one_source_make_no_pair() -> None:
    scene = draw_scene(Plan(clips=80, per_source=2))
    study = make_study(scene, visual=make_visual(scene))

    assert measure(study).looks.pairs == 80 * 79 / 2 - 40


def test_what_looks_cost_is_counted_by_hand() -> None:
    """Clip 0 asks. Its twin, clip 1, is missed; clip 2 is found, and looks more like it than the
    twin does. So does clip 4 of the three that are as wrong, but not clip 3."""
    vectors = np.array([[1.0, 0], [0, 1.0], [0.9, 0.1], [-1.0, 0.5], [-1.0, 0.4]])
    seen = np.array([[1.0, 0], [1, 1], [1, 0.2], [0, 1], [1, 0.5]])
    scene = replace(
        draw_scene(Plan(clips=5)),
        truth=make_truth({"who": np.array([0, 0, 1, 2, 3])}),
        vectors=vectors,
        sources=np.arange(5),
    )
    visual = Reference("frames", make_unit(seen), np.ones(5, np.bool_))
    study = make_study(scene, visual=visual, settings=replace(QUICK, k=1))

    found = measure_look_cost(study)

    assert found is not None
    nearer, as_wrong = 1.0, 2 / 3
    assert found.points[0] == pytest.approx(nearer - as_wrong)
    assert found.by_group[0].tolist() == [found.points[0]]
    assert found.misled[0] == (0, 2)
    assert np.isnan(found.points[2])  # nobody is relevant to it


def test_looks_that_outweigh_meaning_are_found() -> None:
    found = find(make_look_study(2.0))

    assert found["looks"].outcome == "found"
    assert found["looks"].effect > 0.1
    assert found["looks"].claim.startswith("The similarity follows looks beyond meaning: index +")
    assert found["looks/video"].outcome == "found"
    assert found["looks"].harm > 0.02
    assert len(found["looks"].evidence.queries) == 10


def test_the_more_looks_weigh_the_larger_the_index_and_what_they_cost() -> None:
    found = [find(make_look_study(looks)) for looks in (0.5, 1.0, 2.0)]

    for one in ("looks", "looks/video", "looks/who"):
        effects = [of_dose[one].effect for of_dose in found]
        assert effects == sorted(effects), one
    assert found[0]["looks"].effect < 0 < found[2]["looks"].effect


def test_the_group_that_is_traded_for_looks_is_named() -> None:
    scene = draw_scene(Plan(clips=120, looks=0.7, noise=1.0, weights={"way": 0.2}))

    found = find(make_study(scene, visual=make_visual(scene)))

    assert found["looks/way"].outcome == "found"
    assert found["looks/who"].outcome != "found"
    assert found["looks/way"].claim.startswith("The similarity follows looks more than way:")


def test_vectors_without_looks_follow_meaning() -> None:
    found = find(make_look_study(0.0))

    whole = found["looks"]
    assert whole.outcome == "nothing"
    assert whole.sentence.startswith("The similarity follows meaning more than looks: index −")
    assert "95 % CI −" in whole.sentence
    assert found["looks/video"].outcome in ("nothing", "unsure")
    assert "95 % CI" in found["looks/video"].sentence


def test_the_same_seed_finds_the_same() -> None:
    one, other = (list(LOOKS.find(make_look_study(1.0, clips=80))) for _ in range(2))

    assert [(a.id, a.claim, a.p, a.evidence) for a in one] == [
        (b.id, b.claim, b.p, b.evidence) for b in other
    ]
    for a, b in zip(one, other, strict=True):
        assert a.draws is not None and b.draws is not None
        assert_array_equal(a.draws, b.draws)


def test_without_looks_or_sources_nothing_is_known() -> None:
    scene = draw_scene(Plan(clips=60, per_source=6))
    (blind,) = LOOKS.find(make_study(scene))
    (few,) = LOOKS.find(make_study(scene, visual=make_visual(scene)))

    assert blind.outcome == few.outcome == "unknown"
    assert blind.remedy == "name a model of how clips look: --visual MODEL"
    assert few.sentence.startswith(
        "Clips with a look and a keyword come from fewer than 20 sources"
    )


def test_a_large_study_is_sampled_a_few_clips_of_each_source() -> None:
    scene = draw_scene(Plan(clips=1200, per_source=12))
    found = measure(make_study(scene, visual=make_visual(scene), videos=False))

    assert len(found.clips) == 300
    assert np.bincount(scene.sources[found.clips]).max() <= 5
    assert len(found.pairs) == 2000
    assert (scene.sources[found.pairs.first] != scene.sources[found.pairs.second]).all()


def test_without_query_clips_the_balance_is_known_but_not_its_cost() -> None:
    scene = draw_scene(Plan(clips=80, looks=1.5))
    study = make_study(scene, visual=make_visual(scene), videos=False)

    found = find(study)

    assert set(found) == {"looks", "looks/who", "looks/way"}
    assert found["looks"].cost == 0
    assert found["looks"].notes[-1] == "What looks cost is not estimated: no clip asks."


@pytest.mark.slow
def test_noise_is_rarely_taken_for_looks() -> None:
    settings = TriageSettings(resamples=200, k=3)

    def make(seed: int) -> Study:
        scene = draw_scene(Plan(clips=60, per_source=2, seed=seed))
        noise = draw_directions(np.random.default_rng([seed, 7]), 60, 16)
        return make_study(
            scene.with_vectors(noise), visual=make_visual(scene, noise=1.0), settings=settings
        )

    assert count_alarms(LOOKS, make) <= count_allowed()
