"""How sure a model is of minimal pairs: by how much the right one is more similar."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.base.arrays import ROUNDING, AnyFloats, Floats, Ints
from engine.base.progress import split_range
from engine.base.similarity import Similarity
from engine.dataset.collection import Collection
from engine.keywords.minimal_pairs import MinimalPairs

_PAIRS_AT_ONCE = 4096


@dataclass(frozen=True, slots=True, eq=False)
class PairMargins:
    """(p,) s(anchor, right) − s(anchor, wrong) of every pair.

    >>> found = PairMargins(np.array([0.2, -0.1, 0.0, 0.3]))
    >>> found.wins.tolist(), found.share
    ([1.0, 0.0, 0.5, 1.0], 0.625)
    """

    margins: Floats

    @property
    def wins(self) -> Floats:
        """(p,) 1 where the right one wins, 0 where the wrong one does, and half for a tie."""
        ties = np.abs(self.margins) <= ROUNDING
        found: Floats = np.where(ties, 0.5, (self.margins > 0).astype(np.float64))
        return found

    @property
    def share(self) -> float:
        """The share in which the right one wins, of which chance is one half; NaN of no pair."""
        return float(self.wins.mean()) if len(self.margins) else float("nan")


def score_clip_pairs(pairs: MinimalPairs, collection: Collection) -> PairMargins:
    """The margins of clip pairs, which were found in the ground truth of this collection."""
    anchors, vectors = collection.asking, collection.vectors
    margins = np.empty(len(pairs), np.float64)
    for part in split_range(len(pairs), _PAIRS_AT_ONCE):
        asked = anchors[pairs.anchors[part]]
        margins[part] = _compare(collection, asked, pairs.right[part], pairs.wrong[part], vectors)
    return PairMargins(margins)


def _compare(
    collection: Collection, asked: AnyFloats, right: Ints, wrong: Ints, among: AnyFloats
) -> Floats:
    metric = collection.model.metric
    near = compute_similarities(asked, among[right], metric)
    found: Floats = near - compute_similarities(asked, among[wrong], metric)
    return found


def compute_similarities(left: AnyFloats, right: AnyFloats, metric: Similarity) -> Floats:
    """s(left row, right row), row by row, as a search scores them; of l2 the negated distance.

    >>> rows = np.float32([[3, 4]]), np.float32([[0, 2]])
    >>> [compute_similarities(*rows, metric).round(3).tolist() for metric in ("cosine", "ip")]
    [[0.8], [8.0]]
    """
    a, b = left.astype(np.float64), right.astype(np.float64)
    if metric == "l2":
        gap = a - b
        distance: Floats = -np.sqrt(np.vecdot(gap, gap))
        return distance
    product: Floats = np.vecdot(a, b)
    if metric == "cosine":
        product = product / np.sqrt(np.vecdot(a, a) * np.vecdot(b, b))
    return product
