"""Bringing the predictions of QVHighlights into the order of the ground truth.

The official script demands that both files have the same queries. An id that stands in a file
twice has two meanings for it: MR-R1 and the highlights take the last entry, MR-mAP takes the
windows of all. So with windows it is an error; with saliency alone the last entry counts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.base.arrays import AnyInts
from engine.base.errors import InputError, Place
from engine.moments.qvh.entries import QvhEntries, shorten_id
from engine.moments.truth import QueryId


@dataclass(frozen=True, eq=False)
class EntryPairs:
    """Both files with one entry per query, in the order of the ground truth.

    order  the queries in the order of the predictions, in which the official script adds them up
    """

    ids: tuple[QueryId, ...]
    predictions: QvhEntries
    truth: QvhEntries
    order: AnyInts
    notes: tuple[str, ...]


def pair_entries(predictions: QvhEntries, truth: QvhEntries, *, windows: bool) -> EntryPairs:
    """One entry per query from both files; `windows`: whether windows will be scored."""
    predicted, asked = predictions.ids(), truth.ids()
    _require_same(predictions, predicted, truth, asked)
    notes = [
        note
        for entries, ids in ((predictions, predicted), (truth, asked))
        if (note := _repeated(entries, ids, windows))
    ]
    # As a dict does: the place of the first, the entry of the last.
    index_of_prediction = {id_: index for index, id_ in enumerate(predicted)}
    index_of_query = {id_: index for index, id_ in enumerate(asked)}
    row_of = {id_: row for row, id_ in enumerate(index_of_query)}
    return EntryPairs(
        tuple(index_of_query),
        predictions.take([index_of_prediction[id_] for id_ in index_of_query]),
        truth.take(list(index_of_query.values())),
        np.array([row_of[id_] for id_ in index_of_prediction]),
        tuple(notes),
    )


def _repeated(entries: QvhEntries, ids: tuple[QueryId, ...], windows: bool) -> str:
    distinct = set(ids)
    if len(distinct) == len(ids):
        return ""
    seen: dict[QueryId, int] = {}
    again = next(i for i, id_ in enumerate(ids) if seen.setdefault(id_, i) != i)
    first = seen[ids[again]]
    if windows:
        raise InputError(
            f"repeats the query {shorten_id(ids[again])} of line {entries.lines[first]:,}: "
            f"MR-R1 would "
            "take the last entry, MR-mAP all of them",
            entries.place(again),
            hint="keep one entry per query",
        )
    return (
        f"{entries.file.name}: {len(ids) - len(distinct):,} entries repeat a query (first "
        f"{shorten_id(ids[again])}, line {entries.lines[again]:,}); the last entry counts"
    )


def _require_same(
    predictions: QvhEntries,
    predicted: tuple[QueryId, ...],
    truth: QvhEntries,
    asked: tuple[QueryId, ...],
) -> None:
    known, wanted = set(predicted), set(asked)
    missing, extra = wanted - known, known - wanted
    if not missing and not extra:
        return
    said = []
    place = Place(predictions.file)
    if missing:
        first = next(id_ for id_ in asked if id_ in missing)
        said.append(
            f"{len(missing):,} of {len(wanted):,} queries have no prediction, first "
            f"{shorten_id(first)}"
            f" ({truth.file.name}, line {truth.lines[asked.index(first)]:,})"
        )
    if extra:
        first = next(id_ for id_ in predicted if id_ in extra)
        line = predictions.lines[predicted.index(first)]
        said.append(
            f"{len(extra):,} of {len(known):,} predicted queries are not in the ground truth, "
            f"first {shorten_id(first)} (line {line:,})"
        )
        place = Place(predictions.file, line)
    hint = "predict for exactly the queries of the ground truth"
    if not {str(id_) for id_ in known} ^ {str(id_) for id_ in wanted}:
        hint = "write ids as numbers in both files or as texts in both"
    raise InputError(" and ".join(said), place, hint=hint)
