"""The verdict per keyword group: is it in the vectors, does the similarity use it, does it win?

    not readable         no linear probe reads it: the vectors do not hold it
    readable but unused  they do, but erasing it changes next to nothing: the similarity ignores it
    used but outvoted    it is used, and yet the results keep less than two thirds of what is
                         possible beyond chance: something else wins
    fine                 none of these

Three numbers stand behind it: selectivity (can it be read), reliance (is it used) and kept (does it
win). Each is said only of intervals that are surely on its side: who is used is surely used, who is
readable but unused is surely both. Fine are groups of which nothing is the matter as far as can be
told: their interval of kept reaches two thirds, and not down to half of that. Of all others it is
not known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from engine.base.json_text import nan_to_none
from engine.triage.analyses.readable import READABLE_LIMIT
from engine.triage.analyses.used import USED_SHARE
from engine.triage.effect import Effect
from engine.triage.study import Study
from engine.triage.wording import format_confidence, format_points
from engine.triage.workings.group_precision import measure_group_precision
from engine.triage.workings.readability import Readability, measure_readability
from engine.triage.workings.reliance import Reliance, measure_reliance

VerdictName: TypeAlias = Literal[
    "fine", "used but outvoted", "readable but unused", "not readable", "not known"
]

Cause: TypeAlias = Literal["not readable", "unused", "outvoted", "not known"]
"""Why a result may lack a keyword."""

KEPT_LIMIT = 2 / 3
"""A group that surely keeps less than this share of what is possible beyond chance does not win."""


@dataclass(frozen=True, slots=True, eq=False)
class GroupVerdict:
    """What is the matter with one group.

    selectivity  AUC of probes beyond that of shuffled labels, 0 to 0.5
    reliance     points of its own P@k that erasing it costs beyond the control
    possible     what a similarity that is perfect for it could owe to it
    kept         which share of what is possible beyond chance its results keep
    winner       which group's erasure helps it most, of those that surely help it and surely keep
                 more; empty if there is none
    """

    group: str
    verdict: VerdictName
    selectivity: Effect
    reliance: Effect
    possible: float
    kept: Effect
    winner: str = ""

    @property
    def label(self) -> str:
        """The group in words."""
        return self.group.replace("_", " ")

    @property
    def sentence(self) -> str:
        """The verdict with the numbers behind it."""
        won = f" {self.winner.replace('_', ' ').capitalize()} wins instead." if self.winner else ""
        return (
            f"{self.label.capitalize()}: {self.verdict}. Selectivity "
            f"{format_points(self.selectivity.value)} "
            f"({format_confidence(self.selectivity.interval)}), reliance "
            f"{format_points(self.reliance.value)} "
            f"({format_confidence(self.reliance.interval)}), kept "
            f"{format_points(self.kept.value)} ({format_confidence(self.kept.interval)}).{won}"
        )

    def dump(self) -> dict[str, Any]:
        """As plain values, for documents."""

        def number(effect: Effect) -> dict[str, Any]:
            ends = effect.interval.low, effect.interval.high
            known = [nan_to_none(end) for end in ends]
            return {
                "value": nan_to_none(effect.value),
                "interval": None if None in known else known,
            }

        return {
            "group": self.group,
            "verdict": self.verdict,
            "selectivity": number(self.selectivity),
            "reliance": number(self.reliance),
            "possible": nan_to_none(self.possible),
            "kept": number(self.kept),
            "winner": self.winner or None,
            "sentence": self.sentence,
        }


def measure_verdicts(study: Study) -> tuple[GroupVerdict, ...]:
    """One for every group of the selection."""
    readability, reliance = study.once(measure_readability), study.once(measure_reliance)
    kept = {group: _average_modes(study, group) for group in study.groups}
    return tuple(_judge(group, readability, reliance, kept) for group in study.groups)


def _judge(
    group: str, readability: Readability, reliance: Reliance, every: Mapping[str, Effect]
) -> GroupVerdict:
    read = readability.by_group.effect(readability.groups.index(group))
    place = reliance.groups.index(group)
    used = reliance.effect(place, place)
    possible = float(reliance.possible[place])
    verdict = _choose(read, used, USED_SHARE * possible, every[group])
    winner = _find_winner(reliance, group, every) if verdict == "used but outvoted" else ""
    return GroupVerdict(group, verdict, read, used, possible, every[group], winner)


def _average_modes(study: Study, group: str) -> Effect:
    """What the results keep, averaged over the modes that ask for something of the group."""
    modes = range(len(study.asked))
    every = [study.once(measure_group_precision, mode, group).kept for mode in modes]
    known = [one for one in every if np.isfinite(one.value)]
    if not known:
        return every[0]
    value = float(np.mean([one.value for one in known]))
    return Effect.of_draws(
        value, np.mean([one.draws for one in known], axis=0), study.settings.level
    )


def _choose(read: Effect, used: Effect, used_limit: float, kept: Effect) -> VerdictName:
    if not np.isfinite([read.value, used.value, kept.value, kept.interval.high]).all():
        return "not known"
    if read.interval.high < READABLE_LIMIT:
        return "not readable"
    if kept.interval.high >= KEPT_LIMIT:
        return "fine" if kept.interval.low > KEPT_LIMIT / 2 else "not known"
    if used.interval.low > used_limit:
        return "used but outvoted"  # and so it is readable: an eraser is a linear probe as well
    surely_read = read.interval.low > READABLE_LIMIT
    return "readable but unused" if surely_read and used.interval.high < used_limit else "not known"


def _find_winner(reliance: Reliance, group: str, every: Mapping[str, Effect]) -> str:
    """Two groups may hinder each other: only the one that keeps more has won."""
    place = reliance.groups.index(group)
    found = {
        name: effect.value
        for other, name in enumerate(reliance.groups)
        if name != group
        and (effect := reliance.effect(other, place)).interval.high < 0
        and every[name].minus(every[group]).interval.low > 0
    }
    return min(found, key=lambda name: found[name]) if found else ""


_CAUSE_OF: Mapping[VerdictName, Cause] = {
    "not readable": "not readable",
    "readable but unused": "unused",
    "used but outvoted": "outvoted",
    "fine": "outvoted",
    "not known": "not known",
}


def choose_causes(study: Study) -> dict[int, Cause]:
    """For every bit column of the selection, why a result may lack it: the keyword itself cannot
    be read, or else what the verdict of its group says. What a group that is fine lacks, something
    else has won."""
    readability = study.once(measure_readability)
    verdicts = {one.group: one.verdict for one in study.once(measure_verdicts)}
    causes: dict[int, Cause] = {}
    for place, column in enumerate(readability.columns.tolist()):
        cause = _CAUSE_OF[verdicts[study.truth.words.keywords[column].group]]
        unread = readability.keywords.measured[place] and (
            readability.keywords.interval(place).high < READABLE_LIMIT
        )
        causes[column] = "not readable" if unread else cause
    return causes
