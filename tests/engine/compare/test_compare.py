"""Systems compared query by query: the numbers, what is left out, and what is found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from engine.base.errors import InputError
from engine.compare import CompareSettings, Comparison, compare
from engine.compare.compare_settings import read_clusters
from engine.compare.slices import find_flips
from engine.metrics import Measure, find_profile
from engine.metrics.measure import choose_main_measure
from engine.results.results import KeptResults, Results, number_queries
from engine.stats import benjamini_hochberg, holm
from tests.examples import examples

QUICK = CompareSettings(resamples=1_000)
P5 = Measure.parse("P@5")
MEDR = Measure.parse("MedR")


def system(
    name: str,
    values: npt.ArrayLike,
    *,
    ids: Sequence[str] = ("P@5",),
    queries: Sequence[str] | None = None,
    keywords: Sequence[tuple[str, ...]] | None = None,
    ranked: Sequence[KeptResults] = (),
    mode: str = "text",
) -> Results:
    table = np.asarray(values, np.float64)
    table = table[:, None] if table.ndim == 1 else table
    count = len(table)
    return Results(
        name=name,
        language=find_profile("alfa"),
        measures=tuple(map(Measure.parse, ids)),
        keys=number_queries([mode] * count, queries or [f"query {n}" for n in range(count)]),
        values=table,
        keywords=tuple(keywords or [()] * count),
        relevant=np.full(count, 3),
        ranked=tuple(ranked),
    )


def joined(*parts: Results) -> Results:
    """One system over the queries of several modes."""
    return Results(
        name=parts[0].name,
        language=parts[0].language,
        measures=parts[0].measures,
        keys=tuple(key for part in parts for key in part.keys),
        values=np.concatenate([part.values for part in parts]),
        keywords=tuple(words for part in parts for words in part.keywords),
        relevant=np.concatenate([part.relevant for part in parts]),
    )


def test_the_difference_by_hand() -> None:
    found = compare([system("old", [0.2, 0.4, 0.6, 0.4]), system("new", [0.4, 0.6, 0.6, 0.8])])

    (difference,) = found.modes[0].differences
    old, new = found.modes[0].levels
    assert (old.value, new.value) == pytest.approx((0.4, 0.6))
    assert (old.n, difference.n) == (4, 4)
    assert difference.value == pytest.approx(0.2)
    assert difference.std == pytest.approx(np.std([0.2, 0.2, 0.0, 0.4], ddof=1))
    assert (difference.counts.wins, difference.counts.ties, difference.counts.losses) == (3, 1, 0)
    # Of the 16 sign patterns of (0.2, 0.2, 0, 0.4), 4 have a mean as far from 0: the zero's sign
    # is free, the others all plus or all minus.
    assert difference.permutation.p == pytest.approx(4 / 16)
    # p is never below 2 / 16: at 5 % no difference at all can be ruled out.
    assert np.isnan(difference.interval.low) and np.isnan(difference.interval.high)


@given(st.integers(0, 2**32 - 1), st.integers(5, 60))
@examples(30)
def test_the_tests_equal_scipy(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    old = rng.integers(0, 6, n) / 5
    new = np.clip(old + rng.integers(-2, 3, n) / 5, 0, 1)
    if np.array_equal(old, new):
        return
    (difference,) = (
        compare([system("old", old), system("new", new)], settings=QUICK).modes[0].differences
    )

    assert difference.t.p == pytest.approx(scipy_stats.ttest_rel(new, old).pvalue)
    gaps = np.round(new - old, 9)  # what is equal must be equal for both
    assert difference.wilcoxon.p == pytest.approx(scipy_stats.wilcoxon(gaps).pvalue, abs=1e-9)


def test_identical_runs_do_not_differ() -> None:
    values = np.linspace(0, 1, 30)
    (difference,) = compare([system("a", values), system("b", values)]).modes[0].differences

    assert difference.value == 0
    assert (difference.t.p, difference.wilcoxon.p, difference.permutation.p) == (1, 1, 1)
    assert (difference.holm, difference.bh, difference.effect) == (1, 1, 0)
    assert difference.verdict(0.05) == "no difference found"


def test_p_values_are_corrected_over_pairs_within_a_mode() -> None:
    rng = np.random.default_rng(3)
    base = rng.random((40, 2))

    def variant(name: str, shift: float) -> Results:
        text, video = base[:20] + shift, base[20:] + rng.normal(0, 0.1, (20, 2))
        ids = ("P@5", "RR@5")
        return joined(system(name, text, ids=ids), system(name, video, ids=ids, mode="video"))

    found = compare([variant("a", 0), variant("b", 0.3), variant("c", 0)], settings=QUICK)

    assert sum(len(mode.differences) for mode in found.modes) == 2 * 2 * 2
    for mode in found.modes:
        for measure in found.measures:
            own = [d for d in mode.differences if d.measure == measure]
            p = [d.permutation.p for d in own]
            assert [d.holm for d in own] == holm(p).tolist()
            assert [d.bh for d in own] == benjamini_hochberg(p).tolist()
            assert {d.family for d in own} == {2}, "two pairs"


def test_each_is_compared_with_the_first_or_with_each() -> None:
    three = [system(name, [0.1, 0.5, 0.9]) for name in "abc"]

    assert compare(three, settings=QUICK).pairs == ((0, 1), (0, 2))
    assert compare(three, pairs="all", settings=QUICK).pairs == ((0, 1), (0, 2), (1, 2))


def test_only_queries_that_all_systems_answered_count_and_the_others_are_reported() -> None:
    old = system("old", [0.0, 0.5, 1.0, np.nan], queries=["a", "b", "c", "d"])
    new = system("new", [1.0, 0.5, np.nan, np.nan, 0.3], queries=["c", "b", "a", "d", "e"])

    mode = compare([old, new], settings=QUICK).modes[0]

    (difference,) = mode.differences
    assert [key.query for key in mode.part.keys] == ["a", "b", "c", "d"]
    assert difference.n == 2  # a and d do not count
    assert difference.value == pytest.approx(0.0)
    assert mode.notes == (
        "new has 1 more text query that the others do not all have: left out",
        "1 query counts for some systems only (P@5): left out",
    )


def test_where_lower_is_better_a_falling_rank_is_a_gain() -> None:
    old, new = (system(n, [r, r + 2, r + 5], ids=["MedR"]) for n, r in (("old", 9), ("new", 2)))

    mode = compare([old, new], settings=QUICK).modes[0]

    (difference,) = mode.differences
    assert difference.value == -7
    assert difference.gain == 7
    assert difference.counts.wins == 3
    assert [change.change for change in mode.changes((0, 1), MEDR)] == [7, 7, 7]


def planted(seed: int = 5, drop: float = 0.35) -> tuple[Results, Results]:
    """200 queries that differ by noise alone, but for those with a bicyclist at night."""
    rng = np.random.default_rng(seed)
    objects = rng.choice(["object_type:bicyclist", "object_type:car", "object_type:truck"], 200)
    scenes = rng.choice(["scene_type:night", "scene_type:day"], 200)
    keywords = list(zip(objects.tolist(), scenes.tolist(), strict=True))
    old = rng.integers(2, 6, 200) / 5
    new = np.clip(old + rng.choice([-0.2, 0, 0, 0.2], 200), 0, 1)
    new[objects == "object_type:bicyclist"] -= drop
    return system("old", old, keywords=keywords), system("new", new, keywords=keywords)


def test_a_planted_regression_in_one_slice_is_found_and_named() -> None:
    mode = compare(planted(), settings=QUICK).modes[0]

    worst = mode.slices[0]
    assert (worst.slice.kind, worst.slice.name) == ("keyword", "object_type:bicyclist")
    assert worst.difference.verdict(0.05) == "worse"
    others = [
        row for row in mode.slices if row.slice.name in ("object_type:car", "object_type:truck")
    ]
    assert all(row.difference.verdict(0.05) != "worse" for row in others)
    before, after = worst.levels
    assert after.value - before.value == pytest.approx(worst.difference.value)
    assert mode.changes((0, 1), P5, 1)[0].keywords[0] == "object_type:bicyclist"


def test_slices_with_few_queries_are_counted_and_those_of_all_queries_left_out() -> None:
    keywords = [("scene_type:day", "object_type:car")] * 8 + [("scene_type:day",)] * 12
    old, new = (system(name, np.linspace(0, 1, 20), keywords=keywords) for name in ("a", "b"))

    mode = compare([old, new], settings=CompareSettings(resamples=100, least_queries=10)).modes[0]

    assert mode.slices == ()  # every query has a scene, and too few have a car
    assert mode.few_slices == 2  # the keyword car, and its group


def test_queries_with_the_same_keywords_can_be_drawn_together() -> None:
    rng = np.random.default_rng(2)
    effect = np.repeat(rng.normal(0.05, 0.1, 20), 10)
    keywords = [(f"object_type:{n // 10}",) for n in range(200)]
    old = system("old", np.zeros(200), keywords=keywords)
    new = system("new", effect + rng.normal(0, 0.01, 200), keywords=keywords)
    pair = [old, new]

    def width(clusters: CompareSettings) -> tuple[float, float]:
        (difference,) = compare(pair, settings=clusters).modes[0].differences
        return difference.interval.high - difference.interval.low, difference.permutation.p

    alone, p_alone = width(QUICK)
    together, p_together = width(CompareSettings(resamples=1_000, clusters="keywords"))
    pair = [replace(own, videos=tuple(f"{n // 10}.mp4" for n in range(200))) for own in pair]
    by_video, _ = width(CompareSettings(resamples=1_000, clusters="video"))
    as_reported, _ = width(
        CompareSettings(resamples=1_000, clusters={f"query {n}": str(n // 10) for n in range(200)})
    )
    assert together > 2 * alone
    assert p_together > p_alone
    assert (as_reported, by_video) == pytest.approx((together, together), rel=0.2)


def test_what_fell_out_of_the_results_and_what_came_in() -> None:
    before = KeptResults(("a", "b", "c"), (0.9, 0.8, 0.7), (1.0, 0.0, 1.0))
    after = KeptResults(("c", "b", "d"), (0.9, 0.8, 0.7), (1.0, 0.0, 0.0))

    assert [(flip.id, flip.before, flip.after) for flip in find_flips(before, after)] == [
        ("a", 1, 0),
        ("c", 3, 1),
        ("d", 0, 3),
    ]


def test_the_main_metric_is_the_first_family_at_its_largest_cut_off() -> None:
    ids = ("R@1", "R@5", "P@10", "AP")

    assert str(choose_main_measure([Measure.parse(text) for text in ids])) == "R@5"


def test_systems_of_the_same_name_are_told_apart() -> None:
    found: Comparison = compare([system("m", [0.1, 0.2]), system("m", [0.1, 0.3])], settings=QUICK)

    assert found.names == ("m", "m (2)")


def test_the_same_seed_gives_the_same_comparison() -> None:
    first, second = (compare(planted(), settings=QUICK).modes[0] for _ in range(2))

    assert first.differences == second.differences
    assert first.slices == second.slices


@pytest.mark.parametrize(
    ("systems", "said"),
    [
        ([system("a", [0.1])], "a comparison needs two"),
        (
            [system("a", [0.1], queries=["x"]), system("b", [0.1], queries=["y"])],
            "a and b have no query in common",
        ),
        ([system("a", [0.1]), system("b", [0.1], mode="video")], "no query in common"),
        ([system("a", [0.1]), system("b", [0.1], ids=["R@5"])], "no metric in common"),
        ([system("a", [1.0], ids=["MedR(all)"])] * 2, "no value per query to compare"),
    ],
)
def test_what_cannot_be_compared_is_reported(systems: list[Results], said: str) -> None:
    with pytest.raises(InputError, match=said):
        compare(systems)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"level": 1.0}, "the level is 1"),
        ({"resamples": 3}, "3 resamples"),
        ({"least_queries": 1}, "a slice of 1 queries"),
        ({"seed": -1}, "the seed is -1"),
    ],
)
def test_settings_that_mean_nothing_are_refused(wrong: dict[str, float], said: str) -> None:
    with pytest.raises(InputError, match=said):
        CompareSettings(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("query,group\na,b\n", "line 1: has no columns query and cluster"),
        ("query,cluster\na\n", "line 2: has 1 cells, the header has 2"),
        ("query,cluster\na,1\na,2\n", "line 3: puts the query 'a' into a second cluster"),
        ("query,cluster\n", "names no query"),
    ],
)
def test_what_is_wrong_with_a_file_of_clusters_is_named(
    tmp_path: Path, text: str, said: str
) -> None:
    path = tmp_path / "clusters.csv"
    path.write_text(text)

    with pytest.raises(InputError, match=said):
        read_clusters(path)


def test_medians_are_compared_as_medians() -> None:
    """Wins without a loss are never "worse", though the median of the differences is 0."""
    old = np.array([1.0] * 30 + [9.0] * 71)
    new = old.copy()
    new[30:75] = 1.0

    found = compare([system("old", old, ids=["MedR"]), system("new", new, ids=["MedR"])])

    (difference,) = found.modes[0].differences
    before, after = found.modes[0].levels
    assert (before.value, after.value, difference.value) == (9, 1, -8)
    assert (difference.counts.wins, difference.counts.losses) == (45, 0)
    assert difference.verdict(0.05) == "better"


def test_a_difference_of_0_is_neither_better_nor_worse() -> None:
    old = np.array([1.0] * 80 + [9.0] * 20)
    new = np.where(old == 9, 5.0, 1.0)

    found = compare([system("old", old, ids=["MedR"]), system("new", new, ids=["MedR"])])

    (difference,) = found.modes[0].differences
    assert difference.value == 0
    assert difference.verdict(0.05) == "no difference found"


def test_many_tests_do_not_hide_what_is_sure() -> None:
    """100 tests: with 100 flips no p times 100 would be below a half."""
    rng = np.random.default_rng(8)
    old = rng.random((40, 100))
    ids = [f"P@{k}" for k in range(1, 101)]
    new = old + 0.3

    found = compare(
        [system("old", old, ids=ids), system("new", new, ids=ids)],
        settings=CompareSettings(resamples=100, least_queries=50),
    )

    assert all(d.verdict(0.05) == "better" for d in found.modes[0].differences)


def test_a_metric_that_counts_for_no_query_has_no_p_and_is_not_corrected_for() -> None:
    values = np.stack([np.linspace(0, 1, 20), np.full(20, np.nan)], axis=1)
    better = values + np.array([0.5, 0.0])
    ids = ["P@5", "AvgSim@5"]

    found = compare([system("a", values, ids=ids), system("b", better, ids=ids)], settings=QUICK)

    first, second = found.modes[0].differences
    assert first.holm == first.permutation.p
    assert np.isnan(second.holm)


def test_what_was_noted_of_the_systems_is_noted_of_the_comparison() -> None:
    old = replace(
        system("old", [0.1, 0.2]),
        notes=("text: 3 queries are missing", "MnR: the value is a lower bound", "video: other"),
        policies=(("fewer_than_k", "adaptive"), ("ties", "insertion")),
        inputs=(("annotations", "abc"),),
    )
    new = replace(
        old,
        name="new",
        notes=("text: 3 queries are missing",),
        policies=(("fewer_than_k", "fixed"), ("ties", "insertion")),
        inputs=(("annotations", "abd"),),
    )

    found = compare([old, new], settings=QUICK)

    assert found.modes[0].notes == (
        "the policy fewer_than_k differs: adaptive, fixed",
        "the systems were evaluated with different annotations",
        "3 queries are missing",
        "old: MnR: the value is a lower bound",
    )
    assert found.formula(P5) == "hits@5 / min(5, n)"
