"""Two systems on the same queries: how much they differ, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from engine.base.arrays import Bools, Floats, Ints
from engine.compare.align import AlignedSystems
from engine.compare.compare_settings import CompareSettings
from engine.metrics import Measure
from engine.stats import (
    Interval,
    MedianResamples,
    PairedTest,
    SignFlips,
    Statistic,
    WinTieLoss,
    benjamini_hochberg,
    bootstrap_intervals,
    choose_flips,
    cohens_dz,
    find_holm_levels,
    flip_signs,
    holm,
    median_difference,
    paired_differences,
    paired_t,
    rank_biserial,
    resample_medians,
    wilcoxon,
    win_tie_loss,
)

NO_TEST = PairedTest(math.nan, math.nan)
"""No query counts: there is nothing to test, and nothing to correct for."""

Verdict: TypeAlias = Literal["better", "worse", "no difference found"]
"""What is said of a difference, wherever it is shown; the last is not the same as "equal"."""


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

    value     the mean of the paired differences; of a rank measured by its median, the difference
              of the medians, and permutation is the test of that
    interval  the values that the permutation test does not reject at the level that Holm's
              procedure held its p against: it leaves 0 out if and only if the verdict is a
              difference
    holm, bh  p of the permutation test, corrected over the family
    family    how many tests these are
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
    family: int = 1

    @property
    def gain(self) -> float:
        """The difference, positive where `system` is the better one."""
        return -self.value if self.measure.lower_is_better else self.value

    def significant(self, alpha: float) -> bool:
        """Whether there is a difference that is beyond chance after Holm's correction."""
        return bool(self.holm < alpha) and self.value != 0

    def verdict(self, alpha: float) -> Verdict:
        """In a word, and in the same words everywhere."""
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


@dataclass(frozen=True, slots=True, eq=False)
class RawDifference:
    """A difference before its p is corrected, and what its interval will be made of.

    flips  None: no query counts
    """

    difference: Difference
    flips: SignFlips | MedianResamples | None


def compute_differences(
    part: AlignedSystems,
    pairs: Sequence[tuple[int, int]],
    measure: Measure,
    settings: CompareSettings,
    rows: Bools | None = None,
    *,
    tests: int = 1,
) -> tuple[RawDifference, ...]:
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
) -> RawDifference:
    old, new = table[:, pair[0]], table[:, pair[1]]
    gaps = paired_differences(new, old)
    is_median = choose_statistic(measure) == "median"
    flips: SignFlips | MedianResamples | None = None
    if len(gaps) and is_median:
        resamples, seed = settings.resamples, settings.seed
        flips = resample_medians(old, new, resamples=resamples, seed=seed, clusters=clusters)
    elif len(gaps):
        flips = _flip(gaps, settings, clusters, tests)
    value = median_difference(old, new) if is_median else compute_centre(gaps, measure)
    found = Difference(
        baseline=part.systems[pair[0]].name,
        system=part.systems[pair[1]].name,
        measure=measure,
        n=len(gaps),
        value=value,
        std=_std(gaps),
        interval=Interval(math.nan, math.nan, settings.level),
        t=paired_t(gaps) if len(gaps) else NO_TEST,
        wilcoxon=wilcoxon(gaps) if len(gaps) else NO_TEST,
        permutation=NO_TEST if flips is None else flips.test,
        effect=cohens_dz(gaps),
        rank_effect=rank_biserial(gaps),
        counts=win_tie_loss(gaps, lower_is_better=measure.lower_is_better),
    )
    return RawDifference(found, flips)


def _flip(gaps: Floats, settings: CompareSettings, clusters: Ints | None, tests: int) -> SignFlips:
    alpha, seed = settings.alpha, settings.seed
    found = flip_signs(
        gaps, alpha=alpha, resamples=settings.resamples, seed=seed, clusters=clusters
    )
    flips = choose_flips(tests, alpha, settings.resamples)
    if found.test.p < alpha and flips > settings.resamples:
        # With so few patterns no p could survive the correction.
        found = flip_signs(gaps, alpha=alpha, resamples=flips, seed=seed, clusters=clusters)
    return found


def correct_differences(
    found: Sequence[RawDifference], settings: CompareSettings
) -> tuple[Difference, ...]:
    """One family: each difference with its p corrected for how many there are, and with the
    interval at the level that this p was held against."""
    p = [one.difference.permutation.p for one in found]
    levels = find_holm_levels(p, settings.alpha).tolist()
    corrected = zip(holm(p).tolist(), benjamini_hochberg(p).tolist(), levels, strict=True)
    family = sum(not math.isnan(own) for own in p)
    sure = []
    for one, (own_holm, own_bh, level) in zip(found, corrected, strict=True):
        difference = replace(one.difference, holm=own_holm, bh=own_bh, family=family)
        if one.flips is not None and not math.isnan(level):
            rejected = difference.significant(settings.alpha)
            difference = replace(difference, interval=one.flips.invert(level, rejected=rejected))
        sure.append(difference)
    return tuple(sure)


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
