"""Samples: the paired values that each hypothesis of a gate is about; none may be missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.base.arrays import Bools, Floats, Ints
from engine.base.errors import InputError, Place
from engine.compare import AlignedSystems, QueryChange, Slice, find_slices
from engine.compare.compare_settings import Clustering
from engine.compare.differences import choose_statistic, compute_centre
from engine.compare.slices import choose_wide_slices, find_query_changes
from engine.metrics import Measure
from engine.results.results import QueryKey, Results
from engine.stats import Statistic, median_difference, paired_differences


@dataclass(frozen=True, eq=False)
class Sample:
    """The baseline and the run on some queries of one mode, all of which count for both.

    part   the baseline, then the run
    slice  which queries; None for all
    rows   (q,) whether a query of the part is in it
    """

    part: AlignedSystems
    measure: Measure
    slice: Slice | None
    rows: Bools

    @property
    def n(self) -> int:
        return int(np.count_nonzero(self.rows))

    @property
    def statistic(self) -> Statistic:
        return choose_statistic(self.measure)

    @property
    def before(self) -> Floats:
        return self.part.systems[0].column(self.measure)[self.rows]

    @property
    def after(self) -> Floats:
        return self.part.systems[1].column(self.measure)[self.rows]

    @property
    def gains(self) -> Floats:
        """(n,) the differences, positive where the run is the better one."""
        change = paired_differences(self.after, self.before)
        return -change if self.measure.lower_is_better else change

    @property
    def oriented(self) -> tuple[Floats, Floats]:
        """Values before and after, turned so that the higher ones are the better ones."""
        sign = -1.0 if self.measure.lower_is_better else 1.0
        return sign * self.before, sign * self.after

    @property
    def gain(self) -> float:
        """The mean of the gains; of medians, their difference."""
        if self.statistic == "median":
            return median_difference(*self.oriented)
        return compute_centre(self.gains, self.measure)

    def clusters(self, how: Clustering) -> Ints | None:
        labels = self.part.clusters(how)
        return None if labels is None else labels[self.rows]

    def units(self, how: Clustering) -> int:
        """What is flipped: queries, or clusters of them."""
        clusters = self.clusters(how)
        return self.n if clusters is None else len(np.unique(clusters))

    def worst(self, most: int) -> tuple[QueryChange, ...]:
        """The queries that lost most, worst first."""
        places = np.flatnonzero(self.rows)
        own = replace(self.part, systems=tuple(s.only(places) for s in self.part.systems))
        found = find_query_changes(own, (0, 1), self.measure, most)
        return tuple(change for change in found if change.change < 0)


def collect_samples(
    part: AlignedSystems, measures: Sequence[Measure], least: int
) -> Iterator[tuple[Sample, tuple[Sample, ...], int]]:
    """Per measure: all queries, the slices with `least` queries or more, how many have fewer."""
    slices = find_slices(part)
    for measure in measures:
        counted = part.counted(measure)
        wide, few = choose_wide_slices(slices, counted, least)
        samples = (Sample(part, measure, piece, rows) for piece, rows in wide.items())
        yield Sample(part, measure, None, counted), tuple(samples), few


_SHOWN = 80
"""Characters of a query that the message quotes."""


def require_all(baseline: Results, run: Results, measures: Sequence[Measure]) -> None:
    """InputError if a query that counts for the baseline is not in the run, or counts not there.

    A query without a value in the baseline is no loss, nor is one that the run alone has.
    """
    for mode in baseline.modes:
        for lost in _lost(baseline.of_mode(mode), run, mode, measures):
            raise InputError(
                lost,
                Place(run.name),
                hint="evaluate the same query set, or compare what both have with --allow-missing",
            )


def _lost(before: Results, run: Results, mode: str, measures: Sequence[Measure]) -> Iterator[str]:
    """What the run lacks of the queries of one mode, in words."""
    columns = {measure: ~np.isnan(before.column(measure)) for measure in measures}
    counts = np.any([*columns.values()], axis=0)
    absent = [key for key in before.keys if key not in run.places]
    first = next((key for key in absent if counts[before.places[key]]), None)
    if first is not None:
        whose = f"{mode} queries of {before.name}"
        yield f"lacks {_share(len(absent), len(before), whose)} ({_quoted(first)})"
    for measure, counted in columns.items():
        after = run.column(measure)
        own = [key for key, has in zip(before.keys, counted, strict=True) if has]
        lost = [key for key in own if key in run.places and np.isnan(after[run.places[key]])]
        if lost:
            whose = f"{mode} queries that count in {before.name}"
            yield f"has no {measure} for {_share(len(lost), len(own), whose)} ({_quoted(lost[0])})"


def _share(part: int, whole: int, what: str) -> str:
    """
    >>> _share(26, 52, "text queries of a.json"), _share(52, 52, "text queries of a.json")
    ('26 of the 52 text queries of a.json', 'all 52 text queries of a.json')
    >>> _share(1, 1, "text queries of a.json")
    'the only one of the text queries of a.json'
    """
    if part < whole:
        return f"{part:,} of the {whole:,} {what}"
    return f"all {whole:,} {what}" if whole > 1 else f"the only one of the {what}"


def _quoted(key: QueryKey) -> str:
    text = key.query if len(key.query) <= _SHOWN else f"{key.query[: _SHOWN - 1]}…"
    return f'first: "{text}"'
