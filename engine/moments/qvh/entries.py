"""The entries of QVHighlights files: one JSON object per line, each about one query; and those of
predictions in the order of the ground truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from engine.base.arrays import AnyInts
from engine.base.errors import InputError, Place
from engine.files.fields import LONGEST_TEXT, Field
from engine.files.large_files import read_data
from engine.files.reader import reads
from engine.files.text import read_json_objects
from engine.moments.judged_predictions import QueryId
from engine.moments.query_ids import find_other_queries, shorten_id

_LONGEST_ID = 200


@dataclass(frozen=True, eq=False)
class QvhEntries:
    """Objects of a file with the lines they stand in.

    may_have_truths  False: neither true nor false is a value anywhere in the file
    """

    file: Path
    values: Sequence[dict[str, Any]]
    lines: Sequence[int]
    may_have_truths: bool = True

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def _shapes(self) -> set[tuple[str, ...]]:
        """The lists of keys that entries have: one, in a file that a program wrote."""
        return set(map(tuple, self.values))

    def place(self, index: int) -> Place:
        return Place(self.file, self.lines[index])

    def field(self, index: int, key: str) -> Field:
        """One value, to say what is wrong with it."""
        return Field(self.values[index], "", self.place(index))[key]

    def in_order_of_lines(self) -> list[int]:
        """Indices so that the first complaint is about the first line."""
        return sorted(range(len(self)), key=self.lines.__getitem__)

    def take(self, indices: Sequence[int]) -> QvhEntries:
        values, lines = [self.values[i] for i in indices], [self.lines[i] for i in indices]
        return replace(self, values=values, lines=lines)

    def have(self, key: str) -> bool:
        """Whether the entries have a key; some with and some without are an error."""
        found = {key in shape for shape in self._shapes}
        if len(found) == 1:
            return found.pop()
        count = sum(key in value for value in self.values)
        first = next(i for i in self.in_order_of_lines() if key not in self.values[i])
        raise InputError(
            f'has no "{key}", which {count:,} of {len(self):,} entries have',
            self.place(first),
            hint="give it to every entry or to none",
        )

    def column(self, key: str) -> list[Any]:
        """The value of a key in every entry."""
        if not self.have(key):
            raise InputError(
                f'has no "{key}"', self.place(self.in_order_of_lines()[0]), hint="add it"
            )
        return [value[key] for value in self.values]

    def texts(self, key: str) -> tuple[str, ...]:
        """A text per entry; empty texts where no entry has the key."""
        if not self.have(key):
            return ("",) * len(self)
        values = self.column(key)
        if not _plain_texts(values, LONGEST_TEXT):
            for index in self.in_order_of_lines():
                self.field(index, key).text()
        return tuple(values)

    def ids(self) -> tuple[QueryId, ...]:
        """What the queries are called: whole numbers or texts."""
        values = self.column("qid")
        if not _plain_texts([value for value in values if type(value) is not int], _LONGEST_ID):
            for index in self.in_order_of_lines():
                self._require_id(index)
        return tuple(values)

    def _require_id(self, index: int) -> None:
        field = self.field(index, "qid")
        if isinstance(field.value, str):
            field.text(_LONGEST_ID)
        elif type(field.value) is not int:
            raise field.wrong("is neither a whole number nor a text", hint="name the query")


@reads("JSON lines of QVHighlights")
def read_entries(path: Path) -> QvhEntries:
    """All entries of a file of JSON lines, plain or gzip. Empty lines are passed over."""
    data = read_data(path)
    found = list(read_json_objects(path, data.decode()))
    values, lines = [value for _, value in found], [line for line, _ in found]
    return QvhEntries(path, values, lines, b"true" in data or b"false" in data)


def _plain_texts(values: Sequence[Any], longest: int) -> bool:
    if not set(map(type, values)) <= {str}:
        return False
    try:
        "".join(values).encode()  # half a surrogate pair is no text
    except UnicodeEncodeError:
        return False
    return max(map(len, values), default=0) <= longest


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
    """One entry per query from both files; `windows`: whether windows will be scored.

    The official script demands that both files have the same queries. An id that stands in a file
    twice has two meanings for it: MR-R1 and the highlights take the last entry, MR-mAP takes the
    windows of all. So with windows it is an error; with saliency alone the last entry counts.
    """
    predicted, asked = predictions.ids(), truth.ids()
    other = find_other_queries(predicted, asked, truth.file)
    if other is not None:
        line = None if other.extra is None else predictions.lines[predicted.index(other.extra)]
        raise InputError(other.message, Place(predictions.file, line), hint=other.hint)
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
