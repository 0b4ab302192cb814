"""Ceiling and chance: how much of m is possible, and what the rest is lost to.

The shortfall of a mode is 1 − the mean of m. Of a query with R relevant clips and h hits among its
first k results

    too few    (k − min(R, k)) / k         no ranking has more hits than there are relevant clips
    missed     (min(R, k) − h) / k         what is left

The mean of what was missed is first lessened by what the index loses, then divided: each wrong
result counts equally, so does each keyword of the query that it lacks, and a keyword counts as its
group's verdict says, unless the keyword itself cannot be read. So the shares add up to the
shortfall. Keywords that a person gave leave nothing for the mapper to lose. Where it found them
itself nobody knows what it lost, so its share is 0 and a note says of how many queries; the
analysis `mapper` measures it on queries that have both.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from engine.base.arrays import Floats
from engine.base.choices import Mode
from engine.base.json_text import nan_to_none
from engine.base.messages import pluralise
from engine.base.ranking import NO_ITEM
from engine.triage.analyses.index import measure_index_loss
from engine.triage.analysis import Analysis
from engine.triage.effect import Effect
from engine.triage.finding import Finding, Topic, make_unknown
from engine.triage.mode_queries import ModeQueries
from engine.triage.study import Study, unpack_columns
from engine.triage.verdicts import Cause, choose_causes
from engine.triage.wording import format_points

Loss: TypeAlias = Literal["too few", "mapper", "index"] | Cause
"""What a part of the shortfall is lost to."""

LOSSES: dict[Loss, str] = {
    "too few": "too few relevant clips exist",
    "mapper": "lost by the mapper",
    "index": "lost by the index",
    "not readable": "not readable from the vectors",
    "unused": "readable but unused",
    "outvoted": "used but outvoted",
    "not known": "for reasons not known",
}
"""In words, as they are shown."""

_MISSING: tuple[Cause, ...] = ("not readable", "unused", "outvoted", "not known")


@dataclass(frozen=True, slots=True, eq=False)
class Shortfall:
    """What the mean of m of a mode lacks to 1, in parts that add up to it.

    mean     of m, over the queries that count
    ceiling  the best that any ranking could have
    chance   what random rankings would have
    parts    in the order of `LOSSES`
    """

    mode: Mode
    queries: int
    mean: Effect
    ceiling: float
    chance: float
    parts: tuple[tuple[Loss, Effect], ...]

    @property
    def total(self) -> float:
        return 1.0 - self.mean.value

    def dump(self) -> dict[str, Any]:
        """As plain values, for documents."""
        return {
            "mode": self.mode,
            "queries": self.queries,
            "mean": nan_to_none(self.mean.value),
            "interval": [nan_to_none(x) for x in (self.mean.interval.low, self.mean.interval.high)],
            "ceiling": nan_to_none(self.ceiling),
            "chance": nan_to_none(self.chance),
            "shortfall": nan_to_none(self.total),
            "parts": [
                {
                    "cause": LOSSES[cause],
                    "points": nan_to_none(part.value),
                    "interval": [nan_to_none(x) for x in (part.interval.low, part.interval.high)],
                }
                for cause, part in self.parts
            ],
        }


def measure_shortfalls(study: Study) -> tuple[Shortfall, ...]:
    """Of every mode."""
    return tuple(_measure(study, asked) for asked in study.asked if asked.counted.any())


def _measure(study: Study, asked: ModeQueries) -> Shortfall:
    k, judged = study.settings.k, asked.judged
    resamples = study.resamples(asked)
    possible = np.minimum(judged.relevant, k) / k
    chance = study.chance_of(asked)
    counted = asked.counted
    missed = np.where(counted, possible - np.nan_to_num(asked.values), 0.0)
    index = _measure_index(study, asked)
    whole = float(missed[counted].sum())
    kept = 1.0 - min(1.0, index * int(counted.sum()) / whole) if whole > 0 else 0.0
    shares = divide_misses(study, asked) * missed[:, None]
    columns: dict[Loss, Floats] = {
        "too few": 1.0 - possible,
        "mapper": np.zeros(len(asked)),
        "index": missed * (1.0 - kept),
    }
    columns |= {cause: shares[:, n] * kept for n, cause in enumerate(_MISSING)}
    parts = tuple(
        (cause, resamples.mean(np.where(counted, values, np.nan)))
        for cause, values in columns.items()
    )
    return Shortfall(
        mode=asked.mode,
        queries=int(np.count_nonzero(counted)),
        mean=resamples.mean(asked.values),
        ceiling=float(possible[counted].mean()),
        chance=float(chance[counted].mean()),
        parts=parts,
    )


def _measure_index(study: Study, asked: ModeQueries) -> float:
    """Points of m that the index loses; an index that gains by chance loses nothing."""
    lost = study.once(measure_index_loss, study.asked.index(asked))
    return 0.0 if lost is None or math.isnan(lost.points.value) else max(0.0, lost.points.value)


def divide_misses(study: Study, asked: ModeQueries) -> Floats:
    """(q, 4) which shares of what a query missed are not readable, unused, outvoted, not known.

    Of a query without wrong results, or whose wrong results lack nothing that is known, all is
    outvoted: something else stood nearer.
    """
    columns = study.selection.columns
    causes = study.once(choose_causes)
    place = {cause: number for number, cause in enumerate(_MISSING)}
    weights = np.zeros((len(columns), len(_MISSING)))
    weights[np.arange(len(columns)), [place[causes[c]] for c in columns.tolist()]] = 1.0
    wanted = unpack_columns(asked.queries.bits, columns)
    rows, hits = asked.top(study.settings.k)
    shares = np.zeros((len(asked), len(_MISSING)))
    for piece in study.pieces(len(asked), 512):
        wrong = ~hits[piece] & (rows[piece] != NO_ITEM)
        has = unpack_columns(study.truth.bits[rows[piece].ravel()], columns)
        lacking = wanted[piece][:, None, :] & ~has.reshape(*wrong.shape, -1) & wrong[..., None]
        counts = lacking.sum(axis=2, keepdims=True)
        each = np.divide(lacking, counts, where=counts > 0, out=np.zeros(lacking.shape))
        shares[piece] = each.sum(axis=1) @ weights
    totals = shares.sum(axis=1, keepdims=True)
    found: Floats = np.divide(shares, totals, where=totals > 0, out=np.zeros_like(shares))
    found[totals[:, 0] == 0, place["outvoted"]] = 1.0
    return found


def find_ceiling(study: Study) -> Iterator[Finding]:
    """One fact per mode: it is not tested, it is counted."""
    every = {found.mode: found for found in study.once(measure_shortfalls)}
    for asked in study.asked:
        if found := every.get(asked.mode):
            yield _describe(study, found, asked.queries.mapped)
        else:
            yield make_unknown(
                "ceiling",
                f"What is possible cannot be told: no {asked.mode} query has a relevant clip.",
                "annotate more clips, or ask for keywords that some clip has",
                mode=asked.mode,
            )


def _describe(study: Study, found: Shortfall, mapped: int) -> Finding:
    measure = study.settings.measure
    lost = sorted(
        (part for part in found.parts if part[1].value >= 0.0005),
        key=lambda part: -part[1].value,
    )
    named = ", ".join(f"{format_points(part.value)} {LOSSES[cause]}" for cause, part in lost)
    claim = (
        f"{measure} of {pluralise(found.queries, f'{found.mode} query')} is "
        f"{format_points(found.mean.value)}, by chance {format_points(found.chance)}, at best "
        f"{format_points(found.ceiling)}"
        + (f"; it lacks {format_points(found.total)}: {named}." if lost else ".")
    )
    return Finding(
        analysis="ceiling",
        subject=Topic("model"),
        mode=found.mode,
        claim=claim,
        otherwise=claim,
        effect=found.mean.value,
        unit=measure,
        interval=found.mean.interval,
        draws=found.mean.draws,
        cost=-1.0,
        support=found.queries,
        share=1.0,
        remedy=_advise(found),
        numbers=(
            ("mean", found.mean.value),
            ("ceiling", found.ceiling),
            ("chance", found.chance),
            *((LOSSES[cause], part.value) for cause, part in found.parts),
        ),
        notes=_note_mapped(mapped),
        outcome="fact",
    )


def _note_mapped(mapped: int) -> tuple[str, ...]:
    if not mapped:
        return ()
    return (
        f"The mapper found the keywords of {pluralise(mapped, 'query')}: its share is unknown.",
    )


_REMEDIES: dict[Loss, str] = {
    "too few": "annotate more clips, or ask for fewer keywords at once",
    "mapper": "give the keywords of the queries, or teach the mapper their phrases",
    "index": "search exactly, or tune the index until its recall is enough",
    "not readable": "train with examples of these keywords: the vectors do not hold them",
    "unused": "weigh what is readable: fine-tune the similarity, or add a head for these keywords",
    "outvoted": "add hard negatives that differ in these keywords alone",
    "not known": "annotate more clips, until the verdict of each keyword group is known",
}


def _advise(found: Shortfall) -> str:
    cause, part = max(found.parts, key=lambda one: one[1].value)
    return _REMEDIES[cause] if part.value > 0 else ""


CEILING = Analysis(
    "ceiling",
    "How much is possible at all, and what is the rest lost to?",
    "best = mean of min(R, k) / k, chance = mean of R / N; the shortfall 1 − mean m split into "
    "shares that add up, by what the wrong results lack.",
    "One query with a relevant clip.",
    find_ceiling,
)
