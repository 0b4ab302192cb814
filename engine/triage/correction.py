"""One correction over all that is shown, and what each finding then amounts to.

Every p is corrected within its analysis already, for everything that the analysis looked at
(all slices, all keywords). With A analyses that test something,

    corrected p = min(1, A · p)

is Bonferroni's over the analyses: the chance of even one false finding among all is at most alpha,
however they depend on each other. Holm's procedure over p-values that were corrected before would
not keep that promise where an analysis has true and false findings.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from engine.stats.distributions import normal_quantile
from engine.triage.finding import Finding, Outcome
from engine.triage.settings import TriageSettings


def correct(findings: Sequence[Finding], settings: TriageSettings) -> tuple[Finding, ...]:
    """The findings with their corrected p and what is known of them, worst first.

    >>> from engine.stats import Interval
    >>> from engine.triage.finding import Topic
    >>> narrow = Interval(-0.001, 0.001, 0.95)
    >>> sure = Finding("a", Topic("model"), "", "", 0.1, "P@5", p=0.001, cost=1.0, share=1.0)
    >>> none = Finding("b", Topic("model"), "", "", 0.0, "P@5", interval=narrow, p=0.9, cost=1.0)
    >>> [(one.outcome, one.corrected) for one in correct([none, sure], TriageSettings())]
    [('found', 0.002), ('nothing', 1.0)]
    """
    analyses = len({one.analysis for one in findings if one.tests})
    decided = [_decide(one, analyses, settings) for one in findings]
    said = {(one.analysis, one.mode) for one in decided if is_found(one) and not one.summary}
    kept = [one for one in decided if not (one.summary and (one.analysis, one.mode) in said)]
    return tuple(sorted(kept, key=_rank))


def is_found(finding: Finding) -> bool:
    """Whether it was proven."""
    return finding.outcome == "found"


def _rank(finding: Finding) -> tuple[float, int, float, str]:
    """Findings by severity; then what may still be one; then the rest."""
    order = {"found": 0, "unsure": 1, "unknown": 2, "fact": 3, "nothing": 4}
    possible = finding.harm * finding.share
    return -finding.severity, order[finding.outcome or "unknown"], -possible, finding.id


def _decide(finding: Finding, analyses: int, settings: TriageSettings) -> Finding:
    if finding.outcome is not None and not finding.tests:
        return finding
    corrected = min(1.0, analyses * finding.p)
    decided = finding.decided(corrected, _choose_outcome(finding, corrected, settings))
    if decided.outcome != "unsure" or decided.needed:
        return decided
    return replace(decided, needed=choose_needed(decided, analyses, settings))


def _choose_outcome(finding: Finding, corrected: float, settings: TriageSettings) -> Outcome:
    if math.isnan(finding.p):
        return "fact"
    if corrected <= settings.alpha:
        return "found"
    return "nothing" if is_within_margin(finding, settings.margin) else "unsure"


def is_within_margin(finding: Finding, margin: float) -> bool:
    """Whether the interval leaves out that it costs more than the margin. An effect without a
    cost in points of m is measured against the margin in its own unit.

    >>> from engine.stats import Interval
    >>> from engine.triage.finding import Topic
    >>> gain = Finding("a", Topic("model"), "", "", 0.3, "P@5", Interval(0.2, 0.4, 0.95), cost=-1)
    >>> is_within_margin(gain, 0.02)
    True
    >>> little = Finding("a", Topic("group", ("who",)), "", "", 0.3, "AUC", gain.interval, cost=-1,
    ...                  limit=0.3)
    >>> is_within_margin(little, 0.02)
    False
    """
    low, high = finding.interval.low, finding.interval.high
    if not (math.isfinite(low) and math.isfinite(high)):
        return False
    if not finding.cost and not finding.limit:
        return max(abs(low), abs(high)) <= margin
    return max(map(finding.cost_of, (low, high))) <= margin


def choose_needed(finding: Finding, analyses: int, settings: TriageSettings) -> int:
    """How much support would tell, one way or the other; 0: nobody can say.

    With h half the interval's width, and d the points of m that the effect costs,

        found    h · z(1 − alpha / 2A) / z((1 + level) / 2) < d, as A analyses are corrected for
                 p < alpha: support · (z(1 − alpha) / z(1 − p))², if p is below a half
        nothing  h < margin − d

    in points of m. Widths shrink with the root of the support, and what needs less of it counts.
    A finding that costs nothing by itself is measured in its own unit.

    >>> from engine.stats import Interval
    >>> from engine.triage.finding import Topic
    >>> one = Finding("a", Topic("model"), "", "", 0.0, "P@5", Interval(-0.04, 0.04, 0.95),
    ...               cost=1.0, support=100, corrected=1.0)
    >>> choose_needed(one, 1, TriageSettings())
    400
    >>> from dataclasses import replace
    >>> choose_needed(replace(one, effect=0.2, interval=Interval(-0.2, 0.6, 0.95)), 1,
    ...               TriageSettings())
    400
    >>> choose_needed(replace(one, effect=0.2, interval=Interval(0.1, 0.3, 0.95), corrected=0.09),
    ...               1, TriageSettings())
    151
    """
    scale = abs(finding.cost) or 1.0
    half = scale * (finding.interval.high - finding.interval.low) / 2
    if not finding.support or not half > 0 or not math.isfinite(half):
        return 0
    plain = not finding.cost
    lost = abs(finding.effect) if plain else finding.cost * (finding.effect - finding.limit)
    level = finding.interval.level
    wider = normal_quantile(1 - settings.alpha / (2 * analyses)) / normal_quantile((1 + level) / 2)
    times = []
    if lost > 0:
        found = (half * wider / lost) ** 2
        if 0 < finding.corrected < 0.5:
            z = normal_quantile(1 - finding.corrected)
            found = max(found, (normal_quantile(1 - settings.alpha) / z) ** 2)
        times.append(found)
    if lost < settings.margin:
        times.append((half / (settings.margin - lost)) ** 2)
    least = min(times, default=0.0)
    return max(finding.support, math.ceil(round(finding.support * least, 6))) if times else 0
