"""Findings about a single direction: chance, the drop with K, and which labels are found for
which."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.base.arrays import ROUNDING
from engine.base.messages import format_percentage, quote
from engine.labels.findings.label_finding import LabelFinding, NamedNumber, Thresholds, reaches
from engine.labels.scoring.by_label import LabelRow, LabelTable
from engine.labels.scoring.label_run import LabelScore

_NAMED = 3


def find_direction_findings(score: LabelScore, limits: Thresholds) -> Iterator[LabelFinding]:
    """Everything that one direction says at one level."""
    yield from _near_chance(score, limits)
    yield from _drop_with_k(score, limits)
    yield from _labels_at_chance(score, limits)
    yield from _mistaken(score, limits)
    yield from _everywhere(score, limits)


def _finding(
    id: str, score: LabelScore, k: int, numbers: tuple[NamedNumber, ...], text: str
) -> LabelFinding:
    return LabelFinding(id, score.level.name, (score.direction.name,), k, numbers, text)


def _near_chance(score: LabelScore, limits: Thresholds) -> Iterator[LabelFinding]:
    """Few times chance, little more, and little of what chance leaves: where nearly all items have
    one label, the best order is few times chance."""
    k = min(score.ks)
    mean = LabelTable.of(score, k).weighted
    gain, possible = mean.score - mean.random, mean.ceiling - mean.random
    enough = min(limits.apart, limits.gained * possible)
    if mean.random > 0 and not reaches(mean.lift, limits.lift) and not reaches(gain, enough):
        yield _finding(
            "near_chance",
            score,
            k,
            (("score", mean.score), ("random", mean.random), ("lift", mean.lift)),
            f"{mean.score:.4f} against {mean.random:.4f} by chance ({mean.lift:.2f}×)",
        )


def _drop_with_k(score: LabelScore, limits: Thresholds) -> Iterator[LabelFinding]:
    """From the smallest K to the largest, as shares of the way from chance to a perfect order:
    labels of fewer than K items lower every score, and towards all items every order is alike."""
    first, last = (LabelTable.of(score, k).weighted for k in (min(score.ks), max(score.ks)))
    if len(score.ks) == 1 or not (_gainable(first) and _gainable(last)):
        return
    low, high = min(score.ks), max(score.ks)
    shares = [_gained(row) for row in (first, last)]
    drop = shares[0] - shares[1]
    if not reaches(first.score - last.score, limits.drop):
        return
    yield _finding(
        "drop_with_k" if reaches(drop, limits.drop) else "drop_by_small_labels",
        score,
        high,
        (
            (f"score@{low}", first.score),
            (f"score@{high}", last.score),
            (f"ceiling@{low}", first.ceiling),
            (f"ceiling@{high}", last.ceiling),
            ("random", last.random),
            ("drop", drop),
        ),
        f"{first.score:.4f} at K={low}, {last.score:.4f} at K={high}: {_percent(shares[0])} and "
        f"{_percent(shares[1])} of the way from chance to a perfect order "
        f"({first.ceiling:.4f}, {last.ceiling:.4f})",
    )


def _percent(share: float) -> str:
    """
    >>> _percent(0.004), _percent(0.0), _percent(-0.12)
    ('<1%', '0%', '-12%')
    """
    return f"{share:.0%}" if share < 0 else f"{format_percentage(share) or '0'}%"


def _gainable(row: LabelRow) -> bool:
    """Whether an order can do better than chance."""
    return row.ceiling - row.random > ROUNDING


def _gained(row: LabelRow) -> float:
    return (row.score - row.random) / (row.ceiling - row.random)


def _labels_at_chance(score: LabelScore, limits: Thresholds) -> Iterator[LabelFinding]:
    k = min(score.ks)
    rows = LabelTable.of(score, k)
    spoken = score.level.support >= limits.support
    spoken &= (rows.queries > 0) & (rows.ceiling > rows.random)  # some order is better than chance
    low = np.flatnonzero(spoken & (rows.scores <= rows.random))
    if len(low):
        worst = low[np.argsort(rows.scores[low] - rows.random[low], kind="stable")]
        named = ", ".join(
            f"{quote(score.level.names[label])} {rows.scores[label]:.4f} "
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


def _mistaken(score: LabelScore, limits: Thresholds) -> Iterator[LabelFinding]:
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
    found.sort(key=lambda one: (-one[0], one[1]))
    _, row, other, times = found[0]
    total, names = table.total(row), score.level.names
    own = int(table.right[row])
    others = [quote(names[one[1]]) for one in found[1:]]
    more = ""
    if others:
        noun = "label" if len(others) == 1 else "labels"
        rest = f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
        more = f"; so it is for {len(others)} other {noun}: {', '.join(others[:_NAMED])}{rest}"
    yield _finding(
        "found_instead",
        score,
        k,
        (("other", times / total), ("own", own / total), ("labels", float(len(found)))),
        f"for {quote(names[row])}, {quote(names[other])} is found more often "
        f"({_percent(times / total)}) than itself ({_percent(own / total)}){more}",
    )


def _everywhere(score: LabelScore, limits: Thresholds) -> Iterator[LabelFinding]:
    """A label that fills twice as many wrong places as its share of the items explains.

    Only if wrong places are many, beside those that no order can fill rightly.
    """
    k = min(score.ks)
    table = score.confusion[score.ks.index(k)]
    wrong = int(table.intruding.sum())
    if not wrong or not reaches(score.ceiling(k) - score.mean(k), limits.apart):
        return
    support = score.level.support
    # Wrong places for a label are those of the queries that have another one.
    asked = (table.queries.sum() - table.queries) * support
    expected = asked / max(1, asked.sum())
    shares = table.intruding / wrong
    spoken = (support >= limits.support) & (expected > 0)
    excess = np.where(spoken, shares - expected, -1.0)
    label = int(excess.argmax())
    twice = reaches(shares[label], 2 * expected[label])
    if reaches(excess[label], limits.apart) and twice:
        yield _finding(
            "found_everywhere",
            score,
            k,
            (("share", float(shares[label])), ("expected", float(expected[label]))),
            f"{quote(score.level.names[label])} takes {_percent(shares[label])} of the wrong "
            f"places, {_percent(expected[label])} by its size",
        )
