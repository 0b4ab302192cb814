"""A gate in words: titles, sentences and the order in which every output lists its checks."""

from __future__ import annotations

import math
from collections.abc import Sequence

from engine.base.messages import fit_message, fit_on_line, pluralise
from engine.compare import QueryChange
from engine.compare.differences import choose_statistic
from engine.gate import Check, FindingCheck, Gate, GateSettings, LimitCheck, Regression
from engine.gate.findings import count_worse, explain_pass
from engine.metrics import Measure, Profile
from engine.report.gate.numbers import describe_interval, describe_p
from engine.report.tables.numbers import format_number, format_signed

SHOWN_WORST = 3
"""Failed checks whose worst queries are shown where not all are asked for."""

SAID_IN_FULL = 5
"""New findings that are said in full, and passing ones with a line, if not all are asked for."""

VERDICTS = {"pass": "PASS", "fail": "FAIL", "underpowered": "UNDERPOWERED"}


def write_headline(gate: Gate) -> str:
    """The verdict, on how many checks it rests, and how many findings became worse."""
    worse = 0 if gate.triage is None else count_worse(gate.triage)
    became = f"; {pluralise(worse, 'finding')} {'is' if worse == 1 else 'are'} worse"
    return _write_verdict(gate) + (became if worse else "")


def _write_verdict(gate: Gate) -> str:
    word, checks = VERDICTS[gate.verdict], pluralise(len(gate.checks), "check")
    if gate.verdict == "fail":
        return f"{word}: {len(gate.failed):,} of {checks}"
    if gate.verdict == "pass":
        counted = [checks] if gate.checks else []
        counted += ["no new finding"] if gate.triage is not None and not gate.findings else []
        return f"{word}: {', '.join(counted)}"
    drop = f"{gate.settings.epsilon + gate.settings.detect:g}"
    return f"{word}: nothing failed, but the queries are too few to be sure to see a drop of {drop}"


def describe_systems(gate: Gate) -> str:
    """Which run was held against what."""
    against = "" if gate.baseline is None else f" against {fit_on_line(gate.baseline)}"
    triage = gate.triage
    if triage is None:
        return f"{fit_on_line(gate.run)}{against}"
    since = f"findings of {fit_on_line(triage.model)} since {fit_on_line(triage.baseline)}"
    return f"{fit_on_line(gate.run)}{against}; {since}"


def name_check(check: Check, language: Profile) -> str:
    """A name that no other check of the gate has."""
    if isinstance(check, FindingCheck):
        return name_part(check)
    return f"{check.mode} {language.label(check.measure)}, {name_part(check)}"


def name_part(check: Check) -> str:
    """Which part of a mode is looked at, which limit is held, or which finding is new."""
    if isinstance(check, FindingCheck):
        return f"new finding {fit_on_line(check.id)}"
    if isinstance(check, LimitCheck):
        sign = "≤" if check.measure.lower_is_better else "≥"
        return f"{choose_statistic(check.measure)} {sign} {check.limit.value:g}"
    if check.slice is None:
        return choose_statistic(check.measure)
    kind = "group " if check.slice.kind == "group" else ""
    return kind + fit_on_line(check.slice.name)


def name_line(check: Check) -> str:
    """What a line of a table is about, where the metric has a cell of its own."""
    if isinstance(check, FindingCheck):
        return f"{name_part(check)}, severity {format_number(check.severity)}"
    return f"{check.mode}: {name_part(check)}"


def describe_check(check: Check, gate: Gate) -> str:
    """What was found, in one sentence with value, interval and n."""
    if isinstance(check, LimitCheck):
        return _limit_message(check, gate.language)
    if isinstance(check, FindingCheck):
        return _finding_message(check, gate.language)
    return _regression_message(check, gate)


def _limit_message(check: LimitCheck, language: Profile) -> str:
    side = "above" if check.measure.lower_is_better else "below"
    found = side if check.verdict == "fail" else f"not {side}"
    return (
        f"{check.mode} {language.label(check.measure)} is {format_number(check.value)} "
        f"({describe_interval(check.interval)}, n = {check.n:,}), {found} {check.limit.value:g}"
    )


