"""Bootstrap intervals of 5,000 queries × 5 measures, 10,000 resamples, beside scipy.stats.

Both compute BCa intervals of all measures in one call, from resamples that the measures share.
scipy gets the batch that suits it best of several. With other draws the ends must agree within
Monte-Carlo error.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import numpy.typing as npt

from benchmarks.claim import Claim
from benchmarks.timing import best_of
from engine.stats import bootstrap_intervals

QUERIES, MEASURES, RESAMPLES = 5_000, 5, 10_000
BATCHES = (20, 100, 500)
MONTE_CARLO = 0.15
"""Ends of two intervals may differ by so many standard errors; 0.04 is to be expected."""


def per_query_values(seed: int = 7) -> npt.NDArray[np.float64]:
    """Values as measures have them: fifths, and skewed shares."""
    rng = np.random.default_rng(seed)
    fifths = rng.integers(0, 6, (QUERIES, 2)) / 5
    return np.hstack([fifths, rng.beta(0.5, 2.0, (QUERIES, MEASURES - 2))])


def ours(values: npt.NDArray[np.float64], seed: int) -> npt.NDArray[np.float64]:
    intervals = bootstrap_intervals(values, resamples=RESAMPLES, seed=seed)
    return np.array([[one.low, one.high] for one in intervals])


def theirs(values: npt.NDArray[np.float64], batch: int, seed: int) -> npt.NDArray[np.float64]:
    from scipy import stats  # type: ignore[import-untyped,unused-ignore]

    result = stats.bootstrap(
        (values,), np.mean, axis=0, n_resamples=RESAMPLES, batch=batch, method="BCa", rng=seed
    )
    return np.column_stack(result.confidence_interval)


def require_close(values: npt.NDArray[np.float64], batch: int) -> float:
    """The largest difference of two ends, in standard errors."""
    errors = values.std(axis=0, ddof=1) / np.sqrt(QUERIES)
    apart = np.abs(ours(values, seed=1) - theirs(values, batch, seed=2)) / errors[:, None]
    if not apart.max() <= MONTE_CARLO:
        raise AssertionError(f"scipy differs by {apart.max()} standard errors")
    return float(apart.max())


def run() -> Iterator[Claim]:
    values = per_query_values()
    peers = {batch: best_of(2, partial(theirs, values, batch, seed=0)) for batch in BATCHES}
    batch = min(peers, key=lambda tried: peers[tried])
    seconds = best_of(5, lambda: ours(values, seed=0))
    apart = require_close(values, batch)
    detail = (
        f"ours {seconds:.2f} s, scipy {peers[batch]:.2f} s (batch {batch}, its best of "
        f"{', '.join(map(str, BATCHES))}); ends at most {apart:.2f} standard errors apart"
    )
    ratio = peers[batch] / seconds
    yield Claim("bootstrap: faster than scipy.stats", ratio, 3.0, "at least", detail)
