"""Gate: every check of a run, and the verdict that follows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from engine.base.errors import InputError
from engine.compare import AlignedSystems, align_systems, compute_levels, find_shared_measures
from engine.compare.align import collect_condition_notes, collect_system_notes
from engine.files.input_file import InputFile
from engine.gate.checks import (
    Check,
    FindingCheck,
    GateVerdict,
    Limit,
    LimitCheck,
    Regression,
    require_per_query,
)
from engine.gate.findings import check_findings
from engine.gate.gate_settings import DEFAULT_GATE_SETTINGS, GateSettings
from engine.gate.power import find_least_slice_units
from engine.gate.regressions import find_regressions
from engine.gate.samples import Sample, collect_samples, require_all
from engine.metrics import Measure, Profile, ShortListPolicy
from engine.results.results import Results
from engine.stats import choose_flips
from engine.triage.saved_triage import SavedTriage


@dataclass(frozen=True, slots=True)
class SmallSlices:
    """How many slices have too few queries to be looked at."""

    mode: str
    measure: Measure
    slices: int


@dataclass(frozen=True, eq=False)
class Gate:
    """All that a gate looked at.

    baseline     None if the run was compared with none
    measures     those that were compared with the baseline
    few          slices with fewer than `least_queries` queries
    cannot_fail  slices with so many, but too few to fail among so many hypotheses
    flips        of the smallest p-values; 0 without a baseline
    triage       whose new findings were looked at
    files        what was read, by role, where that is known
    """

    run: str
    baseline: str | None
    language: Profile
    measures: tuple[Measure, ...]
    limits: tuple[LimitCheck, ...]
    regressions: tuple[Regression, ...]
    few: tuple[SmallSlices, ...]
    cannot_fail: tuple[SmallSlices, ...]
    notes: tuple[str, ...]
    settings: GateSettings
    flips: int
    short: ShortListPolicy = "fixed"
    triage: SavedTriage | None = None
    findings: tuple[FindingCheck, ...] = ()
    files: Mapping[str, InputFile] = field(default_factory=dict)

    def formula(self, measure: Measure) -> str:
        """The measure's formula, under the run's policy for fewer than k results."""
        return measure.formula_for(self.short)

    @property
    def checks(self) -> tuple[Check, ...]:
        return (*self.limits, *self.regressions, *self.findings)

    @property
    def failed(self) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if check.verdict == "fail")

    @property
    def verdict(self) -> GateVerdict:
        """Fail if a check failed; else underpowered if one was; else pass."""
        found = {check.verdict for check in self.checks}
        if "fail" in found:
            return "fail"
        return "underpowered" if "underpowered" in found else "pass"


def decide(
    run: Results,
    baseline: Results | None = None,
    limits: Sequence[Limit] = (),
    measures: Sequence[Measure] = (),
    settings: GateSettings = DEFAULT_GATE_SETTINGS,
    triage: SavedTriage | None = None,
) -> Gate:
    """Hold a run against limits, a baseline, what a triage found, or several of these.

    `measures` are those to compare with the baseline. The default is a single one, the first
    shared measure's family at its largest cut-off: every further one costs power.
    """
    if baseline is None and triage is None and not limits:
        raise InputError(
            "there is nothing to hold the run against",
            hint="give --baseline RUN, --fail-under Recall@5=0.6 or --triage FILE, or several",
        )
    if baseline is None and measures:
        raise InputError(
            "--metrics chooses what is compared with a baseline, and there is none",
            hint="give --baseline RUN; a limit names its metric itself: --fail-under Recall@5=0.6",
        )
    held = tuple(check for limit in limits for check in _held(limit, run, settings))
    new, said = ((), ()) if triage is None else check_findings(triage, run, settings.severity)
    parts: tuple[AlignedSystems, ...] = ()
    gated: tuple[Measure, ...] = ()
    if baseline is not None:
        _require_same_relevance(run, baseline)
        gated = _gated(baseline, run, measures)
        parts = align_systems([baseline, run])
        if not settings.allow_missing:
            require_all(baseline, run, gated)
    looked_at = [
        found
        for part in parts
        for found in collect_samples(part, gated, settings.compare.least_queries)
    ]
    if parts and not any(whole.n for whole, *_ in looked_at):
        raise InputError(
            f"no query counts for {' or '.join(map(str, gated))} in both runs",
            hint="choose another metric with --metrics",
        )
    every = [sample for whole, wide, _ in looked_at for sample in (whole, *wide)]
    samples, mute = _able_to_fail(every, settings)
    weak = Counter((sample.part.mode, sample.measure) for sample in mute)
    return Gate(
        run=run.name,
        baseline=None if baseline is None else baseline.name,
        language=run.language,
        measures=gated,
        limits=held,
        regressions=find_regressions(samples, settings) if samples else (),
        few=tuple(SmallSlices(w.part.mode, w.measure, few) for w, _, few in looked_at if few),
        cannot_fail=tuple(SmallSlices(*which, count) for which, count in weak.items()),
        notes=(
            *_mute_note(mute, settings),
            *(() if baseline is None else _notes(baseline, run, parts, gated)),
            *said,
        ),
        settings=settings,
        flips=choose_flips(len(samples), settings.alpha, settings.compare.resamples)
        if samples
        else 0,
        short=run.short,
        triage=triage,
        findings=new,
        files={
            role: read.file
            for role, read in (("run", run), ("baseline", baseline), ("triage", triage))
            if read is not None and read.file is not None
        },
    )


def _gated(baseline: Results, run: Results, asked: Sequence[Measure]) -> tuple[Measure, ...]:
    if not asked:
        shared = find_shared_measures([run, baseline])
        per_query = [measure for measure in shared if measure.aggregate != "pooled"]
        if not per_query:
            require_per_query(shared[0])
        return (run.language.main(per_query),)
    for measure in asked:
        require_per_query(measure)
        for system in (run, baseline):
            system.column(measure)
    return tuple(dict.fromkeys(asked))


def _able_to_fail(
    samples: Sequence[Sample], settings: GateSettings
) -> tuple[list[Sample], list[Sample]]:
    """All means and the slices that can fail among them, and the slices that cannot."""
    how = settings.compare.clusters
    units = {sample: sample.units(how) for sample in samples if sample.slice is not None}
    least = find_least_slice_units([*units.values()], len(samples) - len(units), settings.alpha)
    able = [sample for sample in samples if units.get(sample, least) >= least]
    return able, [sample for sample, own in units.items() if own < least]


def _mute_note(mute: Sequence[Sample], settings: GateSettings) -> Iterator[str]:
    slices = len({(sample.part.mode, sample.slice) for sample in mute})
    if slices:
        has = "1 slice has" if slices == 1 else f"{slices:,} slices have"
        what = "queries" if settings.compare.clusters == "none" else "clusters of queries"
        yield f"{has} too few {what} to fail among so many checks: not looked at"


def _require_same_relevance(run: Results, baseline: Results) -> None:
    """More clips are relevant if any keyword is enough: such a run beats any that needs all."""
    own, other = run.relevance, baseline.relevance
    if own is not None and other is not None and own != other:
        raise InputError(
            f"the run judges with --relevance {own}, the baseline with --relevance {other}",
            hint="evaluate both alike",
        )


def _held(limit: Limit, run: Results, settings: GateSettings) -> Iterator[LimitCheck]:
    """The limit in each mode that it holds for."""
    if limit.mode is not None and limit.mode not in run.modes:
        raise InputError(
            f"{run.name} has no {limit.mode} queries", hint=f"it has {', '.join(run.modes)}"
        )
    run.column(limit.measure)
    for part in align_systems([run]):
        if limit.mode in (None, part.mode):
            (level,) = compute_levels(part, [limit.measure], settings.compare)
            if not level.n:
                raise InputError(
                    f"no {part.mode} query of {run.name} counts for {limit.measure}",
                    hint="name a mode that has some: --fail-under MODE:METRIC=NUMBER",
                )
            broken = limit.broken_by(level.value)
            yield LimitCheck(
                limit=limit,
                mode=part.mode,
                value=level.value,
                interval=level.interval,
                n=level.n,
                verdict="fail" if broken else "pass",
            )


def _notes(
    baseline: Results, run: Results, parts: Sequence[AlignedSystems], gated: Sequence[Measure]
) -> Iterator[str]:
    """What was not looked at, and what makes a comparison less than it seems."""
    both = [part.mode for part in parts]
    for system, other in ((baseline, run), (run, baseline)):
        for mode in system.modes:
            if mode not in both:
                yield f"{mode} queries of {system.name} are not in {other.name}: not compared"
    for part in parts:
        for system, alone in zip(part.systems, part.alone, strict=True):
            if alone:
                are = "query of {} is" if alone == 1 else "queries of {} are"
                own = are.format(system.name)
                yield f"{alone:,} {part.mode} {own} in it alone: left out"
        for measure in gated:
            lost = part.counted_in_some(measure)
            if lost:
                count = "query counts" if lost == 1 else "queries count"
                yield f"{lost:,} {part.mode} {count} for one run only ({measure}): left out"
        if part.systems[0].keywords != part.systems[1].keywords:
            yield (
                f"some {part.mode} queries have other keywords in {run.name}: the slices are those "
                f"of {baseline.name}"
            )
        for note in (*collect_condition_notes(part), *collect_system_notes(part)):
            yield f"{part.mode}: {note}"
    pairs = ((part.systems, measure) for part in parts for measure in gated)
    columns = ([system.column(measure) for system in systems] for systems, measure in pairs)
    if all(np.array_equal(before, after, equal_nan=True) for before, after in columns):
        yield "every value that was compared is the same in both runs"
    for measure in gated:
        if measure.aggregate == "median":
            yield f"{measure} is a median: which drop of it could have been seen is not computed"
