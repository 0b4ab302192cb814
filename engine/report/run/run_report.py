"""The numbers of a report, computed once and shown as HTML, Markdown or LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.base.errors import InputError
from engine.compare import (
    DEFAULT_COMPARE_SETTINGS,
    AlignedSystems,
    CompareSettings,
    Comparison,
    Difference,
    ModeComparison,
    Slice,
    SystemLevel,
    compare,
    compute_levels,
    find_slices,
)
from engine.compare.differences import compute_centre
from engine.metrics import Measure, Profile
from engine.results.results import MetricRow, Results
from engine.results.saved_run import SavedRun
from engine.stats import Interval

MOST_SLICES = 200
"""Rows of a table of slices; the worst are shown, the rest is counted."""


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """A number of the run, and how sure it is."""

    measure: Measure
    row: MetricRow
    interval: Interval


@dataclass(frozen=True, slots=True)
class SliceSummary:
    """The run on the queries that have a keyword, or any of a group.

    few    fewer queries than a slice needs to be compared
    whole  it holds every query that counts
    differences  one per baseline; empty if the slice was not compared
    """

    slice: Slice
    level: SystemLevel
    few: bool
    whole: bool
    differences: tuple[Difference, ...] = ()


@dataclass(frozen=True, eq=False)
class ModeReport:
    """What was found within one mode.

    part      the run alone, over all its queries of the mode
    compared  None without a baseline, or where no baseline has the mode
    more_slices  how many are not in `slices`
    """

    mode: str
    part: AlignedSystems
    summary: tuple[SummaryRow, ...]
    slices: tuple[SliceSummary, ...]
    more_slices: int
    compared: ModeComparison | None

    @property
    def results(self) -> Results:
        return self.part.systems[0]


@dataclass(frozen=True, eq=False)
class RunReport:
    """A run, and the baselines it is compared with: differences are the run − a baseline."""

    run: SavedRun
    baselines: tuple[SavedRun, ...]
    main: Measure
    modes: tuple[ModeReport, ...]
    comparison: Comparison | None
    settings: CompareSettings

    @property
    def language(self) -> Profile:
        return self.run.results.language

    @property
    def name(self) -> str:
        """The run's; in a comparison it differs from every baseline's."""
        return self.comparison.names[-1] if self.comparison else self.run.results.name

    @property
    def baseline_names(self) -> tuple[str, ...]:
        return self.comparison.names[:-1] if self.comparison else ()


def find(
    run: SavedRun,
    baselines: Sequence[SavedRun] = (),
    main: Measure | None = None,
    settings: CompareSettings = DEFAULT_COMPARE_SETTINGS,
) -> RunReport:
    """All numbers of a report.

    `main` is the measure of slices and single queries; by default the first measure's family at
    its largest cut-off.
    """
    usable = [m for m in run.results.measures if m.aggregate != "pooled"]
    if not usable:
        raise InputError(f"{run.results.name} has no metric with a value per query")
    if main is not None and main.aggregate == "pooled":
        raise InputError(f"{main} has no value per query", hint="choose MedR or another metric")
    comparison = None
    if baselines:  # each with the run, which comes last
        systems = [*(baseline.results for baseline in baselines), run.results]
        comparison = compare(systems, main=main, pairs="last", settings=settings)
    main = main or (comparison.main if comparison else run.results.language.main(usable))
    run.results.column(main)
    compared = {} if comparison is None else {part.mode: part for part in comparison.modes}
    return RunReport(
        run=run,
        baselines=tuple(baselines),
        main=main,
        modes=tuple(
            _mode(run, mode, main, settings, compared.get(mode)) for mode in run.results.modes
        ),
        comparison=comparison,
        settings=settings,
    )


def _mode(
    run: SavedRun,
    mode: str,
    main: Measure,
    settings: CompareSettings,
    compared: ModeComparison | None,
) -> ModeReport:
    part = AlignedSystems(mode, (run.results.of_mode(mode),), (0,))
    slices, more = _slices(part, main, settings, compared)
    return ModeReport(mode, part, tuple(_summary(run, part, settings)), slices, more, compared)


def _summary(run: SavedRun, part: AlignedSystems, settings: CompareSettings) -> list[SummaryRow]:
    """As the document has them; computed from the values where it has none."""
    reported = {row.id: row for row in run.metrics if row.mode == part.mode}
    rows = []
    for level in compute_levels(part, run.results.measures, settings):
        measure = level.measure
        # What is pooled over all queries cannot be had from a value per query.
        pooled = measure.aggregate == "pooled"
        row = reported.get(str(measure)) or MetricRow(
            mode=part.mode,
            id=str(measure),
            label=run.results.language.label(measure),
            formula=run.results.formula(measure),
            mean=np.nan if pooled else level.value,
            std=level.std,
            n=level.n,
            is_mean=measure.aggregate == "mean",
        )
        unknown = Interval(np.nan, np.nan, settings.level)
        rows.append(SummaryRow(measure, row, unknown if pooled else level.interval))
    return rows


def _slices(
    part: AlignedSystems, main: Measure, settings: CompareSettings, compared: ModeComparison | None
) -> tuple[tuple[SliceSummary, ...], int]:
    """The slices with a query that counts, worst first, and how many more there are."""
    counted, column = part.counted(main), part.columns(main)[:, 0]
    sign = -1 if main.lower_is_better else 1
    differences: dict[Slice, list[Difference]] = {}
    for row in compared.slices if compared else ():
        differences.setdefault(row.slice, []).append(row.difference)
    members = {piece: mask & counted for piece, mask in find_slices(part).items()}
    members = {piece: mask for piece, mask in members.items() if mask.any()}

    def badness(piece: Slice) -> tuple[float, float, str]:
        own = differences.get(piece)
        gain = min(d.gain for d in own) if own else np.inf
        return gain, sign * compute_centre(column[members[piece]], main), piece.name

    ordered = sorted(members, key=badness)
    rows = []
    for piece in ordered[:MOST_SLICES]:
        (level,) = compute_levels(part, [main], settings, members[piece])
        rows.append(
            SliceSummary(
                slice=piece,
                level=level,
                few=level.n < settings.least_queries,
                whole=level.n == np.count_nonzero(counted),
                differences=tuple(differences.get(piece, ())),
            )
        )
    return tuple(rows), len(ordered) - len(rows)
