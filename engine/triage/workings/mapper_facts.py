"""What is not tested about the mapper: its threshold, and the words that it cannot place."""

from __future__ import annotations

import numpy as np

from engine.base.messages import pluralise
from engine.text.mapping.unexplained import count_unexplained
from engine.triage.finding import Exhibit, Finding, Topic
from engine.triage.study import Study
from engine.triage.wording import format_points
from engine.triage.workings.mapper_thresholds import (
    MOST_MISSED,
    ThresholdCurve,
    certify_threshold,
    count_needed_labels,
)
from engine.triage.workings.misread_texts import MAPPER
from engine.triage.workings.text_readings import TextReadings

_MOST_SHOWN = 10
_MOST_WORDS = 5


def note_sample(readings: TextReadings) -> tuple[str, ...]:
    """Which texts were mapped, if not all."""
    total = len(readings.asked)
    if len(readings) == total:
        return ()
    return (f"A sample of {len(readings):,} of {total:,} texts was mapped.",)


def state_thresholds(study: Study, readings: TextReadings, curve: ThresholdCurve) -> Finding:
    """m and exact readings at the threshold, and at the one that reads most texts exactly."""
    measure, best = study.settings.measure, _choose_best(curve)
    exact = float(curve.exact[best])
    claim = (
        f"At the mapper's threshold of {curve.own:.2f}, {100 * curve.own_exact:.0f} % of "
        f"{pluralise(curve.queries, 'query')} with given keywords are read exactly and {measure} "
        f"is {format_points(curve.own_value)}; "
    )
    if exact <= curve.own_exact:
        claim += "no other threshold reads more of them exactly."
    else:
        nearest = int(np.argmin(np.abs(curve.shown - curve.thresholds[best])))
        claim += (
            f"at {curve.thresholds[best]:.2f}, the best of all, {100 * exact:.0f} % are, and "
            f"{measure} is {format_points(float(curve.values[nearest]))}."
        )
    return _state(
        readings,
        ("threshold",),
        claim,
        exact - curve.own_exact,
        "share of queries",
        curve.queries,
        "choose a threshold in dataset.toml: [mapper] threshold",
        (
            *(
                (f"{measure} at {t:.2f}", float(v))
                for t, v in zip(curve.shown.tolist(), curve.values.tolist(), strict=True)
            ),
            *(
                (f"exact at {t:.2f}", float(curve.exact[np.argmin(np.abs(curve.thresholds - t))]))
                for t in curve.shown.tolist()
            ),
        ),
    )


def _choose_best(curve: ThresholdCurve) -> int:
    """Of equally good thresholds that nearest to the mapper's own."""
    ways = np.lexsort((np.abs(curve.thresholds - curve.own), -curve.exact))
    return int(ways[0])


def state_certified(readings: TextReadings, curve: ThresholdCurve) -> Finding:
    """The largest threshold that labelled queries can vouch for, or how many of them it takes."""
    n, most = curve.queries, f"{100 * MOST_MISSED:.0f} %"
    found = certify_threshold(curve.thresholds, curve.missed, n, MOST_MISSED)
    own = (
        f"of their keywords {100 * curve.own_missed:.1f} % are missed at the mapper's "
        f"{curve.own:.2f}"
    )
    labelled = f"{pluralise(n, 'query')} with given keywords"
    needed = count_needed_labels(float(curve.missed[0]), MOST_MISSED)
    if found is not None:
        claim = (
            f"A threshold of up to {found:.2f} misses no more than {most} of the keywords that are "
            f"meant, as far as {labelled} can vouch for it; {own}."
        )
        remedy = (
            f"keep the threshold at or below {found:.2f}"
            if curve.own > found
            else "the threshold can stay as it is"
        )
    elif needed:
        claim = (
            f"No threshold is sure to miss at most {most} of the keywords that are meant: "
            f"{labelled} are too few to vouch for one, {needed:,} would do; {own}."
        )
        remedy = f"give the keywords of at least {needed:,} queries"
    else:
        claim = (
            f"No threshold misses at most {most} of the keywords that are meant: even the lowest "
            f"misses {100 * float(curve.missed[0]):.1f} % in {labelled}; {own}."
        )
        remedy = "teach the mapper the words that it does not know"
    return _state(
        readings,
        ("certified threshold",),
        claim,
        found if found is not None else float("nan"),
        "threshold",
        n,
        remedy,
        (("missed at the threshold", curve.own_missed), ("most that may be missed", MOST_MISSED)),
        needed if found is None else 0,
    )


def state_unexplained(readings: TextReadings) -> Finding:
    """The words of content that no keyword explains."""
    found = count_unexplained(mapping.unexplained for mapping in readings.mappings)
    texts = pluralise(found.mapped, "text query")
    if found.queries:
        words = ", ".join(f"{word} ({count:,})" for word, count in found.words[:_MOST_WORDS])
        more = len(found.words) - _MOST_WORDS
        rest = f" and {more:,} more" if more > 0 else ""
        claim = f"No keyword explains some words of {found.queries:,} of {texts}: {words}{rest}."
    else:
        claim = f"Every word of content in {texts} is explained by a keyword."
    saying = tuple(
        text
        for text, mapping in zip(readings.texts, readings.mappings, strict=True)
        if mapping.unexplained
    )
    return _state(
        readings,
        ("unexplained words",),
        claim,
        found.share,
        "share of queries",
        found.mapped,
        "add synonyms for words that mean a keyword; the others are about what nobody annotated",
        evidence=Exhibit(saying[:_MOST_SHOWN]),
    )


def _state(
    readings: TextReadings,
    about: tuple[str, ...],
    claim: str,
    effect: float,
    unit: str,
    support: int,
    remedy: str,
    numbers: tuple[tuple[str, float], ...] = (),
    needed: int = 0,
    evidence: Exhibit = Exhibit(),  # noqa: B008 (a frozen value)
) -> Finding:
    """A fact about the mapper."""
    return Finding(
        analysis=MAPPER,
        subject=Topic("model", about),
        mode="text",
        claim=claim,
        otherwise=claim,
        effect=effect,
        unit=unit,
        support=support,
        share=support / len(readings),
        needed=needed,
        evidence=evidence,
        remedy=remedy,
        numbers=numbers,
        notes=note_sample(readings),
        outcome="fact",
    )