def _finding_message(check: FindingCheck, language: Profile) -> str:
    severity, limit = format_number(check.severity), f"{check.limit:g}"
    if check.severity < check.limit:
        said = f"less severe than {limit}"
    elif check.verdict == "fail":
        said = f"not below {limit}"
    else:
        said = f"not below {limit}, but {explain_pass(check)}"
    known = not math.isnan(check.gain)
    change = (
        f"{format_number(check.before)} → {format_number(check.after)} {fit_on_line(check.unit)}, "
        f"difference {format_signed(check.gain)} ({describe_interval(check.interval, sign=True)}, "
        f"corrected {describe_p(check.corrected)})"
    )
    return (
        f"{name_check(check, language)} may cost up to {severity} points of "
        f"{language.label(check.measure)} (severity), {said}{f': {change}' if known else ''}. "
        f"{fit_message(check.sentence)}"
    )


def _regression_message(check: Regression, gate: Gate) -> str:
    settings = gate.settings
    where = name_check(check, gate.language)
    evidence = (
        f"{format_number(check.before)} → {format_number(check.after)}, difference "
        f"{format_signed(check.gain)} "
        f"({describe_interval(check.interval, sign=True)}, n = {check.n:,}, "
        f"{describe_p(check.p)}, corrected {describe_p(check.corrected)})"
    )
    if check.verdict == "fail":
        beyond = f" by more than {settings.epsilon:g}" if settings.epsilon else ""
        return f"{where} is worse{beyond}: {evidence}"
    if check.verdict == "pass":
        return f"{where}: no drop found: {evidence}"
    return f"{where}: no drop found, but {describe_power(check, settings)}: {evidence}"


def describe_power(check: Regression, settings: GateSettings) -> str:
    """What the test on a mean could have seen, and what a smaller drop needs."""
    power = check.power
    if power is None:
        return "what could have been seen is not known"
    if math.isnan(power.smallest):
        seen, about = "so few queries can show no drop at all", "at least"
    else:
        smallest = format_number(settings.epsilon + power.smallest)
        seen = f"the smallest drop that could have been seen is {smallest}"
        seen, about = f"{seen} (power {settings.power:g})", "about"
    needed = "more than a billion" if power.needed is None else f"{about} {power.needed:,}"
    there = "there is 1" if check.n == 1 else f"there are {check.n:,}"
    return (
        f"{seen}; to see {format_number(settings.epsilon + settings.detect)} takes {needed} "
        f"{'query' if power.needed == 1 else 'queries'}, {there}"
    )


def format_query(change: QueryChange) -> str:
    """One query that lost: its text, before → after."""
    again = f" (asked again, {change.key.nth + 1})" if change.key.nth else ""
    return (
        f"{format_number(change.before)} → {format_number(change.after)}  "
        f"{fit_on_line(change.key.query)}{again}"
    )


def list_metrics(gate: Gate) -> list[str]:
    """Label, id and formula of every metric that was looked at."""
    own: tuple[LimitCheck | Regression, ...] = (*gate.limits, *gate.regressions)
    measures = dict.fromkeys(check.measure for check in own)
    lines = []
    for measure in measures:
        label, own_id = gate.language.label(measure), str(measure)
        named = own_id if label == own_id else f"{label} is {own_id}"
        worse = ", lower is better" if measure.lower_is_better else ""
        lines.append(f"{named} = {gate.formula(measure)}{worse}")
    return lines


def describe_method(gate: Gate) -> str:
    """How it was decided, in one line."""
    settings, own = gate.settings, gate.settings.compare
    kind = {"bca": "BCa", "percentile": "percentile"}[own.method]
    level = f"{100 * own.level:g} %"
    clusters = "" if own.clusters == "none" else f", clustered by {own.clusters_in_words}"
    if gate.baseline is None:
        return f"{level} {kind} intervals{clusters}"
    count = len(gate.regressions)
    over = "1 hypothesis" if count == 1 else f"{count:,} hypotheses"
    return (
        f"a check fails if its corrected p < {settings.alpha:.3g} (one-sided, over "
        f"{over}) and its interval lies below "
        f"{-settings.epsilon if settings.epsilon else 0:g}; intervals of {level} or more: {kind}, "
        f"their upper ends as far as the test goes at the level that p was held against{clusters}"
    )


