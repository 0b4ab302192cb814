"""The mapper at every threshold, on the queries whose keywords a person gave.

    missed(t) = mean over queries of the share of given keywords whose score is below t
    exact(t)  = the share of queries of which exactly the given keywords have a score of t or more
    m(t)      = mean of m under the keywords with a score of t or more; 0 where no clip has them all

Conformal risk control: of n queries that are exchangeable with those to come, the largest t with

    n / (n + 1) · missed(t) + 1 / (n + 1) ≤ α

keeps the expected share of missed keywords at or below α, since missed(t) never falls as t rises.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engine.base.arrays import Bools, Floats, Ints
from engine.triage.study import Study, unpack_columns
from engine.triage.workings.text_readings import (
    TextReadings,
    map_queries,
    measure_under,
    pack_columns,
)

MOST_MISSED = 0.1
"""α: the share of keywords that a threshold may miss."""

_THRESHOLDS = np.arange(1, 100) / 100
_SHOWN_EVERY = 5


@dataclass(frozen=True, slots=True, eq=False)
class ThresholdCurve:
    """What thresholds do to `queries` labelled queries, ascending.

    missed, exact  (t,) of each of the thresholds
    shown, values  (s,) some of the thresholds, and m at each of them
    own            the mapper's threshold, with `own_missed`, `own_exact` and `own_value` at it
    """

    queries: int
    thresholds: Floats
    missed: Floats
    exact: Floats
    shown: Floats
    values: Floats
    own: float
    own_missed: float
    own_exact: float
    own_value: float


def measure_thresholds(study: Study) -> ThresholdCurve | None:
    """None where no query has keywords that a person gave."""
    readings = study.once(map_queries)
    if readings is None:
        return None
    given = unpack_columns(readings.used, study.selection.columns)
    some = np.flatnonzero(readings.labelled & given.any(axis=1))
    if not len(some):
        return None
    wanted, scores = given[some], readings.scores[some]
    every = [_compare(scores >= t, wanted) for t in _THRESHOLDS.tolist()]
    counted = np.isfinite(readings.asked.values[readings.rows[some]])
    shown = _THRESHOLDS[_SHOWN_EVERY - 1 :: _SHOWN_EVERY]
    study.beat()
    values = [_average(study, readings, some[counted], t) for t in shown.tolist()]
    own_missed, own_exact = _compare(scores >= readings.threshold, wanted)
    return ThresholdCurve(
        queries=len(some),
        thresholds=_THRESHOLDS,
        missed=np.array([missed for missed, _ in every]),
        exact=np.array([exact for _, exact in every]),
        shown=shown,
        values=np.array(values),
        own=readings.threshold,
        own_missed=own_missed,
        own_exact=own_exact,
        own_value=_average(study, readings, some[counted], readings.threshold),
    )


def certify_threshold(
    thresholds: Floats, missed: Floats, queries: int, most: float
) -> float | None:
    """The largest threshold that is sure to miss no more than that; None if none is.

    >>> certify_threshold(np.array([0.2, 0.4, 0.6]), np.array([0.0, 0.05, 0.2]), 24, 0.1)
    0.4
    >>> certify_threshold(np.array([0.2]), np.array([0.0]), 8, 0.1) is None
    True
    """
    bounds = queries / (queries + 1) * missed + 1 / (queries + 1)
    sure = np.flatnonzero(bounds <= most + 1e-12)
    return float(thresholds[sure[-1]]) if len(sure) else None


def count_needed_labels(least_missed: float, most: float) -> int:
    """Labelled queries from which on a threshold that misses so little is certified; 0: no number
    of them is enough. From n (α − missed) ≥ 1 − α.

    >>> count_needed_labels(0.0, 0.1), count_needed_labels(0.05, 0.1), count_needed_labels(0.2, 0.1)
    (9, 18, 0)
    """
    room = most - least_missed
    return math.ceil(round((1 - most) / room, 6)) if room > 1e-12 else 0


def _compare(read: Bools, wanted: Bools) -> tuple[float, float]:
    """The mean share of wanted keywords that were not read, and the share of equal sets."""
    missed = (wanted & ~read).sum(axis=1) / wanted.sum(axis=1)
    return float(missed.mean()), float((wanted == read).all(axis=1).mean())


def _average(study: Study, readings: TextReadings, some: Ints, t: float) -> float:
    if not len(some):
        return math.nan
    bits = pack_columns(readings.scores[some] >= t, study.selection.columns, study)
    return float(np.nan_to_num(measure_under(readings, study, readings.rows[some], bits)).mean())
