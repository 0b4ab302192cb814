"""How much two systems differ: effect size, and on how many queries either is better."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.stats.samples import check_sample, is_constant


@dataclass(frozen=True, slots=True)
class WinTieLoss:
    """Queries on which the first system is better, equal, worse."""

    wins: int
    ties: int
    losses: int


def win_tie_loss(
    differences: npt.ArrayLike, lower_is_better: bool = False, tolerance: float = 1e-12
) -> WinTieLoss:
    """Count differences above, within and below ± tolerance; below is a win if lower is better.

    >>> win_tie_loss([0.2, 0.0, -0.1, 0.5])
    WinTieLoss(wins=2, ties=1, losses=1)
    >>> win_tie_loss([-7.0, 0.0], lower_is_better=True)
    WinTieLoss(wins=1, ties=1, losses=0)
    """
    d = check_sample(differences)
    above = int(np.count_nonzero(d > tolerance))
    below = int(np.count_nonzero(d < -tolerance))
    wins, losses = (below, above) if lower_is_better else (above, below)
    return WinTieLoss(wins, len(d) - wins - losses, losses)


def cohens_dz(differences: npt.ArrayLike) -> float:
    """Cohen's d of paired differences: mean / std, with ddof = 1.

    0 if all are 0; ±inf if all are the same other number; NaN for a single one that is not 0.

    >>> cohens_dz([1.0, 2.0, 3.0])
    2.0
    >>> cohens_dz([0.5, 0.5])
    inf
    """
    d = check_sample(differences)
    if not d.any():
        return 0.0
    if len(d) < 2:
        return math.nan
    if is_constant(d):
        return math.copysign(math.inf, d[0])
    return float(d.mean() / d.std(ddof=1))
