"""Whether probabilities mean what they say: of those near 0.7, seven in ten should be right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.base.arrays import Floats, Ints

BINS = 10


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """The probabilities from `least` up to `most`: how many, their mean, and how many were right.

    Means of an empty bin are not defined.
    """

    least: float
    most: float
    count: int
    mean_probability: float
    share_meant: float


def bin_probabilities(pairs: Sequence[tuple[float, float]]) -> tuple[ReliabilityBin, ...]:
    """(probability, meant) in ten bins of equal width.

    >>> [(b.least, b.count) for b in bin_probabilities([(0.62, 1.0), (1.0, 1.0)]) if b.count]
    [(0.6, 1), (0.9, 1)]
    """
    chance, meant = _columns(pairs)
    places = _places(chance)
    bins = []
    for number in range(BINS):
        inside = places == number
        bins.append(
            ReliabilityBin(
                least=number / BINS,
                most=(number + 1) / BINS,
                count=int(inside.sum()),
                mean_probability=float(chance[inside].mean()) if inside.any() else float("nan"),
                share_meant=float(meant[inside].mean()) if inside.any() else float("nan"),
            )
        )
    return tuple(bins)


def measure_calibration_error(pairs: Sequence[tuple[float, float]], least: float = 0.0) -> float:
    """Expected calibration error in ten bins, over the probabilities of at least so much.

        ECE = Σ n(bin) / n · | mean probability − share meant |

    >>> round(measure_calibration_error([(0.8, 1.0), (0.8, 0.0), (0.1, 0.0)], least=0.5), 6)
    0.3
    """
    bins = bin_probabilities([pair for pair in pairs if pair[0] >= least])
    total = sum(one.count for one in bins)
    if not total:
        return float("nan")
    off = (one.count * abs(one.mean_probability - one.share_meant) for one in bins if one.count)
    return sum(off) / total


def _columns(pairs: Sequence[tuple[float, float]]) -> tuple[Floats, Floats]:
    table = np.array(pairs, np.float64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def _places(chance: Floats) -> Ints:
    return np.minimum((chance * BINS).astype(np.int64), BINS - 1)
