"""Triage: every analysis carried out, corrected together, and put in order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from engine.base.errors import InputError
from engine.base.messages import fit_on_line, suggest
from engine.base.progress import ProgressHook, Step
from engine.triage.analyses.ceiling import Shortfall, measure_shortfalls
from engine.triage.analysis import Analysis
from engine.triage.correction import correct
from engine.triage.finding import Finding
from engine.triage.study import Study
from engine.triage.verdicts import GroupVerdict, measure_verdicts

SHOWN_FINDINGS = 10

_WITHIN = 4
"""By how much an analysis corrects its own tests, where it has a few: of modes, of groups."""


@dataclass(frozen=True, slots=True, eq=False)
class Triage:
    """What is known of a model.

    analyses    that were carried out
    findings    decided, worst first
    verdicts    per keyword group, in the order of the groups
    shortfalls  per mode, where the metric falls short of 1, and why
    """

    study: Study
    analyses: tuple[Analysis, ...]
    findings: tuple[Finding, ...]
    verdicts: tuple[GroupVerdict, ...]
    shortfalls: tuple[Shortfall, ...]

    @property
    def found(self) -> tuple[Finding, ...]:
        """What was proven, worst first."""
        return tuple(one for one in self.findings if one.outcome == "found")

    @property
    def tested(self) -> int:
        """How many analyses tested something: over so many the p-values are corrected."""
        return len({one.analysis for one in self.findings if one.tests})

    @property
    def needed_resamples(self) -> int:
        """So many, that of a test whose p is the least that resamples can show, and which counts
        four times within its analysis, the corrected p is alpha."""
        return math.ceil(round(_WITHIN * self.tested / self.study.settings.alpha, 6)) - 1

    def find(self, name: str) -> Finding:
        """The finding of an id, or of the beginning or end of one that is like no other."""
        ids = [one.id for one in self.findings]
        matches = (
            [one for one in self.findings if one.id == name]
            or [one for one in self.findings if one.id.startswith(name)]
            or [one for one in self.findings if name in one.id]
        )
        if len(matches) == 1:
            return matches[0]
        if matches:
            near = ", ".join(one.id for one in matches[:3])
            raise InputError(
                f'"{fit_on_line(name)}" matches {len(matches)} findings',
                hint=f"write one of {near}",
            )
        hint = suggest(name, ids) or "tui-eval triage --format json lists all ids"
        raise InputError(f'no finding "{fit_on_line(name)}"', hint=hint)


def triage(
    study: Study, analyses: Sequence[Analysis], report: ProgressHook | None = None
) -> Triage:
    """Carry out the analyses; an exception that `report` raises ends it between pieces of work."""
    found: list[Finding] = []
    done = 0

    def beat() -> None:
        study.beat()
        if report:
            report(Step("", "triage", done, len(analyses)))

    beating = study.beating(beat)
    for analysis in analyses:
        beat()
        found += analysis.find(beating)
        done += 1
    verdicts = beating.once(measure_verdicts)
    shortfalls = beating.once(measure_shortfalls)
    beat()
    return Triage(study, tuple(analyses), correct(found, study.settings), verdicts, shortfalls)
