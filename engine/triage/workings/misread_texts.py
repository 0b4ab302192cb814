"""Single texts that the mapper or its threshold trips over: what is asked of which no clip is, what
is read otherwise than it was meant, and what nearly counted."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.base.arrays import Floats, Ints
from engine.base.messages import pluralise
from engine.dataset.clip_set import BitWords
from engine.triage.finding import Exhibit, Finding, Topic
from engine.triage.study import Study, unpack_columns
from engine.triage.wording import format_points
from engine.triage.workings.text_readings import (
    TextReadings,
    count_relevant,
    measure_under,
    pack_columns,
)

MAPPER = "mapper"

NEAR = 0.2
"""A keyword is a near miss if so little more would have made it count."""

_MOST = 10


def find_empty_queries(study: Study, readings: TextReadings) -> list[tuple[int, BitWords]]:
    """Texts with keywords that no clip has together: as they count in the study, or else as the
    mapper reads them."""
    found: list[tuple[int, BitWords]] = []
    for bits in (readings.used, readings.read):
        empty = bits.any(axis=1) & (count_relevant(study, bits) == 0)
        known = {place for place, _ in found}
        found += [(p, bits[p]) for p in np.flatnonzero(empty).tolist() if p not in known]
    return sorted(found, key=lambda pair: pair[0])


def describe_empty(study: Study, readings: TextReadings, place: int, bits: BitWords) -> Finding:
    """Which keyword to drop, so that there are clips again: that without which most clips are."""
    words = study.truth.words.named(bits)
    left = [
        study.truth.relevant([w for w in words if w != word]).count if len(words) > 1 else 0
        for word in words
    ]
    best = int(np.argmax(left))
    label, text = Topic("keyword", tuple(map(str, words))).label, readings.texts[place]
    read = "" if (bits == readings.used[place]).all() else ", as the mapper reads it"
    if left[best]:
        rest = f"without “{words[best].name}” {pluralise(left[best], 'clip')} would be relevant"
        remedy = f"leave “{words[best].name}” out of the query, or annotate clips that have it"
    else:
        rest = "nor would any be relevant with one of them left out"
        remedy = "ask for less, or annotate clips that have these keywords"
    return _state(
        study,
        readings,
        place,
        f"No clip has all keywords of “{text}” ({label}{read}): {rest}.",
        float(left[best]),
        "clips",
        remedy,
    )


def find_misread(
    study: Study, readings: TextReadings, loss: Floats, skip: set[int]
) -> Iterator[tuple[int, Finding]]:
    """The labelled texts that lose most by how they are read. `loss` is m as given − m as read."""
    order = np.argsort(-np.nan_to_num(loss), kind="stable")[:_MOST]
    for place in order.tolist():
        if not loss[place] > 0 or place in skip:
            continue
        text, row = readings.texts[place], readings.rows[place]
        given, read = (_label(study, one[place]) for one in (readings.used, readings.read))
        value = float(readings.asked.values[row])
        now, instead = format_points(value - float(loss[place])), format_points(value)
        yield (
            place,
            _state(
                study,
                readings,
                place,
                f"“{text}” is read as {read}, not as {given}: {study.settings.measure} {now} "
                f"instead of {instead}.",
                float(loss[place]),
                study.settings.measure,
                "teach the mapper what the words mean: add a synonym, or correct the keywords of "
                "this query in the inspector",
                cost=1.0,
            ),
        )


def find_near_misses(study: Study, readings: TextReadings, skip: set[int]) -> Iterator[Finding]:
    """Keywords just below the threshold that would change m, those that would most first; one for
    each text."""
    columns = study.selection.columns
    near = (readings.scores < readings.threshold) & (readings.scores >= readings.threshold - NEAR)
    near &= ~unpack_columns(readings.read, columns)
    place, column = np.nonzero(near)
    if not len(place):
        return
    with_it = unpack_columns(readings.read, columns)[place]
    with_it[np.arange(len(place)), column] = True
    bits, rows = pack_columns(with_it, columns, study), readings.rows[place]
    old_bits = readings.read[place]
    old, new = (np.nan_to_num(measure_under(readings, study, rows, b)) for b in (old_bits, bits))
    before, after = count_relevant(study, old_bits), count_relevant(study, bits)
    seen = set(skip)
    for pair in np.argsort(-np.abs(new - old), kind="stable").tolist():
        text = int(place[pair])
        if abs(new[pair] - old[pair]) < 1e-9 or len(seen) - len(skip) >= _MOST:
            return
        if text in seen:
            continue
        seen.add(text)
        keyword = study.selection.keywords[int(column[pair])]
        score = float(readings.scores[text, column[pair]])
        yield _state(
            study,
            readings,
            text,
            f"“{keyword.name}” ({score:.2f}) is just below the threshold of "
            f"{readings.threshold:.2f} in “{readings.texts[text]}”: with it "
            f"{study.settings.measure} would be {format_points(float(new[pair]))} instead of "
            f"{format_points(float(old[pair]))}, and {pluralise(int(after[pair]), 'clip')} "
            f"relevant instead of {before[pair]:,}.",
            float(new[pair] - old[pair]),
            study.settings.measure,
            f"if “{keyword.name}” is meant, say it in the query or give its keywords",
        )


def _label(study: Study, bits: BitWords) -> str:
    words = study.truth.words.named(bits)
    return Topic("keyword", tuple(map(str, words))).label or "no keyword"


def _state(
    study: Study,
    readings: TextReadings,
    place: int,
    claim: str,
    effect: float,
    unit: str,
    remedy: str,
    cost: float = 0.0,
) -> Finding:
    """A fact about one text."""
    text = readings.texts[place]
    top: Ints = readings.asked.judged.ranking.indices[readings.rows[place], : study.settings.k]
    clips = tuple(study.truth.ids[row] for row in top.tolist() if row >= 0)
    return Finding(
        analysis=MAPPER,
        subject=Topic("query", (text,)),
        mode="text",
        claim=claim,
        otherwise=claim,
        effect=effect,
        unit=unit,
        cost=cost,
        support=1,
        share=1 / len(readings),
        chosen_from=len(readings),
        evidence=Exhibit((text,), clips),
        remedy=remedy,
        outcome="fact",
    )
