"""Prototypes made ready to ask: pooled, and matched with the labels of a level."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np

from engine.base.errors import InputError, Place
from engine.base.messages import list_names, quote, suggest
from engine.labels.data.array_files import check_embeddings
from engine.labels.data.labelled_items import LabelledItems
from engine.labels.data.level import LabelLevel
from engine.labels.prototypes.prototypes import (
    Pooling,
    Prototypes,
    PrototypeSet,
    pool_prototypes,
)

UnknownLabelPolicy: TypeAlias = Literal["error", "skip"]

_SHOWN = 3


def match_prototypes(
    data: LabelledItems,
    prototypes: Prototypes,
    *,
    pooling: Pooling = "mean",
    level: str | None = None,
    unknown: UnknownLabelPolicy = "error",
    place: Place | None = None,
    targets: Collection[str] | None = None,
) -> PrototypeSet:
    """Queries of the prototypes' labels at the level that has these labels.

    A prototype whose label no item has cannot find anything: an error, or left out and counted.
    `place` is where the labels come from.
    `targets` are the modalities that they ask, which must have their dimensions; None: all.
    """
    chosen = build_level(data.levels, prototypes.labels, level)
    place = place or Place(prototypes.source or None)
    left_out = {label for at, label in data.left_out if at == chosen.name}
    if left_out:
        prototypes = _without(prototypes, left_out, place)
    missing = sorted(set(prototypes.labels) - set(chosen.names))
    if missing and unknown == "error":
        raise InputError(
            f"prototypes for {len(missing)} labels that no item has at level {chosen.name!r}: "
            f"{_shown(missing)}"
            if len(missing) > 1
            else f"a prototype for the label {quote(missing[0])}, which no item has at level "
            f"{chosen.name!r}",
            place,
            hint=f"{suggest(missing[0], chosen.names)} the items' labels are "
            f"{list_names(chosen.names, 8)}; leave unknown ones out with --unknown-labels skip",
        )
    vectors_place = Place(prototypes.source or None)
    check_embeddings(prototypes.vectors, directions=data.metric == "cosine", place=vectors_place)
    kept = _without(prototypes, set(missing), place)
    _check_dimensions(data, kept, targets)
    queries = pool_prototypes(kept, pooling, normalize=data.metric == "cosine")
    each_text = pooling == "each" and kept.texts is not None
    names = kept.texts if each_text and kept.texts is not None else queries.labels
    notes = tuple(_notes(chosen, kept, missing))
    return PrototypeSet(queries, chosen.name, _make_unique(names), notes)


def build_level(
    levels: Sequence[LabelLevel], labels: Sequence[str], name: str | None
) -> LabelLevel:
    """The level of this name; without one, the level that knows most of these labels."""
    if name is not None:
        for level in levels:
            if level.name == name:
                return level
        raise InputError(
            f"no level {name!r} of labels",
            hint=f"levels: {list_names([level.name for level in levels])}",
        )
    if len(levels) == 1:
        return levels[0]
    shares = [len(set(labels) & set(level.names)) for level in levels]
    best = int(np.argmax(shares))
    if shares[best] and shares.count(shares[best]) == 1:
        return levels[best]
    raise InputError(
        "the prototypes' labels do not tell which level they belong to",
        hint=f"say it with --prototype-level ({list_names([level.name for level in levels])})",
    )


def _without(prototypes: Prototypes, missing: set[str], place: Place) -> Prototypes:
    kept = [row for row, label in enumerate(prototypes.labels) if label not in missing]
    if not kept:
        raise InputError(
            "no prototype has a label of the items",
            place,
            hint="check that both sides spell the labels alike",
        )
    if len(kept) == len(prototypes):
        return prototypes
    texts = prototypes.texts
    return replace(
        prototypes,
        labels=tuple(prototypes.labels[row] for row in kept),
        vectors=prototypes.vectors[kept],
        texts=None if texts is None else tuple(texts[row] for row in kept),
    )


def _check_dimensions(
    data: LabelledItems, prototypes: Prototypes, targets: Collection[str] | None
) -> None:
    own = prototypes.vectors.shape[1]
    for name, vectors in data.vectors.items():
        if (targets is None or name in targets) and vectors.shape[1] != own:
            raise InputError(
                f"prototypes have {own} dimensions ({prototypes.source}), {name} has "
                f"{vectors.shape[1]}",
                hint="encode them with the text encoder of this space (--encoder, --checkpoint), "
                "or give --prototype-embeddings FILE",
            )


def _make_unique(names: Sequence[str]) -> tuple[str, ...]:
    """Names that differ: the second of two equal ones gets a number."""
    taken: set[str] = set()
    times: dict[str, int] = {}
    unique = []
    for name in names:
        distinct = name
        while distinct in taken:
            times[name] = times.get(name, 1) + 1
            distinct = f"{name} ({times[name]})"
        taken.add(distinct)
        unique.append(distinct)
    return tuple(unique)


def _notes(level: LabelLevel, kept: Prototypes, missing: Sequence[str]) -> list[str]:
    notes = []
    if missing:
        noun = "label" if len(missing) == 1 else "labels"
        notes.append(
            f"prototypes of {len(missing)} {noun} that no item has are left out: {_shown(missing)}"
        )
    without = [name for name in level.names if name not in set(kept.labels)]
    if without:
        noun = "label has" if len(without) == 1 else "labels have"
        notes.append(f"{len(without)} {noun} no prototype: {_shown(without)}")
    return notes


def _shown(labels: Sequence[str]) -> str:
    return list_names(map(quote, labels), _SHOWN)
