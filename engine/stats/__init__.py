"""Statistics for comparing retrieval systems on the same queries.

    per-query values ─▶ bootstrap_interval ─▶ Interval
    values of two systems ─▶ paired_differences ─▶ paired_t, wilcoxon, sign_flip ─▶ PairedTest
    the same ─▶ flip_signs ─▶ SignFlips: the test, and the interval that agrees with it
    values, slices, clusters ─▶ max_t ─▶ MaxT: all slices at once
    matrices of pairs ─▶ correlate_pairs ─▶ PairCorrelation
    p-values of several comparisons ─▶ holm, benjamini_hochberg

Values and differences have one number per query, without NaN. Queries that share items (clips of
one video, queries with the same keywords) are not independent: give their labels as `clusters`.
Standard deviations have ddof = 1. Results depend on the values and the seed alone.

>>> from engine.stats import bootstrap_interval, paired_differences, paired_t, win_tie_loss
>>> differences = paired_differences([0.4, 0.6, 0.6, 0.8], [0.2, 0.4, 0.6, 0.4])
>>> win_tie_loss(differences)
WinTieLoss(wins=3, ties=1, losses=0)
>>> round(paired_t(differences).p, 3)
0.092
>>> interval = bootstrap_interval(differences, method="percentile")
>>> round(interval.low, 3), round(interval.high, 3), interval.level
(0.05, 0.35, 0.95)
"""

from engine.stats.bootstrap import Interval, bootstrap_interval, bootstrap_intervals
from engine.stats.cluster_labels import QueryClusters, find_query_clusters
from engine.stats.flipped_means import SignFlips, flip_signs
from engine.stats.mantel import PairCorrelation, correlate_pairs
from engine.stats.max_t import MaxT, max_t
from engine.stats.medians import (
    MedianResamples,
    median_difference,
    median_difference_interval,
    median_test,
    resample_medians,
)
from engine.stats.multiple import benjamini_hochberg, find_holm_levels, holm
from engine.stats.paired import (
    PairedTest,
    WinTieLoss,
    cohens_dz,
    paired_differences,
    paired_t,
    win_tie_loss,
)
from engine.stats.permutation import choose_flips, sign_flip
from engine.stats.power import find_smallest_effect
from engine.stats.ranks import rank_columns
from engine.stats.resampling import Statistic
from engine.stats.signed_rank import rank_biserial, wilcoxon

__all__ = [
    "Interval",
    "MaxT",
    "MedianResamples",
    "PairCorrelation",
    "PairedTest",
    "QueryClusters",
    "SignFlips",
    "Statistic",
    "WinTieLoss",
    "benjamini_hochberg",
    "bootstrap_interval",
    "bootstrap_intervals",
    "choose_flips",
    "cohens_dz",
    "correlate_pairs",
    "find_holm_levels",
    "find_query_clusters",
    "find_smallest_effect",
    "flip_signs",
    "holm",
    "max_t",
    "median_difference",
    "median_difference_interval",
    "median_test",
    "paired_differences",
    "paired_t",
    "rank_biserial",
    "rank_columns",
    "resample_medians",
    "sign_flip",
    "wilcoxon",
    "win_tie_loss",
]
