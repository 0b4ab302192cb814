"""Does the similarity use what the vectors say of a group? Erase it, search again, and see."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.base.arrays import Floats
from engine.base.messages import pluralise
from engine.stats import holm
from engine.triage.analysis import Analysis
from engine.triage.finding import Finding, Topic, make_unknown
from engine.triage.study import Study
from engine.triage.wording import format_confidence, format_points
from engine.triage.workings.learned_halves import FEWEST_CLIPS
from engine.triage.workings.naming_queries import find_naming_queries
from engine.triage.workings.reliance import Reliance, measure_reliance

_NAME = "used"

USED_SHARE = 0.10
"""A group that owes less than this share of what it could to its own directions is hardly used."""

_FEWEST_SOURCES = 10
"""Halves of fewer are the same few over and over: what they agree on may be theirs alone."""


def find_used(study: Study) -> Iterator[Finding]:
    """One finding for each group that could be measured."""
    found = study.once(measure_reliance)
    limits = found.limits_of(USED_SHARE)
    known = np.flatnonzero(np.isfinite(found.own) & (found.possible > 0))
    if not len(known):
        yield make_unknown(
            _NAME,
            "Whether the similarity uses the keywords is not known: too few clips share theirs.",
            f"annotate more clips: halves of {FEWEST_CLIPS} of different sources are the least",
        )
        return
    if found.sources < _FEWEST_SOURCES:
        yield make_unknown(
            _NAME,
            f"Whether the similarity uses the keywords is not known: the clips are of "
            f"{pluralise(found.sources, 'source')}, {_FEWEST_SOURCES} are the least to tell by.",
            f"study clips of at least {_FEWEST_SOURCES} sources",
        )
        return
    p = holm(found.test_below(limits))
    for place in known.tolist():
        study.beat()
        yield _describe(study, found, place, float(limits[place]), p)


def _describe(study: Study, found: Reliance, place: int, limit: float, p: Floats) -> Finding:
    group = found.groups[place]
    effect = found.effect(place, place)
    naming = find_naming_queries(study, study.columns_of(group))
    topic = Topic("group", (group,))
    measure, before = study.settings.measure, float(found.before[place])
    numbers = (
        f"erasing it costs {format_points(effect.value, 2)} of its own {measure} of "
        f"{format_points(before, 2)}, beyond the control ({format_confidence(effect.interval, 2)})"
    )
    support = int(found.queries[place])
    return Finding(
        analysis=_NAME,
        subject=topic,
        claim=f"{topic.label.capitalize()} is hardly used by the similarity: {numbers}.",
        otherwise=_say_otherwise(topic.label, numbers, effect.interval.low > limit),
        unsure=f"Whether {topic.label} is used by the similarity is open: {numbers}.",
        effect=effect.value,
        unit=measure,
        interval=effect.interval,
        p=float(p[place]),
        # What the similarity does not look at cannot help: what queries lack is the most it costs.
        cost=-naming.shortfall / limit,
        limit=limit,
        most_harm=naming.shortfall,
        support=support,
        support_of="clip",
        share=naming.share,
        evidence=naming.shown,
        remedy="if it can be read from the vectors, learn a projection that weighs it more, or "
        "train with pairs that differ in it alone",
        numbers=_list_numbers(found, place, limit),
        notes=_note(study, found),
        draws=effect.draws,
    )


def _say_otherwise(label: str, numbers: str, used: bool) -> str:
    if used:
        return f"{label.capitalize()} is used by the similarity: {numbers}."
    return (
        f"{label.capitalize()} costs nothing, as the queries lack too little, used or not: "
        f"{numbers}."
    )


def _list_numbers(found: Reliance, place: int, limit: float) -> tuple[tuple[str, float], ...]:
    """Beside its own, what erasing the group costs each other group."""
    others = [
        (f"costs {name}", float(found.reliance[place, other]))
        for other, name in enumerate(found.groups)
        if other != place
    ]
    return (
        ("before", float(found.before[place])),
        ("chance", float(found.chance[place])),
        ("ceiling", float(found.ceiling[place])),
        ("drop", float(found.drop[place, place])),
        ("control", float(found.control[place, place])),
        ("limit", limit),
        *others,
    )


def _note(study: Study, found: Reliance) -> tuple[str, ...]:
    total = len(study.collection)
    left_out = [
        name.replace("_", " ")
        for name, value in zip(found.groups, found.own.tolist(), strict=True)
        if not np.isfinite(value)
    ]
    notes = []
    if left_out:
        notes.append(f"Left out, too few clips share their keywords: {', '.join(left_out)}.")
    if found.clips < total:
        notes.append(f"A sample of {found.clips:,} of {total:,} clips was searched in each split.")
    return tuple(notes)


USED = Analysis(
    _NAME,
    "Does the similarity use what the vectors say of each group?",
    "Reliance: erase the group linearly (LEACE, learned from one half of the sources), search the "
    "other half again; the drop of the group's own P@k, less the drop when shuffled labels are "
    f"erased; hardly used: below {USED_SHARE:.2f} of what a perfect similarity could owe to it.",
    f"Clips that share keywords, of at least {_FEWEST_SOURCES} sources.",
    find_used,
)
