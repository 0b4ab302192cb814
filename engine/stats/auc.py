"""AUC: how often a positive example has the higher score than a negative one."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Floats
from engine.stats.ranks import rank_columns
from engine.stats.samples import check_samples


def compute_auc(scores: npt.ArrayLike, positive: npt.ArrayLike) -> Floats:
    """(c,) the area under the ROC curve of every column of scores.

    AUC = (Σ ranks of the P positive − P (P + 1) / 2) / (P · N), with N negative and equal scores at
    their mean rank: P(positive above negative) + ½ P(equal). 0.5 is chance. `positive` has one
    label per row, or one per score. NaN where all labels of a column are the same.

    >>> compute_auc([[0.1, 0.5], [0.4, 0.5], [0.35, 0.5], [0.8, 0.5]], [0, 0, 1, 1]).tolist()
    [0.75, 0.5]
    """
    table = check_samples(scores)
    labels = np.asarray(positive).astype(np.bool_)
    if labels.shape not in (table.shape, table.shape[:1]):
        raise ValueError(f"expected labels of {table.shape} scores, got shape {labels.shape}")
    has = labels if labels.ndim == 2 else np.broadcast_to(labels[:, None], table.shape)
    ranks = rank_columns(table) if len(table) else table
    found = has.sum(axis=0, dtype=np.float64)
    pairs = found * (len(table) - found)
    wins = np.where(has, ranks, 0.0).sum(axis=0) - found * (found + 1) / 2
    area: Floats = np.divide(wins, pairs, out=np.full(len(pairs), np.nan), where=pairs > 0)
    return area
