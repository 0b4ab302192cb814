"""Label scores made of rankings that a test writes down, so that every hit can be counted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.labels.data.directions import Direction
from engine.labels.data.level import LabelLevel
from engine.labels.scoring.label_confusion import LabelConfusion
from engine.labels.scoring.label_run import LabelRun, LabelScore
from engine.metrics.policies import LABEL_POLICIES, Policies

ACROSS = Direction("text", "sensor")
BACK = Direction("sensor", "text")
WITHIN = Direction("sensor", "sensor")
PROTOTYPES = Direction("prototype", "sensor")


def ranked(
    labels: Sequence[str],
    rankings: Sequence[Sequence[int]],
    ks: Sequence[int],
    *,
    direction: Direction = ACROSS,
    asked: Sequence[str] | None = None,
    policies: Policies | None = None,
) -> LabelScore:
    """The score of queries that found these rows, best first. `asked` are the queries' labels,
    which are the items' own unless prototypes ask."""
    level = LabelLevel.of("label", labels)
    asked = labels if asked is None else asked
    own = int(direction.is_self)
    hits = [
        [sum(labels[row] == label for row in rows[:k]) for k in ks]
        for label, rows in zip(asked, rankings, strict=True)
    ]
    codes = level.codes_of(asked)
    found = level.codes[np.array(rankings)]
    return LabelScore(
        direction=direction,
        level=level,
        ks=tuple(ks),
        names=tuple(f"q{row}" for row in range(len(asked))),
        codes=codes,
        hits=np.array(hits, np.int64),
        relevant=np.array([labels.count(label) - own for label in asked], np.int64),
        reachable=len(labels) - own,
        confusion=tuple(LabelConfusion.count(codes, found[:, :k], len(level.names)) for k in ks),
        policies=policies or LABEL_POLICIES,
    )


def with_hits(
    labels: Sequence[str],
    hits: Sequence[int],
    k: int,
    *,
    direction: Direction = ACROSS,
    asked: Sequence[str] | None = None,
    instead: str | None = None,
) -> LabelScore:
    """The score at one K of queries with so many hits each; wrong places go to the first items of
    other labels, or of the label `instead`."""
    rankings = []
    for query, (label, wanted) in enumerate(zip(asked or labels, hits, strict=True)):
        rows = [row for row in range(len(labels)) if not (direction.is_self and row == query)]
        right = [row for row in rows if labels[row] == label]
        wrong = [row for row in rows if labels[row] == instead] if instead else []
        wrong += [row for row in rows if labels[row] != label and row not in wrong]
        rankings.append((right[:wanted] + wrong)[:k])
        assert sum(labels[row] == label for row in rankings[-1]) == wanted
    return ranked(labels, rankings, (k,), direction=direction, asked=asked)


def run_of(*scores: LabelScore) -> LabelRun:
    return LabelRun(scores, len(scores[0].level), scores[0].ks)
