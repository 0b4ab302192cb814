"""Can a keyword be read from the vectors at all? What no probe can read, no similarity can use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from engine.base.arrays import Floats, Ints
from engine.base.messages import pluralise
from engine.stats import holm
from engine.triage.analysis import Analysis
from engine.triage.finding import Finding, Topic, make_finding_id, make_unknown
from engine.triage.study import Study
from engine.triage.wording import format_confidence, format_points
from engine.triage.workings.naming_queries import find_naming_queries
from engine.triage.workings.readability import (
    FEWEST_KEYWORD_SOURCES,
    ProbeResults,
    Readability,
    measure_readability,
)

_NAME = "readable"

READABLE_LIMIT = 0.10
"""A selectivity below this is next to nothing: it reaches from 0 to 0.5."""

_MOST_KEYWORDS = 20


@dataclass(frozen=True, slots=True)
class _Subject:
    """What one finding is about: its place in the results, who asks for it, and of how
    many it was chosen."""

    topic: Topic
    label: str
    place: int
    columns: Ints
    probes: str
    chosen_from: int
    notes: tuple[str, ...]


def find_readable(study: Study) -> Iterator[Finding]:
    """One finding for each group, and for each keyword that may not be readable.

    Groups and keywords are two families of tests: each is corrected by Holm, and the two by
    Bonferroni.
    """
    found = study.once(measure_readability)
    families = [
        (list(_list_groups(study, found)), found.by_group),
        (list(_list_keywords(study, found)), found.keywords),
    ]
    if not found.by_group.measured.any():
        yield make_unknown(
            _NAME,
            f"No keyword is in {FEWEST_KEYWORD_SOURCES} sources and missing from as many: what can "
            "be read is not known.",
            f"annotate more clips: {FEWEST_KEYWORD_SOURCES} sources with a keyword are the least",
        )
        return
    for subjects, results in families:
        p = np.minimum(1.0, len(families) * holm(results.test_below(READABLE_LIMIT)))
        for subject in subjects:
            study.beat()
            yield _describe(study, subject, results, p, found.clips)


def _list_groups(study: Study, found: Readability) -> Iterator[_Subject]:
    measured = found.by_group.measured
    unknown = [found.groups[place].replace("_", " ") for place in np.flatnonzero(~measured)]
    none = (f"Left out, all keywords are in too few sources: {', '.join(unknown)}.",)
    for place in np.flatnonzero(measured).tolist():
        topic = Topic("group", (found.groups[place],))
        own = np.flatnonzero(np.isin(found.columns, study.columns_of(found.groups[place])))
        known = found.keywords.measured[own]
        yield _Subject(
            topic,
            topic.label.capitalize(),
            place,
            found.columns[own],
            f"over {pluralise(int(known.sum()), 'keyword')}, weighted by their clips",
            1,
            _note_left_out(study, found, own[~known]) + (none if unknown else ()),
        )


def _list_keywords(study: Study, found: Readability) -> Iterator[_Subject]:
    """Those below the limit, the least readable first, and those that are wanted."""
    values = np.where(found.keywords.measured, found.keywords.selectivity, np.inf)
    measured = int(found.keywords.measured.sum())
    for rank, place in enumerate(np.argsort(values, kind="stable").tolist()):
        keyword = study.truth.words.keywords[int(found.columns[place])]
        topic = Topic("keyword", (str(keyword),))
        listed = rank < _MOST_KEYWORDS and values[place] < READABLE_LIMIT
        if listed or (
            np.isfinite(values[place]) and make_finding_id(_NAME, None, topic.names) in study.wanted
        ):
            label = f"“{topic.label}”"
            yield _Subject(topic, label, place, found.columns[[place]], "", measured, ())


def _note_left_out(study: Study, found: Readability, places: Ints) -> tuple[str, ...]:
    if not len(places):
        return ()
    words, support = study.truth.words.keywords, found.keywords.support
    named = [f"{words[int(found.columns[p])].name} ({support[p]:,})" for p in places.tolist()]
    rest = f" and {len(named) - 8} more" if len(named) > 8 else ""
    return (f"Left out, too few sources with or without it: {', '.join(named[:8])}{rest}.",)


def _describe(
    study: Study, subject: _Subject, results: ProbeResults, p: Floats, clips: int
) -> Finding:
    place = subject.place
    effect = results.effect(place)
    naming = find_naming_queries(study, subject.columns)
    auc, control = float(results.auc[place]), float(results.control[place])
    support = int(results.support[place])
    numbers = (
        f"probes have an AUC of {format_points(auc, 2)}, {format_points(effect.value, 2)} more "
        f"than those of shuffled labels ({format_confidence(effect.interval, 2)}"
        f"{'; ' if subject.probes else ''}{subject.probes})."
    )
    label = subject.label
    lowered = label if label[0] == "“" else label.lower()
    return Finding(
        analysis=_NAME,
        subject=subject.topic,
        claim=f"{subject.label} cannot be read from the vectors: linear {numbers}",
        otherwise=_say_otherwise(subject.label, effect.interval.low, numbers),
        unsure=f"Whether {lowered} can be read is open: {numbers}",
        effect=effect.value,
        unit="AUC",
        interval=effect.interval,
        p=float(p[place]),
        # What is not there cannot help: all that the queries lack is the most it may cost.
        cost=-naming.shortfall / READABLE_LIMIT,
        limit=READABLE_LIMIT,
        most_harm=naming.shortfall,
        support=support,
        support_of="clip",
        share=naming.share,
        chosen_from=subject.chosen_from,
        evidence=naming.shown,
        remedy="train or choose an embedding that sees it: no other similarity, index or wording "
        "of the queries can bring back what the vectors do not hold",
        numbers=(("auc", auc), ("auc_shuffled", control), ("limit", READABLE_LIMIT)),
        notes=subject.notes + _note_sample(study, clips),
        draws=effect.draws,
    )


def _say_otherwise(label: str, low: float, numbers: str) -> str:
    if low > READABLE_LIMIT:
        return f"{label} can be read from the vectors: linear {numbers}"
    return f"{label} costs nothing, as the queries lack too little, read or not: {numbers}"


def _note_sample(study: Study, clips: int) -> tuple[str, ...]:
    total = len(study.collection)
    return (f"A sample of {clips:,} of {total:,} clips.",) if clips < total else ()


READABLE_KEYWORDS = Analysis(
    _NAME,
    "Can each keyword be read from the vectors?",
    "Selectivity: the AUC of linear probes (ridge, Ledoit and Wolf's shrinkage) on clips of other "
    "sources, less the AUC of probes of shuffled labels; not readable: below "
    f"{READABLE_LIMIT:.2f}, tested by source.",
    f"Keywords in at least {FEWEST_KEYWORD_SOURCES} sources.",
    find_readable,
)
