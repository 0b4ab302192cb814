"""The document of a gate: each check with its evidence."""

from __future__ import annotations

from typing import Any

from engine.base.errors import ExitCode
from engine.base.json_text import dump_attributes, nan_to_none
from engine.files.envelope import enclose
from engine.gate import Check, FindingCheck, Gate, LimitCheck, Regression
from engine.gate.decide import SmallSlices
from engine.report.compare.document import dump_metric
from engine.report.gate.wording import describe_check, name_check, write_headline

EXIT_CODES = {
    "pass": ExitCode.FINE,
    "fail": ExitCode.FAILED,
    "underpowered": ExitCode.GATE_UNDERPOWERED,
}


def build_gate_document(gate: Gate) -> dict[str, Any]:
    """The gate as plain values, ready for JSON."""
    fields = {
        "verdict": gate.verdict,
        "exit_code": EXIT_CODES[gate.verdict],
        "summary": write_headline(gate),
        "run": gate.run,
        "baseline": gate.baseline,
        "triage": _triage(gate),
        "profile": gate.language.name,
        "settings": _settings(gate),
        "checks": [_check(check, gate) for check in gate.checks],
        "few_slices": [_few(few) for few in gate.few],
        "slices_that_cannot_fail": [_few(few) for few in gate.cannot_fail],
    }
    return enclose("gate", fields, inputs=gate.files, notes=gate.notes)


def _few(few: SmallSlices) -> dict[str, Any]:
    return {"mode": few.mode, "metric": str(few.measure), "slices": few.slices}


def _settings(gate: Gate) -> dict[str, Any]:
    own, compare = gate.settings, gate.settings.compare
    return {
        "gated": [str(measure) for measure in gate.measures],
        **dump_attributes(own, "epsilon", "detect", "power"),
        "level": compare.level,
        "alpha": round(own.alpha, 12),
        "test": "sign-flip permutation, one-sided; of medians, bootstrap and sign test",
        "correction": "max-T over sign flips for means of slices, Holm for all others",
        "hypotheses": len(gate.regressions),
        "interval": f"bootstrap, {compare.method}",
        "interval_of_differences": "its upper end goes on to what the test does not reject at the "
        "level that p was held against",
        "resamples": compare.resamples,
        "flips": gate.flips,
        "seed": compare.seed,
        "clusters": compare.clusters_in_words,
        "least_queries": compare.least_queries,
        **dump_attributes(own, "allow_missing", "severity"),
    }


def _check(check: Check, gate: Gate) -> dict[str, Any]:
    return {
        "name": name_check(check, gate.language),
        "verdict": check.verdict,
        "mode": check.mode or None,
        "metric": dump_metric(check.measure, gate.language, gate.formula(check.measure)),
        **_numbers(check),
        "message": describe_check(check, gate),
    }


def _triage(gate: Gate) -> dict[str, Any] | None:
    if gate.triage is None:
        return None
    return dump_attributes(gate.triage, "model", "baseline", "dataset", "measure", "level")


def _numbers(check: Check) -> dict[str, Any]:
    if isinstance(check, FindingCheck):
        return _finding(check)
    return _limit(check) if isinstance(check, LimitCheck) else _regression(check)


def _finding(check: FindingCheck) -> dict[str, Any]:
    return {
        "kind": "finding",
        "finding": check.id,
        "severity": check.severity,
        "limit": check.limit,
        "unit": check.unit,
        **{name: nan_to_none(getattr(check, name)) for name in ("before", "after", "gain")},
        "interval": dump_attributes(check.interval, "low", "high", "level"),
        "corrected": nan_to_none(check.corrected),
        **dump_attributes(check, "is_sure", "costs_less", "n", "support_of", "sentence", "remedy"),
    }


def _limit(check: LimitCheck) -> dict[str, Any]:
    return {
        "kind": "limit",
        "limit": check.limit.value,
        "value": nan_to_none(check.value),
        "interval": dump_attributes(check.interval, "low", "high", "level"),
        "n": check.n,
    }


def _regression(check: Regression) -> dict[str, Any]:
    own = check.power
    power = own and {"smallest_drop": nan_to_none(own.smallest), "queries_needed": own.needed}
    return {
        "kind": "mean" if check.slice is None else check.slice.kind,
        "aggregate": check.measure.aggregate,
        "slice": None if check.slice is None else check.slice.name,
        **dump_attributes(check, "before", "after", "gain"),
        "interval": dump_attributes(check.interval, "low", "high", "level"),
        **dump_attributes(check, "n", "p", "corrected", "correction"),
        **({"power": power} if check.slice is None else {}),
        "worst": [
            {
                **dump_attributes(change.key, "query", "nth"),
                **dump_attributes(change, "keywords", "before", "after"),
            }
            for change in check.worst
        ],
    }
