"""Comparing systems with honest statistics.

    Results, Results … ─▶ compare ─▶ Comparison

>>> import numpy as np
>>> from engine.compare import compare
>>> from engine.metrics import Measure, profile
>>> from engine.results.results import Results, numbered
>>> def system(name, values):
...     n = len(values)
...     keys = numbered(["text"] * n, [f"query {i}" for i in range(n)])
...     column = np.array(values)[:, None]
...     one = (Measure.parse("P@5"),)
...     return Results(name, profile("ir"), one, keys, column, ((),) * n, np.full(n, -1))
>>> old, new = system("old", [0.2, 0.4, 0.6, 0.4]), system("new", [0.4, 0.6, 0.6, 0.8])
>>> (difference,) = compare([old, new]).modes[0].differences
>>> round(difference.value, 3), difference.counts, round(difference.permutation.p, 3)
(0.2, WinTieLoss(wins=3, ties=1, losses=0), 0.25)
"""

from engine.compare.aligned import Aligned, align, shared_measures
from engine.compare.changes import Flip, QueryChange, flips, query_changes
from engine.compare.comparison import Comparison, ModeComparison, compare
from engine.compare.differences import Difference, Level, corrected, differences, levels
from engine.compare.settings import DEFAULT_SETTINGS, Clustering, Settings
from engine.compare.slices import Slice, SliceDifference, slice_differences, slices_of

__all__ = [
    "DEFAULT_SETTINGS",
    "Aligned",
    "Clustering",
    "Comparison",
    "Difference",
    "Flip",
    "Level",
    "ModeComparison",
    "QueryChange",
    "Settings",
    "Slice",
    "SliceDifference",
    "align",
    "compare",
    "corrected",
    "differences",
    "flips",
    "levels",
    "query_changes",
    "shared_measures",
    "slice_differences",
    "slices_of",
]
