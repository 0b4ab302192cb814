"""Slices: the queries that have a keyword, or any keyword of a group, compared by themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from engine.base.arrays import Bools
from engine.compare.align import AlignedSystems
from engine.compare.compare_settings import CompareSettings
from engine.compare.differences import (
    Difference,
    SystemLevel,
    compute_differences,
    compute_levels,
    correct_differences,
)
from engine.metrics import Measure

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
    """Two systems on one slice; its p-values are corrected over all slices of the mode."""

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


def compare_slices(
    part: AlignedSystems,
    pairs: Sequence[tuple[int, int]],
    measure: Measure,
    settings: CompareSettings,
) -> tuple[tuple[SliceDifference, ...], int]:
    """Every slice with enough queries that count, worst first, and how many have too few.

    A slice that holds every query says nothing that the whole does not, and is left out.
    """
    counted = ~np.isnan(part.columns(measure)).any(axis=1)
    wide, few = [], 0
    for piece, mask in find_slices(part).items():
        size = int(np.count_nonzero(mask & counted))
        if settings.least_queries <= size < np.count_nonzero(counted):
            wide.append((piece, mask))
        elif size < settings.least_queries:
            few += 1
    found: list[tuple[Slice, tuple[SystemLevel, ...], Difference]] = []
    for piece, mask in wide:
        stand = compute_levels(part, [measure], settings, mask)
        found += [
            (piece, (stand[old], stand[new]), difference)
            for (old, new), difference in zip(
                pairs,
                compute_differences(
                    part, pairs, [measure], settings, mask, tests=len(wide) * len(pairs)
                ),
                strict=True,
            )
        ]
    sure = correct_differences([difference for *_, difference in found])
    rows = [
        SliceDifference(piece, (pair[0], pair[1]), difference)
        for (piece, pair, _), difference in zip(found, sure, strict=True)
    ]
    rows.sort(key=lambda row: row.difference.gain)
    return tuple(rows), few
