"""Does it matter which keyword it is? Max-T over permutations of cells.

A cell is what the queries of one cluster have to say of one topic (a keyword, or a group): the mean
x of their values, which sum to nothing over the topics of a query. If topics did not matter, a
cluster's cells could change places with each other, and with those of any other cluster that has as
many of them. Cells of few queries are more scattered: what changes places is x / h with

    h² = τ² + σ² / queries of the cell          variances between and within cells
    T  = Σ a x / SE, a = the cell's share of the topic's queries
    SE² = ((c − 1) · own + 20 · null) / (c − 1 + 20)
    own = c / (c − 1) · Σ a² (x − Σ a x)²,  null = S²_z Σ (a h)²

of a topic with c cells: what a few cells say of their own variance counts for little beside that
of all cells. The adjusted p of a topic is (b + 1) / (B + 1), in b of B permutations the largest T
of any topic is at least as large.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from engine.base.arrays import Floats, Ints
from engine.stats.slice_contrasts import PRIOR_CLUSTERS

_CELLS_AT_ONCE = 1 << 19
_MOST_DRAWN = 1 << 23
_LAST_DRAWN = 1 << 25


def compare_topics(
    values: Floats,
    cluster: Ints,
    topic: Ints,
    *,
    permutations: int,
    fewest: int = 500,
    rng: np.random.Generator,
    twice: float = 0.0,
    beat: Callable[[], None] = lambda: None,
) -> tuple[Floats, int]:
    """(topics,) p of a mean that is not above 0, adjusted over all topics; and of how many
    permutations: of many cells there are fewer, though `fewest` as long as that is possible.

    `twice` is the share ρ of what the values are made of that is in a value of another cluster as
    well. Means then vary more than permutations of clusters show, by ρ times the variance of
    independent values, which is a part of that of cells: T is divided by √(1 + ρ · part). `beat` is
    called between pieces of work.

    >>> rng = np.random.default_rng(0)
    >>> values = rng.normal(size=40).repeat(2) * np.tile([0.1, -0.1], 40)
    >>> values[:16] = np.tile([0.9, -0.9], 8)
    >>> topics = np.array([[0, 1]] * 8 + [[1, 2], [2, 3], [3, 1], [3, 2]] * 8).ravel()
    >>> p, _ = compare_topics(values, np.arange(40).repeat(2), topics, permutations=999, rng=rng)
    >>> p.tolist()
    [0.001, 1.0, 0.988, 1.0]
    """
    topics = int(topic.max()) + 1
    keys, cell = np.unique(cluster * topics + topic, return_inverse=True)
    sizes = np.bincount(cell).astype(np.float64)
    means = np.bincount(cell, weights=values) / sizes
    scale = _find_scale(values - means[cell], sizes, means)
    shares = np.zeros((len(keys), topics))
    shares[np.arange(len(keys)), keys % topics] = sizes
    shares /= shares.sum(axis=0)
    alike = (means / scale).astype(np.float32)
    variance = float((alike.astype(np.float64) ** 2).mean())
    null = variance * ((shares * scale[:, None]) ** 2).sum(axis=0)
    observed = _studentise(means[None], shares, null)[0]
    observed /= math.sqrt(1 + twice * _compare_variances(values, topic, cell))
    least = min(fewest, _LAST_DRAWN // len(keys))
    count = min(permutations, max(least, _MOST_DRAWN // len(keys), 1))
    beyond, step = np.zeros(topics, np.int64), max(1, _CELLS_AT_ONCE // len(keys))
    for start in range(0, count, step):
        beat()
        rows = min(step, count - start)
        source = draw_sources(keys // topics, rows, rng)
        drawn = _studentise(alike[source] * scale.astype(np.float32), shares, null)
        beyond += (drawn.max(axis=1)[:, None] >= observed - 1e-4).sum(axis=0)
    p: Floats = (beyond + 1) / (count + 1)
    return p, count


def _find_scale(rest: Floats, sizes: Floats, means: Floats) -> Floats:
    """h of every cell; `rest`: what is left of the values. 1 where nothing is scattered."""
    cells, n = len(sizes), len(rest)
    within = float(rest @ rest) / (n - cells) if n > cells else 0.0
    between = max(0.0, (float(sizes @ means**2) - cells * within) / n)
    found: Floats = np.sqrt(between + within / sizes)
    return np.where(found > 0, found, 1.0)


def _compare_variances(values: Floats, topic: Ints, cell: Ints) -> float:
    """That of independent values, as a part of that of cells; at most 1."""
    rest = values - (np.bincount(topic, values) / np.maximum(np.bincount(topic), 1))[topic]
    cells = np.bincount(cell, rest)
    together = float(cells @ cells)
    return min(1.0, float(rest @ rest) / together) if together > 0 else 1.0


def draw_sources(cluster: Ints, rows: int, rng: np.random.Generator) -> Ints:
    """(rows, cells) random permutations of cells, which stand cluster by cluster: cells of one
    cluster stay together, and take the places of a cluster with as many."""
    found = np.empty((rows, len(cluster)), np.int64)
    starts = np.flatnonzero(np.diff(cluster, prepend=cluster[0] - 1))
    sizes = np.diff(np.append(starts, len(cluster)))
    for size in np.unique(sizes).tolist():
        own = starts[sizes == size]
        order = np.argsort(rng.random((rows, len(own)), np.float32), axis=1)
        within = np.argsort(rng.random((rows, len(own), size), np.float32), axis=2)
        places = own[:, None] + np.arange(size)
        found[:, places.ravel()] = (own[order][:, :, None] + within).reshape(rows, -1)
    return found


def _studentise(means: np.ndarray, shares: Floats, null: Floats) -> Floats:
    """(b, topics) T of rows of cell means; 0 where nothing is scattered."""
    single = shares.astype(means.dtype)
    cells = (shares > 0).sum(axis=0)
    found = means @ single
    squares = single**2
    # Σ a² (x − m)² = Σ a² x² − 2 m Σ a² x + m² Σ a²
    spread = means**2 @ squares - 2 * found * (means @ squares) + found**2 * squares.sum(axis=0)
    freedom = np.maximum(cells - 1, 0)
    scaled = np.maximum(spread, 0) * (cells / np.maximum(freedom, 1))
    variance = (freedom * scaled + PRIOR_CLUSTERS * null) / (freedom + PRIOR_CLUSTERS)
    t: Floats = np.divide(found, np.sqrt(variance), out=np.zeros(found.shape), where=variance > 0)
    return t
