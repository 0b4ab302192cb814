"""A quick look at a dataset for whoever is typing: its models, groups, keywords and clips.

Of the annotations the beginning is read, as text: no library that takes long to load, and no file
that takes long to read. What is odd is left out here, and said by the reader once a command runs.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from engine.base.errors import InputError
from engine.dataset.annotations.layout import choose_layout
from engine.files.reading import read_first_bytes

if TYPE_CHECKING:
    from engine.dataset.dataset import Dataset

_BYTES = 4 << 20
"""Of the annotations; some ten thousand clips."""


@dataclass(frozen=True, slots=True)
class Glance:
    """What was seen: every keyword and clip once, in the order of the file."""

    groups: tuple[str, ...]
    keywords: tuple[str, ...]
    clips: tuple[str, ...]


def glance_at(dataset: Dataset) -> Glance:
    """Nothing of a file that is not plain text; of that, the groups that the settings name."""
    with suppress(InputError, ValueError, csv.Error):
        return _look(dataset.annotations_file, dataset.group_columns)
    return Glance(dataset.default_groups or (), (), ())


def _look(path: Path, columns: Sequence[str] | None) -> Glance:
    data = read_first_bytes(path, _BYTES)
    whole = data if len(data) < _BYTES else data[: data.rfind(b"\n") + 1]
    text = StringIO(whole.decode("utf-8-sig"), newline="")  # a cell may hold U+2028 and the like
    lines = text.readlines()
    head = next((line for line in lines if line.strip()), "")
    delimiter = max(",;\t", key=head.count)
    rows = csv.reader(islice(lines, lines.index(head), None), delimiter=delimiter)
    layout = choose_layout(next(rows), path, columns)
    keywords: dict[str, None] = {}
    clips: dict[str, None] = {}
    seen: set[str] = set()
    for row in rows:
        if len(row) > layout.slice_id:
            clips[row[layout.slice_id].strip()] = None
        for _, place in layout.groups:
            if place < len(row) and row[place] not in seen:
                seen.add(row[place])
                keywords |= dict.fromkeys(_split(row[place]))
    return Glance(tuple(name for name, _ in layout.groups), tuple(keywords), tuple(clips))


def _split(cell: str) -> Iterator[str]:
    """The keywords of a cell, as they are compared."""
    parts: object = cell.split(",")
    if cell.lstrip().startswith("["):
        with suppress(ValueError):
            parts = json.loads(cell)
    if isinstance(parts, list):
        yield from (" ".join(one.lower().split()) for one in parts if isinstance(one, str))
