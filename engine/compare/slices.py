"""Parts of a comparison: slices (the queries that have a keyword, or any keyword of a group), and
single queries with what came in or fell out of their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from engine.base.arrays import Bools
from engine.compare.align import AlignedSystems
from engine.compare.compare_settings import CompareSettings
from engine.compare.differences import (
    Difference,
    RawDifference,
    SystemLevel,
    compute_differences,
    compute_levels,
    correct_differences,
)
from engine.metrics import Measure
from engine.results.results import KeptResults, QueryKey

SliceKind: TypeAlias = Literal["group", "keyword"]


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of the query set.

    name  the group, or the keyword as "group:name"
    """

    kind: SliceKind
    name: str


@dataclass(frozen=True, slots=True)
class SliceDifference:
    """Two systems on one slice; its p is corrected over the slices of the mode, a family."""

    slice: Slice
    levels: tuple[SystemLevel, SystemLevel]
    difference: Difference


def find_slices(part: AlignedSystems) -> dict[Slice, Bools]:
    """Every slice and the queries that are in it, groups first, then keywords, each by name."""
    members: dict[Slice, list[int]] = {}
    for place, words in enumerate(part.keywords):
        for word in words:
            members.setdefault(Slice("keyword", word), []).append(place)
        for group in dict.fromkeys(word.partition(":")[0] for word in words if ":" in word):
            members.setdefault(Slice("group", group), []).append(place)
    found = {}
    for piece in sorted(members, key=lambda s: (s.kind, s.name)):
        mask = np.zeros(len(part.keys), np.bool_)
        mask[members[piece]] = True
        found[piece] = mask
    return found


def choose_wide_slices(
    slices: Mapping[Slice, Bools], counted: Bools, least: int
) -> tuple[dict[Slice, Bools], int]:
    """The slices with at least so many queries that count, as masks of these, and how many have
    fewer. One that holds every query says nothing that the whole does not, and is left out."""
    members = {piece: np.logical_and(mask, counted) for piece, mask in slices.items()}
    sizes = {piece: int(np.count_nonzero(mask)) for piece, mask in members.items()}
    whole = np.count_nonzero(counted)
    wide = {piece: mask for piece, mask in members.items() if least <= sizes[piece] < whole}
    return wide, sum(size < least for size in sizes.values())


def compare_slices(
    part: AlignedSystems,
    pairs: Sequence[tuple[int, int]],
    measure: Measure,
    settings: CompareSettings,
) -> tuple[tuple[SliceDifference, ...], int]:
    """Every slice with enough queries that count, worst first, and how many have too few."""
    wide, few = choose_wide_slices(find_slices(part), part.counted(measure), settings.least_queries)
    found: list[tuple[Slice, tuple[SystemLevel, SystemLevel]]] = []
    differences: list[RawDifference] = []
    tests = len(wide) * len(pairs)
    for piece, mask in wide.items():
        stand = compute_levels(part, [measure], settings, mask)
        found += [(piece, (stand[old], stand[new])) for old, new in pairs]
        differences += compute_differences(part, pairs, measure, settings, mask, tests=tests)
    sure = correct_differences(differences, settings)
    rows = [SliceDifference(*own, one) for own, one in zip(found, sure, strict=True)]
    return tuple(sorted(rows, key=lambda row: row.difference.gain)), few


@dataclass(frozen=True, slots=True)
class Flip:
    """A result that is kept by one of the systems at least; a rank of 0: it is not kept there."""

    id: str
    gain: float
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class QueryChange:
    """One query in two systems.

    change  the value's change, positive where the newer system is the better one
    flips   results whose rank changed, the relevant ones first; empty if none were kept
    """

    key: QueryKey
    keywords: tuple[str, ...]
    before: float
    after: float
    change: float
    flips: tuple[Flip, ...]


def find_query_changes(
    part: AlignedSystems, pair: tuple[int, int], measure: Measure, most: int | None = None
) -> tuple[QueryChange, ...]:
    """The queries that count for both, worst regression first; equal ones in their order."""
    old, new = part.systems[pair[0]], part.systems[pair[1]]
    before, after = old.column(measure), new.column(measure)
    change = before - after if measure.lower_is_better else after - before
    order = np.argsort(change, kind="stable")  # NaN comes last
    order = order[~np.isnan(change[order])][:most]
    keywords = part.keywords
    return tuple(
        QueryChange(
            key=part.keys[row],
            keywords=keywords[row],
            before=float(before[row]),
            after=float(after[row]),
            change=float(change[row]),
            flips=find_flips(old.ranked[row], new.ranked[row]) if old.ranked and new.ranked else (),
        )
        for row in order.tolist()
    )


def find_flips(before: KeptResults, after: KeptResults) -> tuple[Flip, ...]:
    """The results whose rank differs; relevant ones first, then by their better rank.

    >>> old = KeptResults(("a", "b"), (0.9, 0.8), (1.0, 0.0))
    >>> find_flips(old, KeptResults(("b", "c"), (0.9, 0.8), (0.0, 0.0)))[0]
    Flip(id='a', gain=1.0, before=1, after=0)
    """
    first, second = (
        {item: rank for rank, item in enumerate(ranked.ids, start=1)} for ranked in (before, after)
    )
    gains = dict(zip(before.ids, before.gains, strict=True))
    gains |= dict(zip(after.ids, after.gains, strict=True))
    found = [
        Flip(item, gains[item], first.get(item, 0), second.get(item, 0))
        for item in gains
        if first.get(item, 0) != second.get(item, 0)
    ]

    def place(flip: Flip) -> tuple[bool, int, str]:
        return flip.gain <= 0, min(filter(None, (flip.before, flip.after))), flip.id

    return tuple(sorted(found, key=place))
