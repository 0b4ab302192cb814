"""The queries that name a keyword or a group: how many these are, and how much they fall short."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.base.arrays import Ints
from engine.triage.finding import Exhibit
from engine.triage.study import Study, unpack_columns

_SHOWN = 10


@dataclass(frozen=True, slots=True)
class NamingQueries:
    """Of all modes.

    share      which part of the counted queries these are
    shortfall  the mean of the best possible m, min(R, k) / k, less m: all that they could gain;
               1 if there are none, as nobody knows
    shown      the worst of the first mode that has any
    """

    share: float
    shortfall: float
    shown: Exhibit


def find_naming_queries(study: Study, columns: Ints) -> NamingQueries:
    """The counted queries that name one of these keywords."""
    k = study.settings.k
    counted, naming, lost = 0, 0, 0.0
    shown = Exhibit()
    for asked in study.asked:
        rows = unpack_columns(asked.queries.bits, columns).any(axis=1) & asked.counted
        best = np.minimum(asked.judged.relevant[rows], k) / k
        counted += int(asked.counted.sum())
        naming += int(rows.sum())
        lost += float((best - asked.values[rows]).sum())
        if not shown.queries:
            shown = Exhibit(asked.worst(rows, _SHOWN))
    if not naming:
        return NamingQueries(0.0, 1.0, shown)
    return NamingQueries(naming / counted, lost / naming, shown)
