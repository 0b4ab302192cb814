"""The document of a gate: each check with its evidence."""

from __future__ import annotations

from typing import Any

from engine.base.json_text import nan_to_none
from engine.compare import QueryChange
from engine.files.envelope import enclose
from engine.gate import Check, Gate, LimitCheck, Regression
from engine.gate.decide import SmallSlices
from engine.report.compare.document import dump_metric
from engine.report.gate.wording import describe_check, name_check, write_headline
from engine.stats import Interval

EXIT_CODES = {"pass": 0, "fail": 1, "underpowered": 3}


def build_gate_document(gate: Gate) -> dict[str, Any]:
    """The gate as plain values, ready for JSON."""
    fields = {
        "verdict": gate.verdict,
        "exit_code": EXIT_CODES[gate.verdict],
        "summary": write_headline(gate),
        "run": gate.run,
        "baseline": gate.baseline,
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
        "epsilon": own.epsilon,
        "detect": own.detect,
        "power": own.power,
        "level": compare.level,
        "alpha": round(own.alpha, 12),
        "test": "sign-flip permutation, one-sided; of medians, bootstrap and sign test",
        "correction": "holm",
        "hypotheses": len(gate.regressions),
        "interval": compare.method,
        "resamples": compare.resamples,
        "flips": gate.flips,
        "seed": compare.seed,
        "clusters": compare.clusters_in_words,
        "least_queries": compare.least_queries,
        "allow_missing": own.allow_missing,
    }


def _check(check: Check, gate: Gate) -> dict[str, Any]:
    own = _limit(check) if isinstance(check, LimitCheck) else _regression(check)
    return {
        "name": name_check(check, gate.language),
        "verdict": check.verdict,
        "mode": check.mode,
        "metric": dump_metric(check.measure, gate.language, gate.formula(check.measure)),
        **own,
        "message": describe_check(check, gate),
    }


def _limit(check: LimitCheck) -> dict[str, Any]:
    return {
        "kind": "limit",
        "limit": check.limit.value,
        "value": nan_to_none(check.value),
        "interval": _interval(check.interval),
        "n": check.n,
    }


def _regression(check: Regression) -> dict[str, Any]:
    whole = check.slice is None
    power = None if check.power is None else {
        "smallest_drop": nan_to_none(check.power.smallest),
        "queries_needed": check.power.needed,
    }  # fmt: skip
    return {
        "kind": "mean" if check.slice is None else check.slice.kind,
        "aggregate": check.measure.aggregate,
        "slice": None if check.slice is None else check.slice.name,
        "before": nan_to_none(check.before),
        "after": nan_to_none(check.after),
        "gain": nan_to_none(check.gain),
        "interval": _interval(check.interval),
        "n": check.n,
        "p": check.p,
        "holm": check.holm,
        **({"power": power} if whole else {}),
        "worst": [_query(change) for change in check.worst],
    }


def _query(change: QueryChange) -> dict[str, Any]:
    return {
        "query": change.key.query,
        "nth": change.key.nth,
        "keywords": list(change.keywords),
        "before": change.before,
        "after": change.after,
    }


def _interval(interval: Interval) -> dict[str, Any]:
    return {
        "low": nan_to_none(interval.low),
        "high": nan_to_none(interval.high),
        "level": interval.level,
    }
