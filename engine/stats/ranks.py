"""Ranks from 1, equal values at their mean rank."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Floats


def rank_columns(columns: npt.ArrayLike) -> Floats:
    """The rank of every value in its column; of a vector, in the vector.

    >>> rank_columns([0.3, 0.1, 0.3, 0.9]).tolist()
    [2.5, 1.0, 2.5, 4.0]
    >>> rank_columns([[5, 0], [6, 0]]).tolist()
    [[1.0, 1.5], [2.0, 1.5]]
    """
    values = np.asarray(columns)
    table = values.reshape(len(values), -1)
    n = len(table)
    order = np.argsort(table, axis=0, kind="stable")
    ordered = np.take_along_axis(table, order, axis=0)
    places = np.broadcast_to(np.arange(n)[:, None], table.shape)
    new = np.ones(table.shape, np.bool_)
    new[1:] = ordered[1:] != ordered[:-1]
    first = np.maximum.accumulate(np.where(new, places, 0), axis=0)
    ends = np.ones(table.shape, np.bool_)
    ends[:-1] = new[1:]
    last = np.minimum.accumulate(np.where(ends, places, n)[::-1], axis=0)[::-1]
    ranks = np.empty(table.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=0)
    return ranks.reshape(values.shape)
