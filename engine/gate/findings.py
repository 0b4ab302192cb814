"""Findings: what a triage has found since its baseline, and whether that may pass.

A finding is *new* if it is proven for this model and was not for the baseline. That alone may be
chance: a finding that is just below the line in one model is just above it in the next. So one
fails only if

- its severity is at least the limit: points of the mean of m, as far as they are sure,
- its change is *sure*: p of no difference between the models, by Holm over all changes, is at most
  1 − level, which holds for chance alone in at most that share of triages,
- and the change costs something: of two models the better one may have the surer finding.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from engine.base.arrays import ROUNDING
from engine.base.errors import InputError
from engine.base.messages import list_names, pluralise, quote
from engine.gate.checks import FindingCheck
from engine.metrics import Measure
from engine.results.results import Results
from engine.stats import Interval
from engine.triage.saved_triage import SavedChange, SavedFinding, SavedTriage

_SHARED_FILES = ("annotations", "embeddings")
"""What a run and a triage of it were both computed from; their queries may differ."""

_NAMED = 3
"""Findings that a note names."""


def check_findings(
    triage: SavedTriage, run: Results, limit: float
) -> tuple[tuple[FindingCheck, ...], tuple[str, ...]]:
    """Every new finding held against the limit, the most severe first; and what to know of the
    others. InputError if the triage cannot say anything of the run."""
    _require_changes(triage)
    _require_same_origin(triage, run)
    try:
        measure = Measure.parse(triage.measure)
    except InputError as error:
        raise error.at(triage.document.place) from error
    found = {one.id: one for one in triage.findings}
    new = [one for one in triage.changes if one.kind == "new"]
    checks = [_check(one, found[one.id], triage, measure, limit) for one in new]
    checks.sort(key=lambda one: (one.verdict != "fail", -one.severity, one.id))
    return tuple(checks), tuple(_collect_notes(triage, run, checks))


def _check(
    change: SavedChange, now: SavedFinding, triage: SavedTriage, measure: Measure, limit: float
) -> FindingCheck:
    is_sure = change.corrected <= 1 - triage.level + ROUNDING
    fails = change.severity >= limit and is_sure and not change.added_harm < 0
    return FindingCheck(
        id=change.id,
        mode=now.mode,
        measure=measure,
        severity=change.severity,
        limit=limit,
        before=change.before,
        after=change.after,
        gain=change.difference,
        unit=now.unit,
        interval=Interval(change.interval.low, change.interval.high, triage.level),
        corrected=change.corrected,
        is_sure=is_sure,
        costs_less=change.added_harm < 0,
        n=now.support,
        support_of=now.support_of,
        sentence=now.sentence,
        remedy=now.remedy,
        verdict="fail" if fails else "pass",
    )


def explain_pass(check: FindingCheck) -> str:
    """Why a severe new finding is no failure."""
    if math.isnan(check.corrected):
        return "how it was before is not known"
    return "costs less than before" if check.is_sure else "the change itself may be chance"


def _require_changes(triage: SavedTriage) -> None:
    if not triage.baseline:
        raise InputError(
            "was compared with no baseline, so no finding in it is new",
            triage.document.place,
            hint=f"write it again: tui-eval triage --model {quote(triage.model)} --baseline MODEL "
            "--out FILE.json",
        )


def _require_same_origin(triage: SavedTriage, run: Results) -> None:
    """InputError if the triage is of another model, dataset or version of the two than the run."""
    for what, ours, theirs in (
        ("the model", triage.model, run.model),
        ("the dataset", triage.dataset, run.dataset),
    ):
        if theirs and ours != theirs:
            raise InputError(
                f"is of {what} {quote(ours)}, and {run.name} of {quote(theirs)}",
                triage.document.place,
                hint="give the run and the triage of one model",
            )
    digests = dict(run.inputs)
    for role, digest in triage.inputs:
        if role in _SHARED_FILES and digests.get(role, digest) != digest:
            raise InputError(
                f"was computed from other {role} than {run.name}",
                triage.document.place,
                hint="carry out the older of the two again",
            )


def _collect_notes(
    triage: SavedTriage, run: Results, checks: Sequence[FindingCheck]
) -> Iterator[str]:
    if not run.model:
        yield f"which model {run.name} is of is not known, nor whether the triage is of the same"
    reasons: dict[str, list[FindingCheck]] = {}
    for one in checks:
        if one.verdict == "pass" and one.severity >= one.limit:
            reasons.setdefault(explain_pass(one), []).append(one)
    for why, own in reasons.items():
        yield _explain_passes(why, own)
    worse = [one.id for one in triage.changes if one.kind == "worse"]
    if worse:
        are = "is" if len(worse) == 1 else "are"
        yield (
            f"{pluralise(len(worse), 'finding')} {are} worse than in {triage.baseline}, but not "
            f"new, which fails nothing: {list_names(worse, _NAMED)}; to fail on drops of a metric, "
            "give --baseline RUN0, too"
        )


def _explain_passes(why: str, own: Sequence[FindingCheck]) -> str:
    """Why new findings are no failures, in one line, however many they are."""
    if len(own) == 1:
        return (
            f"{own[0].id} is new, with a severity of {own[0].severity:.3f}, but {why}: no failure"
        )
    named = list_names((one.id for one in own), _NAMED)
    return (
        f"{len(own):,} findings are new, with severities of {own[0].limit:g} or more, but {why}: "
        f"no failures: {named}"
    )


def count_worse(triage: SavedTriage) -> int:
    """How many findings were there before, and are worse now."""
    return sum(one.kind == "worse" for one in triage.changes)
