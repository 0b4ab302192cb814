"""Many slices at once: T by its formula, planted slices, and false alarms as rare as said."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import sparse, stats

from engine.base.arrays import Bools, Floats, Ints
from engine.stats.max_t import max_t
from engine.stats.slice_contrasts import PRIOR_CLUSTERS


def draw_sizes(rng: np.random.Generator, n: int) -> Ints:
    """(n,) labels of clusters of 1 to 60 queries, most of them small."""
    sizes = np.minimum(60, 1 + rng.pareto(1.0, n)).astype(np.int64)
    return np.repeat(np.arange(n), sizes)[:n]


def draw_members(rng: np.random.Generator, unit: Ints, least: int = 8) -> Bools:
    """Keywords of units, which have them together, and all conjunctions of two of them."""
    has = (rng.random((unit.max() + 1, 12)) < np.linspace(0.08, 0.5, 12))[unit]
    pairs = [has[:, i] & has[:, j] for i in range(12) for j in range(i)]
    members = np.concatenate([has, np.stack(pairs, axis=1)], axis=1)
    support = members.sum(axis=0)
    return members[:, (support >= least) & (support <= len(unit) - least)]


def draw_values(rng: np.random.Generator, cluster: Ints) -> Floats:
    """Fifths, six of ten 0; half of what decides is the cluster's."""
    own = rng.normal(size=cluster.max() + 1)[cluster] + rng.normal(size=len(cluster))
    return np.searchsorted(stats.norm.ppf([0.6, 0.75, 0.85, 0.92, 0.97]) * math.sqrt(2), own) / 5


def test_the_difference_is_that_of_the_means() -> None:
    values, members = [0.2, 0.4, 1.0, 0.6], np.array([[1, 0], [1, 1], [0, 0], [0, 0]], bool)

    found = max_t(values, members, permutations=10)

    assert found.difference == pytest.approx([0.3 - 0.8, 0.4 - 0.6])
    assert found.support.tolist() == found.clusters.tolist() == [2, 1]


def test_the_error_is_the_formula_of_single_queries() -> None:
    """Without clusters own = Σ (e / n_S)² inside − n_S mean² …, the usual variance of two means."""
    rng = np.random.default_rng(1)
    values, inside = rng.random(50), np.arange(50) < 12

    found = max_t(values, inside[:, None], permutations=10)

    one, other = values[inside], values[~inside]
    own = (one.var() / 12 + other.var() / 38) * 12 / 11
    null = values.var(ddof=1) * (1 / 12 + 1 / 38)
    expected = math.sqrt((11 * own + PRIOR_CLUSTERS * null) / (11 + PRIOR_CLUSTERS))
    assert found.error[0] == pytest.approx(expected, rel=1e-5)
    assert found.t[0] == pytest.approx((one.mean() - other.mean()) / expected, rel=1e-5)


def test_the_error_of_whole_clusters_of_one_size_is_that_of_their_means() -> None:
    rng = np.random.default_rng(2)
    cluster = np.repeat(np.arange(30), 4)
    values = rng.random(30)[cluster] + 0.1 * rng.random(120)
    inside = cluster < 9

    clustered = max_t(values, inside[:, None], clusters=cluster, permutations=10)
    means = max_t(values.reshape(30, 4).mean(axis=1), inside[::4, None], permutations=10)

    assert clustered.error[0] == pytest.approx(means.error[0], rel=1e-5)
    assert clustered.clusters[0] == 9 and clustered.support[0] == 36


def test_a_single_slice_has_the_p_of_a_permutation_test() -> None:
    rng = np.random.default_rng(3)
    values, inside = rng.integers(0, 6, 60) / 5, rng.random(60) < 0.3
    values[inside] -= 0.15

    found = max_t(values, inside[:, None], permutations=4_000)

    expected = stats.permutation_test(
        (values[inside], values[~inside]),
        lambda a, b: np.mean(a) - np.mean(b),
        alternative="less",
        n_resamples=4_000,
        rng=np.random.default_rng(0),
    )
    assert found.p[0] == found.adjusted[0] == pytest.approx(expected.pvalue, abs=0.02)


def test_every_number_is_recomputed_from_permuted_atoms() -> None:
    """Clusters of one size, which slices cut into atoms of one size: h cancels, and queries of an
    atom move together. T of a draw that changes nothing is the observed one."""
    from engine.stats.cluster_permutations import ClusterDraws, ClusterValues
    from engine.stats.slice_contrasts import cut_slices, number_kinds

    rng = np.random.default_rng(4)
    cluster, atom = np.repeat(np.arange(10), 6), np.repeat(np.arange(30), 2)
    members = (rng.random((30, 7)) < 0.4)[atom]
    values = rng.random(60)
    own = ClusterValues.of(values, cluster, number_kinds(members))
    assert len(own.atom_size) <= 30
    (draws,) = own.permute(5, seed=0)
    (chunk,) = cut_slices(members, own, 5)

    found, _ = chunk.compare(draws)

    for row in range(5):
        permuted = draws.means[row][cluster].astype(np.float64)
        atoms = draws.atoms[row] * own.inner_scale
        weight = own.atom_size[own.inner]
        centre = np.bincount(own.home, atoms * weight, 10) / np.bincount(own.home, weight, 10)
        per_atom = np.zeros(len(own.atom_size))
        per_atom[own.inner] = atoms - centre[own.home]
        kinds = number_kinds(members)
        for place, query in enumerate(own.first):
            same = (cluster == cluster[query]) & (kinds == kinds[query])
            permuted[same] += per_atom[place]
        for column in range(7):
            inside = members[:, column]
            expected = permuted[inside].mean() - permuted[~inside].mean()
            assert found[row, column] == pytest.approx(expected, abs=1e-5)
    same, error = chunk.compare(own.observe())
    again: ClusterDraws = own.observe()
    assert same[0] == pytest.approx(max_t(values, members, clusters=cluster).difference, abs=1e-6)
    assert chunk.studentise(again)[0] == pytest.approx(same[0] / error[0], rel=1e-5)


