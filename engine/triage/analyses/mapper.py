"""The mapper: what it costs that keywords are read from texts, and which texts it trips over."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.base.arrays import Floats
from engine.base.messages import pluralise
from engine.stats import sign_flip
from engine.triage.analysis import Analysis
from engine.triage.finding import Exhibit, Finding, Topic, make_unknown
from engine.triage.study import Study
from engine.triage.wording import format_confidence, format_points
from engine.triage.workings.mapper_facts import (
    note_sample,
    state_certified,
    state_thresholds,
    state_unexplained,
)
from engine.triage.workings.mapper_thresholds import MOST_MISSED, measure_thresholds
from engine.triage.workings.misread_texts import (
    MAPPER,
    describe_empty,
    find_empty_queries,
    find_misread,
    find_near_misses,
)
from engine.triage.workings.text_readings import TextReadings, map_queries, measure_under

_MOST_SHOWN = 10
_MOST_EMPTY = 10


def find_mapper(study: Study) -> Iterator[Finding]:
    """What reading costs, which is tested; and facts about thresholds, words and single texts."""
    readings = study.once(map_queries)
    if readings is None:
        yield make_unknown(
            MAPPER, "No text is asked, so there is nothing to map.", "ask text queries: --queries"
        )
        return
    loss = measure_reading_loss(study)
    yield _describe_loss(study, readings, loss)
    curve = study.once(measure_thresholds)
    if curve is not None:
        yield state_thresholds(study, readings, curve)
        yield state_certified(readings, curve)
    yield state_unexplained(readings)
    empty = find_empty_queries(study, readings)
    for place, bits in empty[:_MOST_EMPTY]:
        yield describe_empty(study, readings, place, bits)
    told = {place for place, _ in empty}
    for place, finding in find_misread(study, readings, loss, set(told)):
        told.add(place)
        yield finding
    yield from find_near_misses(study, readings, told)


def measure_reading_loss(study: Study) -> Floats:
    """(t,) m under the given keywords − m under those that the mapper reads; 0 is the m of what no
    clip has. NaN: no keywords were given, or no clip has those."""
    readings = study.once(map_queries)
    if readings is None:
        return np.empty(0)
    given = readings.asked.values[readings.rows]
    read = np.nan_to_num(measure_under(readings, study, readings.rows, readings.read))
    return np.where(readings.labelled, given - read, np.nan)


def _describe_loss(study: Study, readings: TextReadings, loss: Floats) -> Finding:
    known = np.isfinite(loss)
    if not known.any():
        return make_unknown(
            MAPPER,
            "No text query has keywords that a person gave and that some clip has: what reading "
            "them costs is not known.",
            "give the keywords of some queries in the query file, in the column “keywords”",
            mode="text",
        )
    asked, measure = readings.asked, study.settings.measure
    whole = np.full(len(asked), np.nan)
    whole[readings.rows] = loss
    effect = study.resamples(asked).mean(whole)
    test = sign_flip(
        loss[known].round(9),
        resamples=study.choose_permutations(1),
        seed=int(study.make_rng("mapper").integers(2**31)),
        alternative="greater",
        clusters=asked.clusters[readings.rows[known]],
    )
    count = int(known.sum())
    exact = float((readings.used == readings.read).all(axis=1)[known].mean())
    numbers = (
        f"{format_points(effect.value)} of {measure} ({format_confidence(effect.interval)}) on "
        f"{pluralise(count, 'query')} with given keywords, of which the mapper reads "
        f"{100 * exact:.0f} % exactly."
    )
    return Finding(
        analysis=MAPPER,
        subject=Topic("model"),
        mode="text",
        claim=f"Reading the keywords from the texts costs {numbers}",
        otherwise=f"Reading the keywords from the texts costs nothing: {numbers}",
        unsure="Whether reading the keywords from the texts costs anything cannot be told: "
        f"{numbers}",
        effect=effect.value,
        unit=measure,
        interval=effect.interval,
        p=test.p,
        cost=1.0,
        support=count,
        share=count / int(np.count_nonzero(asked.counted)),
        evidence=_show(readings, loss),
        remedy="teach the mapper the words of the queries that lose most, or give their keywords "
        "in the query file",
        numbers=(("read exactly", exact),),
        notes=note_sample(readings) + study.note_permutations(1, study.choose_permutations(1)),
        draws=effect.draws,
    )


def _show(readings: TextReadings, loss: Floats) -> Exhibit:
    order = np.argsort(-np.nan_to_num(loss), kind="stable")[:_MOST_SHOWN]
    return Exhibit(tuple(readings.texts[place] for place in order.tolist() if loss[place] > 0))


MAPPER_COST = Analysis(
    MAPPER,
    "Are the keywords of the text queries those that are meant?",
    "m under given keywords minus m under those that the mapper reads (clustered sign flips), the "
    "same at every threshold, and the largest threshold with n/(n + 1) · missed + 1/(n + 1) ≤ "
    f"{MOST_MISSED:g} (conformal risk control).",
    "Text queries; for what reading costs, some with given keywords.",
    find_mapper,
)
