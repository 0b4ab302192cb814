"""Findings: what the scores of a run say about the embeddings, each with its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engine.embedding_keys import shown
from engine.labels.by_label import ByLabel
from engine.labels.directions import Direction
from engine.labels.scoring import LabelRun, LabelScore

Number = tuple[str, float]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From where on something is worth a line.

    apart     difference of two scores
    drop      fall of the share of the possible from the smallest K to the largest
    lift      times chance below which a direction hardly finds anything
    gained    share of the way from chance to the possible, below which the same holds
    support   items that a label needs to be spoken of
    """

    apart: float = 0.05
    drop: float = 0.10
    lift: float = 1.5
    gained: float = 0.5
    support: int = 5


DEFAULT_THRESHOLDS = Thresholds()
_RESAMPLES = 2_000
_NAMED = 3
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that a reader should know, of some directions of a level at a K."""

    id: str
    level: str
    directions: tuple[str, ...]
    k: int
    numbers: tuple[Number, ...]
    text: str


def findings(run: LabelRun, limits: Thresholds = DEFAULT_THRESHOLDS) -> tuple[Finding, ...]:
    """All findings of a run, level by level."""
    return tuple(
        finding
        for level in run.levels
        for found in (
            _directions_apart(run.of_level(level), limits),
            _prototypes_apart(run.of_level(level), limits),
            *(_of_direction(score, limits) for score in run.of_level(level)),
        )
        for finding in found
    )


def _directions_apart(scores: Sequence[LabelScore], limits: Thresholds) -> Iterator[Finding]:
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
        if not _reaches(abs(difference), limits.apart):
            continue
        paired = (there.values(k) - back.values(k))[there.counted & back.counted]
        interval = bootstrap_interval(paired, method="percentile", resamples=_RESAMPLES)
        if not (interval.low > 0 or interval.high < 0):
            continue
        names = direction.name, back.direction.name
        yield Finding(
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


def _prototypes_apart(scores: Sequence[LabelScore], limits: Thresholds) -> Iterator[Finding]:
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
) -> Iterator[Finding]:
    """At the K at which they differ most, over the labels that both have."""
    found = []
    for k in prototype.ks:
        ours, theirs = ByLabel.of(prototype, k), ByLabel.of(instance, k)
        both = np.intersect1d(ours.counted, theirs.counted)
        if len(both):
            found.append((k, float(ours.scores[both].mean()), float(theirs.scores[both].mean())))
    if not found:
        return
    k, mine, other = max(found, key=lambda one: abs(one[1] - one[2]))
    if not _reaches(abs(mine - other), limits.apart):
        return
    names = prototype.direction.name, instance.direction.name
    below = mine < other
    yield Finding(
        "prototypes_below_instances" if below else "prototypes_above_instances",
        prototype.level.name,
        names,
        k,
        ((f"{names[0]} macro", mine), (f"{names[1]} macro", other), ("difference", mine - other)),
        f"macro: {names[0]} {mine:.4f}, {names[1]} {other:.4f}: {mine - other:+.4f}",
    )


def _of_direction(score: LabelScore, limits: Thresholds) -> Iterator[Finding]:
    yield from _near_chance(score, limits)
    yield from _drop_with_k(score, limits)
    yield from _labels_at_chance(score, limits)
    yield from _mistaken(score, limits)
    yield from _everywhere(score, limits)


def _reaches(value: float, limit: float) -> bool:
    """Whether a value is at its limit or beyond, whatever rounding says; NaN never is.

    >>> 0.3 - 0.25 >= 0.05, _reaches(0.3 - 0.25, 0.05)
    (False, True)
    """
    return bool(value >= limit - _ROUNDING)


def _finding(id: str, score: LabelScore, k: int, numbers: tuple[Number, ...], text: str) -> Finding:
    return Finding(id, score.level.name, (score.direction.name,), k, numbers, text)


def _near_chance(score: LabelScore, limits: Thresholds) -> Iterator[Finding]:
    """Few times chance, little more, and little of what chance leaves: where nearly all items have
    one label, the best order is few times chance."""
    k = min(score.ks)
    mean = ByLabel.of(score, k).weighted
    gain, possible = mean.score - mean.random, mean.ceiling - mean.random
    enough = min(limits.apart, limits.gained * possible)
    if mean.random > 0 and not _reaches(mean.lift, limits.lift) and not _reaches(gain, enough):
        yield _finding(
            "near_chance",
            score,
            k,
            (("score", mean.score), ("random", mean.random), ("lift", mean.lift)),
            f"{mean.score:.4f} against {mean.random:.4f} by chance ({mean.lift:.2f}×)",
        )


def _drop_with_k(score: LabelScore, limits: Thresholds) -> Iterator[Finding]:
    """From the smallest K to the largest, as shares of what a perfect order would reach: labels of
    fewer than K items lower every score."""
    first, last = min(score.ks), max(score.ks)
    if first == last or not (score.ceiling(first) > 0 and score.ceiling(last) > 0):
        return
    shares = [score.mean(k) / score.ceiling(k) for k in (first, last)]
    drop = shares[0] - shares[1]
    if not _reaches(max(drop, score.mean(first) - score.mean(last)), limits.drop):
        return
    yield _finding(
        "drop_with_k" if _reaches(drop, limits.drop) else "drop_by_small_labels",
        score,
        last,
        (
            (f"score@{first}", score.mean(first)),
            (f"score@{last}", score.mean(last)),
            (f"ceiling@{first}", score.ceiling(first)),
            (f"ceiling@{last}", score.ceiling(last)),
            ("drop", drop),
        ),
        f"{score.mean(first):.4f} at K={first}, {score.mean(last):.4f} at K={last}: "
        f"{shares[0]:.0%} and {shares[1]:.0%} of what a perfect order reaches "
        f"({score.ceiling(first):.4f}, {score.ceiling(last):.4f})",
    )


def _labels_at_chance(score: LabelScore, limits: Thresholds) -> Iterator[Finding]:
    k = min(score.ks)
    rows = ByLabel.of(score, k)
    spoken = score.level.support >= limits.support
    spoken &= (rows.queries > 0) & (rows.ceiling > rows.random)  # some order is better than chance
    low = np.flatnonzero(spoken & (rows.scores <= rows.random))
    if len(low):
        worst = low[np.argsort(rows.scores[low] - rows.random[low], kind="stable")]
        named = ", ".join(
            f"{shown(score.level.names[label])} {rows.scores[label]:.4f} "
            f"(chance {rows.random[label]:.4f})"
            for label in worst[:_NAMED].tolist()
        )
        more = f" and {len(low) - _NAMED} more" if len(low) > _NAMED else ""
        labels = int(np.count_nonzero(spoken))
        verb = "is" if len(low) == 1 else "are"
        yield _finding(
            "labels_at_chance",
            score,
            k,
            (("labels", float(len(low))), ("of", float(labels))),
            f"{len(low)} of {labels} labels {verb} not found better than by chance: {named}{more}",
        )


def _mistaken(score: LabelScore, limits: Thresholds) -> Iterator[Finding]:
    """The label that is found for another more often than that other itself.

    Places that a label is too small to fill are no mistakes: they are granted to the other.
    """
    k = min(score.ks)
    table = score.confusion[score.ks.index(k)]
    most = table.queries * np.minimum(score.level.support - score.direction.is_self, k)
    found: list[tuple[float, int, int, int]] = []
    for label in np.flatnonzero((table.totals > 0) & (score.level.support >= limits.support)):
        row = int(label)
        for other, times in table.wrong(row, 1):
            if times - (table.total(row) - most[row]) > table.right[row]:
                found.append(((times - table.right[row]) / table.total(row), row, other, times))
    if not found:
        return
    _, row, other, times = max(found, key=lambda one: (one[0], -one[1]))
    total, names = table.total(row), score.level.names
    own = int(table.right[row])
    more = f"; so it is for {len(found)} labels" if len(found) > 1 else ""
    yield _finding(
        "found_instead",
        score,
        k,
        (("other", times / total), ("own", own / total), ("labels", float(len(found)))),
        f"for {shown(names[row])}, {shown(names[other])} is found more often "
        f"({times / total:.0%}) than itself ({own / total:.0%}){more}",
    )


def _everywhere(score: LabelScore, limits: Thresholds) -> Iterator[Finding]:
    """A label that fills twice as many wrong places as its share of the items explains.

    Only if wrong places are many, beside those that no order can fill rightly.
    """
    k = min(score.ks)
    table = score.confusion[score.ks.index(k)]
    wrong = int(table.intruding.sum())
    if not wrong or not _reaches(score.ceiling(k) - score.mean(k), limits.apart):
        return
    support = score.level.support
    # Wrong places for a label are those of the queries that have another one.
    asked = (table.queries.sum() - table.queries) * support
    expected = asked / max(1, asked.sum())
    shares = table.intruding / wrong
    spoken = (support >= limits.support) & (expected > 0)
    excess = np.where(spoken, shares - expected, -1.0)
    label = int(excess.argmax())
    twice = _reaches(shares[label], 2 * expected[label])
    if _reaches(excess[label], limits.apart) and twice:
        yield _finding(
            "found_everywhere",
            score,
            k,
            (("share", float(shares[label])), ("expected", float(expected[label]))),
            f"{shown(score.level.names[label])} takes {shares[label]:.0%} of the wrong places, "
            f"{expected[label]:.0%} by its size",
        )
