"""Labels from .npy, .npz, .csv, .tsv and .txt, one per item."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

from engine.base.errors import InputError, Place
from engine.base.messages import list_names, suggest
from engine.dataset.annotations.layout import normalise_column
from engine.dataset.embeddings.keys import CLIP_KEYS, clean_keys
from engine.files.reader import reads
from engine.files.reading import name_kind
from engine.files.text import read_csv_rows, read_text, split_lines
from engine.labels.data.array_files import read_array
from engine.labels.data.label_files import LevelFile
from engine.labels.data.level import LabelLevel

LABELS_KEY_OPTION = "--labels-key"
_ID_COLUMNS = ("slice_id", "id", "item_id", "clip_id")
_LABEL_COLUMNS = ("label", "labels")
_MEDIA_COLUMNS = ("video_path", "gif_path", "span_start", "span_end")
_CONVERT = "array.astype(str)"


_LINE_BREAK = re.compile(r"\r\n|\r|\n")
_Lines: TypeAlias = list[tuple[int, list[str]]]


@dataclass(frozen=True, slots=True)
class LevelTable:
    """A level, and what a table says beside it: the items' ids, and its other columns."""

    level: LabelLevel
    ids: tuple[str, ...] | None = None
    columns: dict[str, tuple[str, ...]] = field(default_factory=dict)


@reads("labels", lambda file, *_, **__: file.path)
def read_level(
    file: LevelFile, rows: int | None = None, *, option: str = LABELS_KEY_OPTION
) -> LevelTable:
    """Read the labels of one level.

    `rows` is how many items there are: other numbers of labels are an InputError, and it tells a
    table with a header from a bare column. `option` is how to name a key, as errors say it.
    """
    suffix = file.path.suffix.lower()
    if suffix in (".npy", ".npz"):
        preferred = file.name if file.named else None
        array = read_array(file.path, file.key, option, convert=_CONVERT, preferred=preferred)
        read = LevelTable(LabelLevel.of(file.name, array, _place(file)))
    elif suffix in (".csv", ".tsv"):
        read = _from_table(file, rows, "\t" if suffix == ".tsv" else ",", option)
    elif suffix == ".txt":
        if file.key is not None:
            raise InputError(
                f"a .txt holds one label per line, and {option} {file.key} names one of several",
                Place(file.path),
                hint=f"leave {option} out",
            )
        lines = split_lines(read_text(file.path).rstrip("\r\n"))
        read = LevelTable(_level(file, lines))
    else:
        raise InputError(
            f"cannot read labels from {name_kind(file.path)}",
            Place(file.path),
            hint="accepted are .npy, .npz, .csv, .tsv and .txt (one per line)",
        )
    if rows is not None and len(read.level) != rows:
        raise InputError(
            f"{len(read.level):,} labels for {rows:,} rows of embeddings",
            _place(file),
            hint="there must be one label per row, in the same order",
        )
    return read


def _from_table(file: LevelFile, rows: int | None, delimiter: str, option: str) -> LevelTable:
    text = read_text(file.path)
    lines = list(read_csv_rows(text, file.path, delimiter))
    if not lines:
        raise InputError("is empty", Place(file.path))
    if len(lines[0][1]) == 1:
        _check_gaps(file, lines)
        if _is_bare(file, lines, rows):
            return LevelTable(_level(file, [row[0] for _, row in lines]))
        lines = _split_otherwise(text, file.path) or lines
    header = [name.strip() for name in lines[0][1]]
    for line, row in lines[1:]:
        if len(row) != len(header):
            raise InputError(
                f"has {len(row)} fields, the header has {len(header)}",
                Place(file.path, line),
                hint='put cells that hold a comma in quotes: "a, b"',
            )
    columns = {
        name: tuple(row[place].strip() for _, row in lines[1:]) for place, name in enumerate(header)
    }
    chosen = _chosen_column(file, header, option)
    numbers = [line for line, _ in lines[1:]]
    for line, label in zip(numbers, columns[chosen], strict=True):
        if not label:
            raise _no_label(Place(file.path, line, chosen))
    return LevelTable(
        LabelLevel.of_texts(file.name, columns[chosen]),
        _ids(columns, file.path),
        {normalise_column(name): cells for name, cells in columns.items()},
    )


def _is_bare(file: LevelFile, lines: _Lines, rows: int | None) -> bool:
    """Whether a column has no header: it is as long as the items, or its first cell comes again.

    Then every line is a label. A first cell that is called as labels are is a header all the same.
    """
    first, *others = (row[0].strip() for _, row in lines)
    called = normalise_column(first) in _LABEL_COLUMNS or (file.named and first == file.name)
    return file.key is None and not called and (len(lines) == rows or first in others)


def _check_gaps(file: LevelFile, lines: _Lines) -> None:
    """In a single column a blank line is a missing label: without it, all below would move up."""
    for (line, row), (following, _) in pairwise(lines):
        expected = line + 1 + len(_LINE_BREAK.findall(row[0]))
        if following > expected:
            raise _no_label(Place(file.path, expected))


def _split_otherwise(text: str, path: Path) -> _Lines | None:
    """The rows of a table that was saved with semicolons or tabs, all of one width."""
    for delimiter in (";", "\t"):
        lines = list(read_csv_rows(text, path, delimiter))
        widths = {len(row) for _, row in lines}
        if len(widths) == 1 and min(widths) > 1:
            return lines
    return None


def _chosen_column(file: LevelFile, header: list[str], option: str) -> str:
    """The column that the key names, or the level, or the only one that can hold labels."""
    if len(set(header)) < len(header):
        twice = next(name for name in header if header.count(name) > 1)
        raise InputError(f"has the column {twice!r} twice", Place(file.path, 1))
    if file.key is not None:
        if file.key in header:
            return file.key
        raise InputError(
            f"has no column {file.key!r} (columns: {list_names(header)})",
            Place(file.path, 1),
            hint=suggest(file.key, header) or f"say which with {option} NAME",
        )
    if file.named and file.name in header:
        return file.name
    others = (*_ID_COLUMNS, *_MEDIA_COLUMNS)
    possible = [name for name in header if normalise_column(name) not in others]
    known = [name for name in possible if normalise_column(name) in _LABEL_COLUMNS]
    for names in (known, possible):
        if len(names) == 1:
            return names[0]
    if not possible:
        raise InputError(
            f"has no column of labels (columns: {list_names(header)})",
            Place(file.path, 1),
            hint=f"add one, or say which with {option} NAME",
        )
    or_by_level = f", or --labels NAME={file.path.name}" if option == LABELS_KEY_OPTION else ""
    raise InputError(
        f"has several columns that could hold labels: {list_names(possible)}",
        Place(file.path, 1),
        hint=f"say which with {option} NAME{or_by_level}",
    )


def _ids(columns: dict[str, tuple[str, ...]], path: Path) -> tuple[str, ...] | None:
    plain = {normalise_column(name): name for name in columns}
    for name in _ID_COLUMNS:
        if name in plain:
            return clean_keys(columns[plain[name]], CLIP_KEYS, Place(path, column=plain[name]))
    return None


def _level(file: LevelFile, texts: list[str]) -> LabelLevel:
    """One label per line, from the first on."""
    labels = [text.strip() for text in texts]
    if "" in labels:
        raise _no_label(Place(file.path, 1 + labels.index("")))
    return LabelLevel.of_texts(file.name, labels)


def _no_label(place: Place) -> InputError:
    return InputError(
        "has no label", place, hint="leave the item out, or give it a label of its own"
    )


def _place(file: LevelFile) -> Place:
    return Place(file.path, column=file.key)
