"""Label Score@K as plainly as it can be written: every pair compared, everything sorted."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


def unit(rows: npt.NDArray[np.floating]) -> Array:
    rows = np.asarray(rows, np.float64)
    return rows / np.sqrt((rows**2).sum(axis=1, keepdims=True))


def order_of(
    queries: npt.NDArray[np.floating],
    items: npt.NDArray[np.floating],
    *,
    cosine: bool,
    own: bool = False,
) -> npt.NDArray[np.int64]:
    """Every item for every query, the best first, equal ones by row; without the own row."""
    asked = unit(queries) if cosine else np.asarray(queries, np.float64)
    found = unit(items) if cosine else np.asarray(items, np.float64)
    scores = np.array([[float(np.dot(q, v)) for v in found] for q in asked])
    if cosine:
        scores = np.round(scores, 12)  # the same to twelve digits is a tie
    order = np.argsort(-scores, axis=1, kind="stable")
    if own:
        order = np.array(
            [[row for row in rows if row != query] for query, rows in enumerate(order)]
        )
    return order.astype(np.int64)


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