def test_sparse_slices_are_the_same_slices() -> None:
    rng = np.random.default_rng(5)
    cluster = draw_sizes(rng, 200)
    members, values = draw_members(rng, np.arange(200)), draw_values(rng, cluster)

    dense = max_t(values, members, clusters=cluster, permutations=99)
    again = max_t(values, sparse.csr_array(members), clusters=cluster, permutations=99)

    assert again.adjusted.tolist() == dense.adjusted.tolist()
    assert again.t.tolist() == dense.t.tolist()


def test_names_of_clusters_and_the_seed_alone_decide() -> None:
    rng = np.random.default_rng(6)
    cluster = draw_sizes(rng, 200)
    members, values = draw_members(rng, np.arange(200)), draw_values(rng, cluster)

    first, again, other = (
        max_t(values, members, clusters=own, permutations=99, seed=seed).p.tolist()
        for own, seed in ((cluster, 1), (cluster + 7, 1), (cluster, 2))
    )

    assert first == again
    assert first != other


def test_slices_of_nothing_and_of_everything_have_no_t() -> None:
    members = np.array([[0, 1, 1]] * 3 + [[0, 1, 0]] * 3, bool)

    found = max_t([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], members, permutations=99)

    assert np.isnan(found.t).tolist() == np.isnan(found.p).tolist() == [True, True, False]
    assert np.isnan(found.adjusted).tolist() == [True, True, False]


def test_equal_values_show_nothing() -> None:
    members = draw_members(np.random.default_rng(7), np.arange(60))

    found = max_t([0.1] * 60, members, permutations=99)

    assert set(found.t.tolist()) == {0.0}
    assert set(found.adjusted.tolist()) == set(found.p.tolist()) == {1.0}


def test_no_slice_at_all_is_no_error() -> None:
    assert len(max_t([0.1, 0.2], np.zeros((2, 0), bool), permutations=9).adjusted) == 0


def test_slices_of_other_queries_are_refused() -> None:
    with pytest.raises(ValueError, match="expected slices of 2 queries"):
        max_t([0.1, 0.2], np.zeros((3, 1), bool))


@pytest.mark.parametrize(("alternative", "found"), [("less", 1), ("greater", 0), ("two-sided", 1)])
def test_a_slice_that_fails_is_found_on_its_side(alternative: str, found: int) -> None:
    rng = np.random.default_rng(8)
    members = draw_members(rng, np.arange(400))
    values = rng.integers(1, 6, 400) / 5
    values[members[:, 2]] -= 0.4

    test = max_t(values, members, permutations=199, alternative=alternative)

    assert (test.adjusted[2] <= 0.05) == bool(found)
    if found:
        assert np.argmax(np.abs(test.t)) == 2


def test_a_slice_within_one_cluster_shows_nothing_however_low_it_is() -> None:
    """Forty queries of one source, all 0: one observation among thirty."""
    rng = np.random.default_rng(9)
    cluster = np.concatenate([np.zeros(40, int), np.repeat(np.arange(1, 31), 5)])
    values = 0.5 + 0.2 * rng.normal(size=31)[cluster] + 0.05 * rng.normal(size=190)
    values[cluster == 0] = 0.2
    inside = (cluster == 0)[:, None]

    assert max_t(values, inside, permutations=999).p[0] == 0.001
    assert max_t(values, inside, clusters=cluster, permutations=999).p[0] > 0.02


# How often


def alarms(sets: int, kind: str, clustered: bool = True) -> float:
    """How often any slice has an adjusted p ≤ 0.05 where none differs."""
    rng = np.random.default_rng(20)
    count = 0
    for _ in range(sets):
        cluster = draw_sizes(rng, 300)
        unit = {"whole": cluster, "cut": np.arange(300)}.get(kind)
        if unit is None:  # three queries of a cluster have the same keywords
            step = np.arange(300) - np.searchsorted(cluster, cluster)
            unit = np.unique(1_000 * cluster + step // 3, return_inverse=True)[1]
        own = cluster if kind != "atoms" else unit
        values = (draw_values(rng, cluster) + draw_values(rng, own)) / 2
        members = draw_members(rng, unit)
        test = max_t(
            values,
            members,
            clusters=cluster if clustered else None,
            permutations=199,
            seed=int(rng.integers(1 << 30)),
        )
        count += test.adjusted.min() <= 0.05
    return count / sets


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["whole", "cut", "atoms"])
def test_false_alarms_are_as_rare_as_said_whether_slices_keep_or_cut_clusters(kind: str) -> None:
    """5 % by construction; the bound leaves room for the chance in 500 sets (± 2 %)."""
    assert 0.02 <= alarms(500, kind) <= 0.08


@pytest.mark.slow
def test_queries_that_hang_together_need_their_clusters() -> None:
    assert alarms(100, "whole", clustered=False) > 0.3


@pytest.mark.slow
def test_large_slices_are_found_among_many_small_ones() -> None:
    """What a maximum of differences without their errors would not do: slices of 8 scatter most."""
    rng = np.random.default_rng(22)
    found = 0
    for seed in range(50):
        small = np.stack([rng.permutation(400) < 8 for _ in range(200)], axis=1)
        large = rng.random(400) < 0.4
        values = rng.random(400) - 0.15 * large
        test = max_t(values, np.column_stack([large, small]), permutations=199, seed=seed)
        found += test.adjusted[0] <= 0.05
        assert test.difference.min() < test.difference[0]
    assert found >= 40
