"""What is said of a triage as a whole: what its metric is, and whether there is anything to explain
beyond chance."""

from __future__ import annotations

import math
from collections.abc import Sequence

from engine.base.errors import InputError
from engine.metrics import Measure, find_profile
from engine.report.tables.numbers import format_number, format_percent
from engine.report.triage.tables import format_range
from engine.triage.analyses.ceiling import Shortfall
from engine.triage.saved_triage import SavedShortfall, SavedTriage

_PROFILE = "alfa"
"""The profile in which most people know the metric; its name there differs from the id."""


def describe_measure(measure: str) -> str:
    """The formula of the metric, and its name in the usual profile; empty if it is unknown.

    >>> describe_measure("P@5")
    'P@5 = hits among the first 5 / 5 (Recall@5 in the profile alfa)'
    """
    try:
        parsed = Measure.parse(measure)
    except InputError:
        return ""
    k, label = parsed.cutoff, find_profile(_PROFILE).label(parsed)
    is_precision = parsed.definition.pattern == "P@k"
    formula = f"hits among the first {k} / {k}" if is_precision else parsed.formula
    known = f" ({label} in the profile {_PROFILE})" if label != measure else ""
    return f"{measure} = {formula}{known}"


def list_chance_notes(shortfalls: Sequence[Shortfall | SavedShortfall], level: float) -> list[str]:
    """A sentence for every mode whose results are not surely better than chance."""
    return [
        f"{one.mode.capitalize()} results are {said}: the findings on {one.mode} queries say little"
        for one in shortfalls
        if (said := _compare_with_chance(one, level))
    ]


def _compare_with_chance(one: Shortfall | SavedShortfall, level: float) -> str:
    mean, low, chance = one.mean.value, one.mean.interval.low, format_number(one.chance)
    if mean <= one.chance:
        return f"no better than chance ({format_number(mean)} against {chance})"
    if math.isfinite(low) and low <= one.chance:
        ends = f"{format_percent(level)} CI {format_range(one.mean.interval)}"
        return f"not surely better than chance ({format_number(mean)}, {ends}, against {chance})"
    return ""


def list_other_notes(found: SavedTriage) -> list[str]:
    """The notes but for those that stand below the shortfall."""
    said = list_chance_notes(found.shortfalls, found.level)
    return [note for note in found.notes if note not in said]
