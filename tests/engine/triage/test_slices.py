"""Failing slices: conjunctions of keywords whose queries are answered worse than the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from engine.base.arrays import Bools, Floats
from engine.dataset.ground_truth import GroundTruth
from engine.triage.analyses.slices import SLICES
from engine.triage.correction import correct
from engine.triage.finding import Finding
from engine.triage.study import Study
from engine.triage.workings import slice_table
from engine.triage.workings.slice_lattice import NO_PART, find_conjunctions
from engine.triage.workings.slice_table import SliceTable, contrast, measure_slices
from tests.engine.triage.alarms import count_alarms, count_allowed
from tests.engine.triage.planted import (
    QUICK,
    Plan,
    draw_directions,
    draw_scene,
    make_study,
    make_truth,
)
from tests.engine.triage.plants import draw_failing_slice

SMALL = replace(QUICK, resamples=200)


def draw_queries(seed: int = 0) -> tuple[Bools, Floats]:
    """Queries with some of six keywords, and errors that two of them together make worse."""
    rng = np.random.default_rng(seed)
    items = rng.random((400, 6)) < np.array([0.5, 0.4, 0.3, 0.5, 0.25, 0.1])
    values = rng.beta(4, 2, 400)
    values[items[:, 1] & items[:, 2]] -= 0.35
    return items, values.clip(0, 1)


def list_parts(parts: np.ndarray) -> list[frozenset[int]]:
    return [frozenset(row) - {NO_PART} for row in parts.tolist()]


def test_all_conjunctions_of_enough_queries_are_found() -> None:
    items, _ = draw_queries()
    found = find_conjunctions(items, least=20)
    expected = {
        frozenset(some): int(items[:, some].all(axis=1).sum())
        for size in (1, 2, 3)
        for some in combinations(range(6), size)
    }
    kept = {some: count for some, count in expected.items() if count >= 20}
    assert dict(zip(list_parts(found.parts), found.support.tolist(), strict=True)) == kept
    members, sparse = found.members(np.arange(len(found))), found.sparse_members().toarray()
    for number, some in enumerate(list_parts(found.parts)):
        inside = items[:, sorted(some)].all(axis=1)
        assert (members[:, number] == inside).all() and (sparse[:, number] == inside).all()


def test_of_conjunctions_of_the_same_queries_the_shortest_is_kept() -> None:
    items = np.zeros((60, 3), bool)
    items[:30, 0] = items[:30, 1] = True  # one never without the other
    items[:, 2] = True  # all queries have it
    found = find_conjunctions(items, least=5)
    assert found.parts.tolist() == [[0, NO_PART, NO_PART]]


def measure(study: Study) -> SliceTable:
    table = measure_slices(study, 0)
    assert table is not None
    return table


def find(study: Study) -> list[Finding]:
    return list(SLICES.find(study))


def name_slices(study: Study, table: SliceTable) -> dict[frozenset[str], int]:
    """The number of every slice, by its keywords."""
    words = study.truth.words.keywords
    return {
        frozenset(str(words[table.columns[at]]) for at in table.parts(number)): number
        for number in range(len(table.lattice))
    }


def test_differences_are_those_of_divexplorer() -> None:
    import pandas as pd
    from divexplorer import DivergenceExplorer

    study = make_study(draw_failing_slice())
    table = measure(study)
    names = [str(study.truth.words.keywords[column]) for column in table.columns]
    cells: Any = table.items
    frame = pd.DataFrame(cells, columns=names).astype(object).where(cells, np.nan)
    frame["m"] = table.values
    patterns = DivergenceExplorer(frame).get_pattern_divergence(
        min_support=(study.settings.least_support - 0.5) / len(table.rows),
        attributes=names,
        quantitative_outcomes=["m"],
    )
    oracle = {
        frozenset(one.removesuffix("=True") for one in row.itemset): row
        for row in patterns.itertuples()
        if row.itemset
    }
    own = [frozenset(names[at] for at in some) for some in list_parts(table.lattice.parts)]
    assert set(own) == set(oracle)
    for number, some in enumerate(own):
        row = oracle[some]
        # Its divergence is from all queries, ours from those outside.
        assert table.tests.support[number] == row.support_count
        assert table.tests.difference[number] == pytest.approx(row.m_div / (1 - row.support))


def test_the_worst_slices_are_those_of_sliceline() -> None:
    from sliceline import Slicefinder

    study = make_study(draw_failing_slice())
    table = measure(study)
    errors, least = 1 - table.values, study.settings.least_support
    finder = Slicefinder(alpha=0.95, k=10_000, max_l=3, min_sup=least, verbose=False)
    finder.fit(table.items.astype(int), errors)
    oracle = {
        frozenset(at for at, value in enumerate(some) if value == 1): told
        for some, told in zip(finder.top_slices_, finder.top_slices_statistics_, strict=True)
        if all(value in (1, None) for value in some)
    }
    n, mean = len(errors), errors.mean()
    scores = {}
    for some in list_parts(table.lattice.parts):
        inside = table.items[:, sorted(some)].all(axis=1)
        scores[some] = 0.95 * (errors[inside].mean() / mean - 1) - 0.05 * (n / inside.sum() - 1)
    positive = {some for some, score in scores.items() if score > 0}
    assert positive == set(oracle)
    for some in positive:
        assert oracle[some]["slice_score"] == pytest.approx(scores[some])
    worst = name_slices(study, table)[frozenset(find(study)[0].subject.names)]
    assert frozenset(table.parts(worst)) == max(scores, key=scores.__getitem__)


def test_a_difference_by_hand() -> None:
    # Three of the ten queries have the keyword, with 0.2, 0.0 and 0.4; the others have 0.6.
    items = np.zeros((10, 1), bool)
    items[:3] = True
    values = np.array([0.2, 0.0, 0.4] + 7 * [0.6])
    from engine.stats.max_t import max_t

    lattice = find_conjunctions(items, least=3)
    found = max_t(values, lattice.sparse_members(), permutations=199)
    assert found.difference.tolist() == pytest.approx([-0.4])
    assert found.support.tolist() == [3]


def test_a_planted_conjunction_is_found_first_and_not_a_parent() -> None:
    study = make_study(draw_failing_slice())
    decided = correct(find(study), study.settings)
    first = decided[0]
    assert first.outcome == "found" and set(first.subject.names) == {"who:who1", "way:way2"}
    assert (
        "points of P@5 less than the others" in first.sentence and "who1 + way2" in first.sentence
    )
    parents = {("who:who1",), ("way:way2",)}
    assert not parents & {one.subject.names for one in decided if one.outcome == "found"}
    both = study.truth.relevant([study.truth.words.find(word) for word in ("who1", "way2")])
    assert set(first.evidence.queries) <= {study.truth.ids[row] for row in both.indices()}
    assert first.share == pytest.approx(first.support / 480, abs=0.01)


def test_the_more_is_planted_the_worse_the_slice() -> None:
    effects = []
    for dull in (0.0, 0.5, 1.0):
        study = make_study(draw_failing_slice(dull))
        table = measure(study)
        number = name_slices(study, table)[frozenset({"who:who1", "way:way2"})]
        effects.append(float(table.tests.difference[number]))
    assert effects[0] - 0.05 > effects[1] > effects[2] + 0.05


def test_small_slices_do_not_win_by_chance() -> None:
    # Without its standard error the Δ of a small slice is the largest of a permutation nearly
    # always, and a large slice with a moderate Δ is never found.
    rng = np.random.default_rng(0)
    items = np.zeros((600, 32), bool)
    items[:300, 0] = items[:, 31] = True
    for column in range(1, 31):
        items[rng.choice(600, 10, replace=False), column] = True
    values = rng.integers(0, 6, 600) / 5
    values[:300] = np.maximum(0, values[:300] - 0.2 * (rng.random(300) < 0.8))
    study = make_slice_study(items, values)
    first = find(study)[0]
    assert first.p <= 0.05 and first.support == 300
    table = measure(study)
    least = []
    for _ in range(200):
        permuted = rng.permutation(table.values)
        least.append(min(contrast(permuted, table.inside(at)) for at in range(len(table.lattice))))
    assert np.mean(np.array(least) <= first.effect) > 0.5  # the same test of Δ: p above 0.5


def make_slice_study(items: Bools, values: Floats) -> Study:
    """A study of queries with these keywords and these values."""
    columns = {"g": [[f"k{at:02d}" for at in np.flatnonzero(row)] for row in items]}
    truth = GroundTruth.from_columns([f"c{row:05d}" for row in range(len(items))], columns)
    scene = draw_scene(Plan(clips=len(items), dimension=8))
    study = make_study(replace(scene, truth=truth), settings=replace(QUICK, resamples=400))
    (asked,) = study.asked
    # Every keyword set stands alone here: clusters are another test's.
    own = values[asked.queries.rows]
    return replace(study, asked=(replace(asked, values=own, clusters=np.arange(len(own))),))


@pytest.mark.parametrize("limit", [1, 20])
def test_too_many_slices_are_cut_aloud(monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
    study = make_study(draw_failing_slice())
    every = len(measure(study).lattice)
    monkeypatch.setattr(slice_table, "_MOST_WORK", limit * 1000 * 64)  # one cluster per keyword set
    found = find(make_study(draw_failing_slice()))
    assert all(
        one.notes == (f"Tested: the {limit} of {every} slices with the most queries.",)
        for one in found
    )


def make_alike(seed: int) -> Study:
    """Every keyword is in the vectors alike, and at right angles to the others."""
    plan = Plan(clips=120, groups={"who": 3, "way": 3}, per_source=2, looks=0.5, seed=seed)
    scene = draw_scene(plan)
    clean = scene.vectors - sum(scene.directions[g][scene.numbers[g]] for g in ("who", "way"))
    for first, group in ((0, "who"), (3, "way")):
        clean = clean + np.eye(32)[first + scene.numbers[group]]
    return make_study(scene.with_vectors(clean), settings=SMALL)


def make_shuffled(seed: int) -> Study:
    """Values that hang together within clusters, and have nothing to do with the keywords."""
    study = make_alike(seed)
    (asked,) = study.asked
    rng = np.random.default_rng([seed, 8])
    clusters = np.arange(len(asked)) // 3
    means = 0.4 * rng.normal(size=clusters.max() + 1)[clusters]
    values = np.round(np.clip(0.5 + means + 0.2 * rng.normal(size=len(asked)), 0, 1) * 5) / 5
    return replace(study, asked=(replace(asked, values=values, clusters=clusters),))


@pytest.mark.slow
@pytest.mark.parametrize("make", [make_alike, make_shuffled])
def test_false_alarms_are_rare(make: Callable[[int], Study]) -> None:
    assert count_alarms(SLICES, make) <= count_allowed()


def test_without_effect_it_says_so_with_the_interval() -> None:
    study = make_shuffled(1)
    decided = correct(find(study), study.settings)
    assert all(one.outcome != "found" and "95 % CI" in one.sentence for one in decided)
    summary = next(one for one in decided if one.subject.kind == "model")
    assert summary.sentence.startswith(f"No slice of {len(measure(study).lattice)} is found")


def test_a_ceiling_is_named() -> None:
    # Keywords that hardly any clip has: at most one or two relevant clips.
    rng = np.random.default_rng(0)
    scene = draw_scene(Plan(clips=400, groups={"who": 2, "way": 2}, noise=0.3))
    way = np.where(np.arange(400) < 100, 2 + np.arange(400) // 4, scene.numbers["way"])
    who = np.where(np.arange(400) < 100, 2, scene.numbers["who"])
    numbers = {"who": who, "way": way}
    ways = draw_directions(rng, 200, 32)
    scene = replace(scene, truth=make_truth(numbers), numbers=numbers)
    study = make_study(scene.with_vectors(scene.vectors + ways[way] + 2 * ways[150 + who]))
    first = find(study)[0]
    assert first.subject.names == ("who:who2",) and "less could be reached there" in first.claim
    numbers_of = dict(first.numbers)
    assert numbers_of["ceiling inside"] == pytest.approx(0.6)
    assert "annotate more" in first.remedy


def test_the_same_seed_finds_the_same() -> None:
    one, other = (find(make_study(draw_failing_slice(0.5))) for _ in range(2))
    assert [(f.id, f.p, f.effect, f.interval) for f in one] == [
        (f.id, f.p, f.effect, f.interval) for f in other
    ]


def test_a_slice_that_another_model_fails_is_told_of_too() -> None:
    study = make_study(draw_failing_slice())
    hidden = "slices/video/who-who3"
    assert hidden not in {one.id for one in find(study)}
    assert hidden in {one.id for one in find(study.wanting([hidden]))}


def test_few_queries_have_no_slice() -> None:
    (only,) = find(make_study(draw_scene(Plan(clips=16))))
    assert only.outcome == "unknown" and "by 10 video queries" in only.sentence
