"""Two systems on the same queries: how much they differ, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.base.arrays import Bools, Floats, Ints
from engine.compare.align import AlignedSystems
from engine.compare.compare_settings import CompareSettings
from engine.metrics import Measure
from engine.stats import (
    Interval,
    PairedTest,
    Statistic,
    WinTieLoss,
    benjamini_hochberg,
    bootstrap_interval,
    bootstrap_intervals,
    choose_flips,
    cohens_dz,
    holm,
    median_difference,
    median_difference_interval,
    median_test,
    paired_differences,
    paired_t,
    rank_biserial,
    sign_flip,
    wilcoxon,
    win_tie_loss,
)

NO_TEST = PairedTest(math.nan, math.nan)
"""No query counts: there is nothing to test, and nothing to correct for."""


@dataclass(frozen=True, slots=True)
class SystemLevel:
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

    value          the mean of the paired differences; of a rank measured by its median, the
                   difference of the medians, and permutation is the test of that
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
        """Whether there is a difference that is beyond chance after Holm's correction."""
        return bool(self.holm < alpha) and self.value != 0

    def verdict(self, alpha: float) -> str:
        """In a word: better, worse, or no difference found."""
        if not self.significant(alpha):
            return "no difference found"
        return "better" if self.gain > 0 else "worse"


def choose_statistic(measure: Measure) -> Statistic:
    return "median" if measure.aggregate == "median" else "mean"


def compute_levels(
    part: AlignedSystems,
    measures: Sequence[Measure],
    settings: CompareSettings,
    rows: Bools | None = None,
) -> tuple[SystemLevel, ...]:
    """Every system on every measure, over the queries that count for all of them.

    Measures that count the same queries share their resamples.
    """
    tables = {measure: _counted(part, measure, rows) for measure in measures}
    alike: dict[tuple[Statistic, bytes], list[Measure]] = {}
    for measure, (counted, _) in tables.items():
        alike.setdefault((choose_statistic(measure), counted.tobytes()), []).append(measure)
    clusters, intervals = part.clusters(settings.clusters), dict[Measure, list[Interval]]()
    for (statistic, _), group in alike.items():
        how = settings.bootstrap(None if clusters is None else clusters[tables[group[0]][0]])
        columns = np.concatenate([tables[measure][1] for measure in group], axis=1)
        found = iter(bootstrap_intervals(columns, statistic=statistic, **how))
        intervals |= {measure: [next(found) for _ in part.systems] for measure in group}
    return tuple(
        SystemLevel(
            system=system.name,
            measure=measure,
            value=compute_centre(values, measure),
            std=_std(values),
            n=len(values),
            interval=interval,
        )
        for measure, (_, table) in tables.items()
        for system, values, interval in zip(part.systems, table.T, intervals[measure], strict=True)
    )


def compute_differences(
    part: AlignedSystems,
    pairs: Sequence[tuple[int, int]],
    measure: Measure,
    settings: CompareSettings,
    rows: Bools | None = None,
    *,
    tests: int = 1,
) -> tuple[Difference, ...]:
    """Every pair (baseline, system) on a measure; p-values are not corrected yet.

    `tests` is how many there will be: where p is small, it is computed finely enough to stay so.
    """
    counted, table = _counted(part, measure, rows)
    clusters = part.clusters(settings.clusters)
    clusters = None if clusters is None else clusters[counted]
    return tuple(
        _difference(part, pair, measure, settings, table, clusters, tests) for pair in pairs
    )


def _difference(
    part: AlignedSystems,
    pair: tuple[int, int],
    measure: Measure,
    settings: CompareSettings,
    table: Floats,
    clusters: Ints | None,
    tests: int,
) -> Difference:
    old, new = table[:, pair[0]], table[:, pair[1]]
    gaps = paired_differences(new, old)
    if choose_statistic(measure) == "median":
        value, interval, permutation = _by_medians(old, new, settings, clusters)
    else:
        value, interval, permutation = _by_means(old, new, settings, clusters, tests)
    return Difference(
        baseline=part.systems[pair[0]].name,
        system=part.systems[pair[1]].name,
        measure=measure,
        n=len(gaps),
        value=value,
        std=_std(gaps),
        interval=interval,
        t=paired_t(gaps) if len(gaps) else NO_TEST,
        wilcoxon=wilcoxon(gaps) if len(gaps) else NO_TEST,
        permutation=permutation if len(gaps) else NO_TEST,
        effect=cohens_dz(gaps),
        rank_effect=rank_biserial(gaps),
        counts=win_tie_loss(gaps, lower_is_better=measure.lower_is_better),
    )


def _by_means(
    old: Floats, new: Floats, settings: CompareSettings, clusters: Ints | None, tests: int
) -> tuple[float, Interval, PairedTest]:
    gaps = paired_differences(new, old)
    interval = bootstrap_interval(gaps, **settings.bootstrap(clusters))
    test = sign_flip(gaps, resamples=settings.resamples, seed=settings.seed, clusters=clusters)
    flips = choose_flips(tests, settings.alpha, settings.resamples)
    if test.p < settings.alpha and flips > settings.resamples:
        # With so few patterns no p could survive the correction.
        test = sign_flip(gaps, resamples=flips, seed=settings.seed, clusters=clusters)
    return float(gaps.mean()) if len(gaps) else math.nan, interval, test


def _by_medians(
    old: Floats, new: Floats, settings: CompareSettings, clusters: Ints | None
) -> tuple[float, Interval, PairedTest]:
    resamples, seed = settings.resamples, settings.seed
    interval = median_difference_interval(
        old, new, level=settings.level, resamples=resamples, seed=seed, clusters=clusters
    )
    test = median_test(old, new, resamples=resamples, seed=seed, clusters=clusters)
    return median_difference(old, new), interval, test


def correct_differences(found: Sequence[Difference]) -> tuple[Difference, ...]:
    """The differences with their p-values corrected for how many there are."""
    p = [difference.permutation.p for difference in found]
    pairs = zip(holm(p).tolist(), benjamini_hochberg(p).tolist(), strict=True)
    return tuple(replace(d, holm=h, bh=b) for d, (h, b) in zip(found, pairs, strict=True))


def _counted(part: AlignedSystems, measure: Measure, rows: Bools | None) -> tuple[Bools, Floats]:
    """(q,) which queries count, and (n, systems) their values."""
    counted = part.counted(measure)
    if rows is not None:
        counted &= rows
    return counted, part.columns(measure)[counted]


def compute_centre(values: Floats, measure: Measure) -> float:
    """The number to report of some queries: their mean, or a rank's median; NaN for none."""
    if not len(values):
        return float("nan")
    return float(np.median(values) if choose_statistic(measure) == "median" else values.mean())


def _std(values: Floats) -> float:
    return float(values.std(ddof=1)) if len(values) > 1 else float("nan")
