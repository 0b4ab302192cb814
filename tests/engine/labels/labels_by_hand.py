"""Label Score@K as plainly as it can be written: every pair compared, everything sorted."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


def order_of(
    queries: npt.NDArray[np.floating],
    items: npt.NDArray[np.floating],
    *,
    cosine: bool,
    own: bool = False,
) -> npt.NDArray[np.int64]:
    """Every item for every query, the best first, equal ones by row; without the own row.

    Whole numbers are compared exactly, so that ties are ties; others as float64, unrounded.
    """
    asked, found = np.asarray(queries, np.float64), np.asarray(items, np.float64)
    whole = all(
        (rows == np.round(rows)).all() and np.abs(rows).max() < 1e6 for rows in (asked, found)
    )
    score = exactly if whole else plainly
    orders = []
    for query in range(len(asked)):
        scores = [score(asked[query], row, cosine) for row in found]
        rows = sorted(range(len(found)), key=lambda row: (-scores[row], row))
        orders.append([row for row in rows if not (own and row == query)])
    return np.array(orders, np.int64)


def plainly(query: Array, item: Array, cosine: bool) -> float:
    product = float(np.dot(query, item))
    return (
        product / float(np.sqrt(np.dot(query, query)) * np.sqrt(np.dot(item, item)))
        if cosine
        else product
    )


def exactly(query: Array, item: Array, cosine: bool) -> Fraction:
    """The inner product, or what orders as the cosine does: its square, with its sign."""
    product = sum(int(a) * int(b) for a, b in zip(query, item, strict=True))
    if not cosine:
        return Fraction(product)
    squares = sum(int(a) ** 2 for a in query) * sum(int(b) ** 2 for b in item)
    return Fraction(product * abs(product), squares)


def label_score(
    queries: npt.NDArray[np.floating],
    items: npt.NDArray[np.floating],
    query_labels: list[object],
    item_labels: list[object],
    k: int,
    *,
    cosine: bool = True,
    own: bool = False,
) -> float:
    """The mean over all queries of same-label items among the first k, / k."""
    order = order_of(queries, items, cosine=cosine, own=own)
    shares = [
        sum(item_labels[row] == label for row in rows[:k]) / k
        for label, rows in zip(query_labels, order.tolist(), strict=True)
    ]
    return float(np.mean(shares))
