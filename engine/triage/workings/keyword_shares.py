"""Shapley values: what a query lacks, shared out among its keywords.

With K the keywords of a query, and v(S) a number for every set S of them that is dropped, the
share of w is the mean of v(S ∪ w) − v(S) over all orders in which keywords can be dropped one by
one, S being those before w:

    φ_w = Σ over S ⊆ K∖w of |S|! (|K| − |S| − 1)! / |K|! · (v(S ∪ w) − v(S)),   Σφ = v(K) − v(∅)

Subsets are bit masks of the keywords that are kept, so that a query is a row of 2^|K| numbers and
its shares are that row times a matrix. Beyond `MOST_EXACT` keywords orders are drawn at random.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from engine.base.arrays import Bools, Floats, Ints

MOST_EXACT = 10
"""Keywords of a query whose 2^n subsets are all looked at."""


@cache
def make_weights(size: int) -> Floats:
    """(2^n, n) what turns the value of every kept subset into the shares of n keywords.

    >>> make_weights(1).tolist()
    [[1.0], [-1.0]]
    """
    kept = np.arange(1 << size)
    dropped = size - np.bitwise_count(kept).astype(np.int64)
    weights = np.zeros((1 << size, size))
    before = np.array([_weigh(count, size) for count in range(size)])
    for place in range(size):
        has = (kept >> place & 1).astype(np.bool_)
        # The subset with the keyword is v(S), that without it v(S ∪ w).
        weights[has, place] = -before[dropped[has]]
        weights[kept[has] ^ (1 << place), place] = before[dropped[has]]
    weights.flags.writeable = False
    return weights


def _weigh(dropped: int, size: int) -> float:
    """The share of orders in which just these are dropped before."""
    return 1 / (size * math.comb(size - 1, dropped))


def count_having(has: Bools) -> Ints:
    """(q, 2^n) how many of the results (q, k, n) have all keywords of every subset.

    >>> count_having(np.array([[[True, False], [True, True]]])).tolist()
    [[2, 2, 1, 1]]
    """
    queries, _, size = has.shape
    masks = has @ (1 << np.arange(size))
    flat = (np.arange(queries)[:, None] << size) + masks
    counts = np.bincount(flat.ravel(), minlength=queries << size).reshape(queries, 1 << size)
    # Those with a superset are added keyword by keyword: each subset has the sum of all above it.
    for place in range(size):
        cube = counts.reshape(queries, -1, 2, 1 << place)
        cube[:, :, 0] += cube[:, :, 1]
    return counts.astype(np.int64)


def draw_orders(rng: np.random.Generator, size: int, orders: int) -> Ints:
    """(orders, n) random orders in which keywords are dropped, each with its reverse."""
    half = rng.permuted(np.tile(np.arange(size), (-(-orders // 2), 1)), axis=1)
    return np.concatenate([half, half[:, ::-1]])[:orders]


def share_steps(orders: Ints, values: Floats) -> Floats:
    """(n,) the mean of what each keyword adds, of v after 0, 1 … n keywords of every order.

    >>> values = np.array([[0.0, 0.5, 1.0], [0.0, 0.0, 1.0]])
    >>> share_steps(np.array([[0, 1], [1, 0]]), values).tolist()
    [0.75, 0.25]
    """
    shares = np.zeros(orders.shape[1])
    np.add.at(shares, orders, np.diff(values, axis=1))
    return shares / len(orders)
