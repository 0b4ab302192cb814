"""What of an answer goes into a saved session."""

from __future__ import annotations

import math
from collections.abc import Iterable

from engine.keywords.inspection import Inspection, MetricPair
from engine.metrics import Profile, find_profile
from engine.sessions import Answer, MetricValue


def build_answer(
    inspection: Inspection,
    clips: int,
    pairs: Iterable[MetricPair] = (),
    language: Profile | None = None,
) -> Answer:
    """The question, its first `clips` results and its metrics, as plain values."""
    language = language or find_profile("alfa")
    rows = inspection.rows[:clips].tolist()
    short = inspection.policies.fewer_than_k
    return Answer(
        question=inspection.question,
        keywords=tuple(map(str, inspection.keywords)),
        clips=tuple(inspection.collection.truth.ids[row] for row in rows),
        scores=tuple(inspection.similarities[: len(rows)].astype(float).tolist()),
        relevant=inspection.relevant,
        collection=inspection.reachable,
        metrics=tuple(
            MetricValue(
                id=str(pair.measure),
                label=language.label(pair.measure),
                formula=pair.measure.formula_for(short),
                published=_plain(pair.published),
                adjudicated=_plain(pair.adjudicated),
            )
            for pair in pairs
        ),
    )


def _plain(value: float) -> float | None:
    return value if math.isfinite(value) else None
