"""Findings that compare directions: one way and back, and prototypes with texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from engine.labels.data.directions import Direction
from engine.labels.findings.label_finding import LabelFinding, Thresholds, reaches
from engine.labels.scoring.by_label import LabelTable
from engine.labels.scoring.label_run import LabelScore

_RESAMPLES = 2_000


def find_direction_gaps(scores: Sequence[LabelScore], limits: Thresholds) -> Iterator[LabelFinding]:
    """Across two modalities, one way and back: the same items ask, so values are paired."""
    from engine.stats import bootstrap_interval

    by_direction = {score.direction: score for score in scores}
    done: set[Direction] = set()
    for direction, there in by_direction.items():
        back = by_direction.get(direction.reverse)
        if back is None or back is there or direction in done:
            continue
        done |= {direction, direction.reverse}
        k = max(there.ks, key=lambda k: abs(there.mean(k) - back.mean(k)))
        difference = there.mean(k) - back.mean(k)
        if not reaches(abs(difference), limits.apart):
            continue
        paired = (there.values(k) - back.values(k))[there.counted & back.counted]
        interval = bootstrap_interval(paired, method="percentile", resamples=_RESAMPLES)
        if not (interval.low > 0 or interval.high < 0):
            continue
        names = direction.name, back.direction.name
        yield LabelFinding(
            "directions_differ",
            there.level.name,
            names,
            k,
            (
                (names[0], there.mean(k)),
                (names[1], back.mean(k)),
                ("difference", difference),
                ("low", interval.low),
                ("high", interval.high),
            ),
            f"{names[0]} {there.mean(k):.4f}, {names[1]} {back.mean(k):.4f}: "
            f"{difference:+.4f} [{interval.low:+.4f}, {interval.high:+.4f}]",
        )


def find_prototype_gaps(scores: Sequence[LabelScore], limits: Thresholds) -> Iterator[LabelFinding]:
    """Prototypes against the instances that ask the same items; labels count the same in both."""
    for prototype in scores:
        if not prototype.direction.is_prototype:
            continue
        for instance in scores:
            same_items = instance.direction.targets == prototype.direction.targets
            if instance.direction.is_prototype or not same_items:
                continue
            if instance.direction.is_self and any(
                other.direction.targets == instance.direction.targets
                and not other.direction.is_self
                and not other.direction.is_prototype
                for other in scores
            ):
                continue  # across modalities is the nearer comparison
            yield from _prototype_against(prototype, instance, limits)


def _prototype_against(
    prototype: LabelScore, instance: LabelScore, limits: Thresholds
) -> Iterator[LabelFinding]:
    """At the K at which they differ most, over the labels that both have."""
    found = []
    for k in prototype.ks:
        ours, theirs = LabelTable.of(prototype, k), LabelTable.of(instance, k)
        both = np.intersect1d(ours.counted, theirs.counted)
        if len(both):
            found.append((k, float(ours.scores[both].mean()), float(theirs.scores[both].mean())))
    if not found:
        return
    k, mine, other = max(found, key=lambda one: abs(one[1] - one[2]))
    if not reaches(abs(mine - other), limits.apart):
        return
    names = prototype.direction.name, instance.direction.name
    below = mine < other
    yield LabelFinding(
        "prototypes_below_instances" if below else "prototypes_above_instances",
        prototype.level.name,
        names,
        k,
        ((f"{names[0]} macro", mine), (f"{names[1]} macro", other), ("difference", mine - other)),
        f"macro: {names[0]} {mine:.4f}, {names[1]} {other:.4f}: {mine - other:+.4f}",
    )