def describe_triage(gate: Gate) -> str:
    """How it was decided about new findings."""
    triage = gate.triage
    if triage is None:
        return ""
    metric = gate.language.label(Measure.parse(triage.measure))
    return (
        f"a new finding fails if its severity ≥ {gate.settings.severity:g} (points of the mean of "
        f"{metric} that it may cost, times certainty) and the corrected p of its change "
        f"≤ {1 - triage.level:.3g}"
    )


def list_gate_facts(gate: Gate) -> list[str]:
    """What the metrics are, and how it was decided."""
    method = [describe_method(gate)] if gate.limits or gate.regressions else []
    return [*list_metrics(gate), *method, *filter(None, [describe_triage(gate)])]


def describe_small_slices(gate: Gate) -> str:
    """How many slices have too few queries; empty if none."""
    most: dict[str, int] = {}  # several metrics have the same slices
    for one in gate.few:
        most[one.mode] = max(one.slices, most.get(one.mode, 0))
    few = sum(most.values())
    if not few:
        return ""
    least = gate.settings.compare.least_queries
    has = "1 slice has" if few == 1 else f"{few:,} slices have"
    return f"{has} fewer than {least} queries: not looked at"


def select_checks(gate: Gate, everything: bool = False) -> tuple[list[Check], list[Check]]:
    """The checks in the order in which they are read, and the passing ones that are left out:
    slices, and findings if there are many.

    What failed comes first, the largest loss before smaller ones; then what was too weak; then
    what passed, limits and means before slices; new findings come last of each.
    """
    order = {"fail": 0, "underpowered": 1, "pass": 2}

    def place(check: Check) -> tuple[int, int, float]:
        if isinstance(check, LimitCheck):
            return order[check.verdict], 0, 0.0
        if isinstance(check, FindingCheck):
            return order[check.verdict], 3, -check.severity
        return order[check.verdict], 1 if check.slice is None else 2, check.gain

    found = sorted(gate.checks, key=place)
    slices = [check for check in found if place(check)[:2] == (order["pass"], 2)]
    findings = [check for check in found if place(check)[:2] == (order["pass"], 3)]
    left_out: list[Check] = [] if everything else [*slices, *findings[SAID_IN_FULL:]]
    unseen = {id(check) for check in left_out}
    return [check for check in found if id(check) not in unseen], left_out


def describe_further(hidden: Sequence[Check]) -> list[str]:
    """How many slices and findings pass that have no line."""
    findings = sum(isinstance(check, FindingCheck) for check in hidden)
    counts = (("further slice", len(hidden) - findings), ("further new finding", findings))
    return [
        f"{pluralise(count, noun)} {'passes' if count == 1 else 'pass'}"
        for noun, count in counts
        if count
    ]


def list_evidence(check: Check) -> list[str]:
    """What shows that a check failed: the queries that lost most, or what to do about a finding."""
    if isinstance(check, FindingCheck):
        return [f"What to do: {fit_message(check.remedy)}"] if check.remedy else []
    if not isinstance(check, Regression) or not check.worst:
        return []
    return ["worst queries:", *(f"  {format_query(change)}" for change in check.worst)]


def choose_new_findings(
    checks: Sequence[Check], everything: bool
) -> tuple[list[FindingCheck], int]:
    """The new findings that are said in full, and how many that fail are not."""
    new = [check for check in checks if isinstance(check, FindingCheck)]
    if everything:
        return new, 0
    failed = [check for check in new if check.verdict == "fail"]
    return failed[:SAID_IN_FULL], len(failed[SAID_IN_FULL:])


def choose_worst(checks: Sequence[Check], everything: bool) -> tuple[list[Regression], int]:
    """The failed checks whose worst queries are shown, and of how many they are not."""
    lost = [check for check in checks if isinstance(check, Regression) and check.worst]
    shown = lost if everything else lost[:SHOWN_WORST]
    return shown, len(lost) - len(shown)
