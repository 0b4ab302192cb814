"""Comparing systems with honest statistics.

    Results, Results … ─▶ compare ─▶ Comparison

>>> import numpy as np
>>> from engine.compare import compare
>>> from engine.metrics import Measure, find_profile
>>> from engine.results.results import Results, number_queries
>>> def system(name, values):
...     n = len(values)
...     keys = number_queries(["text"] * n, [f"query {i}" for i in range(n)])
...     column = np.array(values)[:, None]
...     one = (Measure.parse("P@5"),)
...     return Results(name, find_profile("ir"), one, keys, column, ((),) * n, np.full(n, -1))
>>> old, new = system("old", [0.2, 0.4, 0.6, 0.4]), system("new", [0.4, 0.6, 0.6, 0.8])
>>> (difference,) = compare([old, new]).modes[0].differences
>>> round(difference.value, 3), difference.counts, round(difference.permutation.p, 3)
(0.2, WinTieLoss(wins=3, ties=1, losses=0), 0.25)
"""

from engine.compare.align import AlignedSystems, align_systems, find_shared_measures
from engine.compare.compare_settings import DEFAULT_COMPARE_SETTINGS, CompareSettings
from engine.compare.comparison import Comparison, ModeComparison, compare
from engine.compare.differences import Difference, SystemLevel, compute_levels
from engine.compare.slices import QueryChange, Slice, SliceDifference, compare_slices, find_slices

__all__ = [
    "DEFAULT_COMPARE_SETTINGS",
    "AlignedSystems",
    "CompareSettings",
    "Comparison",
    "Difference",
    "ModeComparison",
    "QueryChange",
    "Slice",
    "SliceDifference",
    "SystemLevel",
    "align_systems",
    "compare",
    "compare_slices",
    "compute_levels",
    "find_shared_measures",
    "find_slices",
]
