"""Two systems on the same queries: how much they differ, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from engine.compare.aligned import Aligned
from engine.compare.settings import Settings
from engine.metrics import Measure
from engine.stats import (
    Floats,
    Interval,
    Ints,
    PairedTest,
    Statistic,
    WinTieLoss,
    benjamini_hochberg,
    bootstrap_intervals,
    cohens_dz,
    holm,
    paired_differences,
    paired_t,
    rank_biserial,
    sign_flip,
    wilcoxon,
    win_tie_loss,
)

Bools: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Level:
    """Where one system stands on a measure: its mean (a rank's median), and how sure that is."""

    system: str
    measure: Measure
    value: float
    std: float
    n: int
    interval: Interval


@dataclass(frozen=True, slots=True)
class Difference:
    """`system` minus `baseline` on one measure, over the queries that count for all systems.

    value          the mean of the paired differences; of a rank measured by its median, the median
    holm, bh       p of the permutation test, corrected over every difference of the comparison
    """

    baseline: str
    system: str
    measure: Measure
    n: int
    value: float
    std: float
    interval: Interval
    t: PairedTest
    wilcoxon: PairedTest
    permutation: PairedTest
    effect: float
    rank_effect: float
    counts: WinTieLoss
    holm: float = float("nan")
    bh: float = float("nan")

    @property
    def gain(self) -> float:
        """The difference, positive where `system` is the better one."""
        return -self.value if self.measure.lower_is_better else self.value

    def significant(self, alpha: float) -> bool:
        """Whether it is beyond chance after Holm's correction."""
        return bool(self.holm < alpha)

    def verdict(self, alpha: float) -> str:
        """In a word: better, worse, or no difference found."""
        if not self.significant(alpha):
            return "no difference found"
        return "better" if self.gain > 0 else "worse"


def statistic_of(measure: Measure) -> Statistic:
    return "median" if measure.aggregate == "median" else "mean"


def levels(
    part: Aligned, measures: Sequence[Measure], settings: Settings, rows: Bools | None = None
) -> tuple[Level, ...]:
    """Every system on every measure, over the queries that count for all of them."""
    found = []
    for measure in measures:
        table, clusters = _counted(part, measure, settings, rows)
        intervals = _intervals(table, measure, settings, clusters)
        for number, (system, interval) in enumerate(zip(part.systems, intervals, strict=True)):
            values = table[:, number]
            found.append(
                Level(
                    system=system.name,
                    measure=measure,
                    value=_centre(values, measure),
                    std=_std(values),
                    n=len(values),
                    interval=interval,
                )
            )
    return tuple(found)


def differences(
    part: Aligned,
    pairs: Sequence[tuple[int, int]],
    measures: Sequence[Measure],
    settings: Settings,
    rows: Bools | None = None,
) -> tuple[Difference, ...]:
    """Every pair (baseline, system) on every measure; p-values are not corrected yet."""
    found = []
    for measure in measures:
        table, clusters = _counted(part, measure, settings, rows)
        gaps = np.stack(
            [paired_differences(table[:, new], table[:, old]) for old, new in pairs], axis=1
        )
        intervals = _intervals(gaps, measure, settings, clusters)
        for (old, new), gap, interval in zip(pairs, gaps.T, intervals, strict=True):
            found.append(
                Difference(
                    baseline=part.systems[old].name,
                    system=part.systems[new].name,
                    measure=measure,
                    n=len(gap),
                    value=_centre(gap, measure),
                    std=_std(gap),
                    interval=interval,
                    t=paired_t(gap),
                    wilcoxon=wilcoxon(gap),
                    permutation=sign_flip(
                        gap, resamples=settings.resamples, seed=settings.seed, clusters=clusters
                    ),
                    effect=cohens_dz(gap),
                    rank_effect=rank_biserial(gap),
                    counts=win_tie_loss(gap, lower_is_better=measure.lower_is_better),
                )
            )
    return tuple(found)


def corrected(found: Sequence[Difference]) -> tuple[Difference, ...]:
    """The differences with their p-values corrected for how many there are."""
    p = [difference.permutation.p for difference in found]
    pairs = zip(holm(p).tolist(), benjamini_hochberg(p).tolist(), strict=True)
    return tuple(replace(d, holm=h, bh=b) for d, (h, b) in zip(found, pairs, strict=True))


def _counted(
    part: Aligned, measure: Measure, settings: Settings, rows: Bools | None
) -> tuple[Floats, Ints | None]:
    """Values and clusters of the queries that count."""
    table = part.columns(measure)
    counted = ~np.isnan(table).any(axis=1)
    if rows is not None:
        counted &= rows
    clusters = part.clusters(settings.clusters)
    return table[counted], None if clusters is None else clusters[counted]


def _intervals(
    table: Floats, measure: Measure, settings: Settings, clusters: Ints | None
) -> tuple[Interval, ...]:
    return bootstrap_intervals(
        table,
        statistic=statistic_of(measure),
        level=settings.level,
        method=settings.method,
        resamples=settings.resamples,
        seed=settings.seed,
        clusters=clusters,
    )


def _centre(values: Floats, measure: Measure) -> float:
    if not len(values):
        return float("nan")
    return float(np.median(values) if statistic_of(measure) == "median" else values.mean())


def _std(values: Floats) -> float:
    return float(values.std(ddof=1)) if len(values) > 1 else float("nan")
