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
    return finding.decided(corrected, _choose_outcome(finding, corrected, settings))


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
