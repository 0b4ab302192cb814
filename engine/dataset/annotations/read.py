"""Annotation files: clip ids, keyword cells by group and media paths, as one plain value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from engine.base.errors import InputError, Place
from engine.dataset.annotations.cells import BadCellError, GroupCells, read_cells
from engine.dataset.annotations.csv_file import CsvFile, map_file
from engine.dataset.annotations.layout import (
    KEPT_COLUMNS,
    Layout,
    choose_layout,
    empty_file_error,
    no_clips_error,
)
from engine.dataset.annotations.parquet_file import ParquetFile
from engine.dataset.annotations.source_rule import BY_VIDEO, SourceRule
from engine.files.arrow import fill_gaps
from engine.files.input_file import FileSet, reading_inputs
from engine.files.reader import reads
from engine.files.reading import guard_reading

DuplicateClipPolicy = Literal["error", "merge"]
_PARQUET_SUFFIXES = (".parquet", ".pq", ".parq")


@dataclass(frozen=True, slots=True, eq=False)
class Annotations:
    """What an annotation file says; the position in `ids` is the row everywhere.

    `encoding` and `delimiter` tell how the file was read ("parquet" and "" for parquet),
    `ignored` which columns were not used, `merged` how many rows went into an earlier row of the
    same id. The columns from `video_path` on are None if the file has none, else one text per row.
    `source` is what `source_rule` names, None if that is the video_path. `files` is what was read.
    """

    path: Path
    ids: tuple[str, ...]
    groups: tuple[GroupCells, ...]
    encoding: str
    delimiter: str
    ignored: tuple[str, ...] = ()
    merged: int = 0
    video_path: tuple[str, ...] | None = None
    gif_path: tuple[str, ...] | None = None
    span_start: tuple[str, ...] | None = None
    span_end: tuple[str, ...] | None = None
    category: tuple[str, ...] | None = None
    source: tuple[str, ...] | None = None
    source_rule: SourceRule = BY_VIDEO
    files: FileSet = field(default_factory=FileSet)

    @property
    def sources(self) -> tuple[str, ...] | None:
        """The recording that each clip is cut from, "" where that is not known; None: of no clip
        it is."""
        return self.video_path if self.source_rule.kind == "video_path" else self.source


@reads("annotations")
def read_annotations(
    path: Path | str,
    groups: Sequence[str] | None = None,
    duplicates: DuplicateClipPolicy = "error",
    source: SourceRule = BY_VIDEO,
) -> Annotations:
    """Read `.csv`, `.tsv` (both also gzipped) or `.parquet`.

    Groups are the columns `pv_…` and the five known names without `pv_`, or a single `keywords`
    column, or exactly the columns named in `groups`. Cells hold keywords separated by commas, a
    JSON list, or (parquet) a list. Rows that share an id are an error, or with "merge" one clip
    with the keywords of all. Bad input raises `InputError` with file, line and column.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "clips.csv"
    >>> _ = file.write_text('slice_id,pv_object_type\\n007,"Bicyclist, bollard"\\n')
    >>> annotations = read_annotations(file)
    >>> annotations.ids, annotations.groups[0].of(0)
    (('007',), ('bicyclist', 'bollard'))
    """
    if duplicates not in ("error", "merge"):
        raise ValueError(f'duplicates must be "error" or "merge", not {duplicates!r}')
    path = Path(path)
    with reading_inputs(path) as files:
        return replace(_read(path, groups, duplicates, source), files=files)


def _read(
    path: Path,
    groups: Sequence[str] | None,
    duplicates: DuplicateClipPolicy,
    source: SourceRule,
) -> Annotations:
    file = _open(path)
    layout = choose_layout(file.header, path, groups, source.find_column(file.header))
    file, columns = file.read(layout)
    ids = _ids(file, columns[layout.slice_id], layout)
    cells = tuple(_group(file, name, i, columns[i]) for name, i in layout.groups)
    kept: dict[str, Any] = {name: _texts(columns[i]) for name, i in layout.kept}
    ignored = tuple(name for i, name in enumerate(file.header) if i not in columns)
    annotations = Annotations(path, ids, cells, file.encoding, file.delimiter, ignored, 0, **kept)
    same = _repeated(ids)
    if same and duplicates == "error":
        raise _duplicate_error(file, layout, ids, same)
    annotations = _merge(annotations, same) if same else annotations
    if source.kind == "video_path":
        return annotations
    if "source" in kept:
        return replace(annotations, source_rule=replace(source, kind="column"))
    found = source.extract(annotations.ids, file.header)
    return replace(annotations, source=found, source_rule=replace(source, kind="pattern"))


def _open(path: Path) -> CsvFile | ParquetFile:
    with guard_reading(path, "the annotation file"):
        raw = map_file(path)
    if not len(raw):
        raise empty_file_error(path)
    if path.suffix.lower() in _PARQUET_SUFFIXES or bytes(raw[:4]) == b"PAR1":
        return ParquetFile.open(path)
    return CsvFile.open(path, raw)


def _group(file: CsvFile | ParquetFile, name: str, position: int, values: Any) -> GroupCells:
    column = file.header[position]
    try:
        return read_cells(name, column, values)
    except BadCellError as error:
        place, row = _place(file, error.position, column)
        raise InputError(f"{error}{row}", place, hint=error.hint) from error


def _ids(file: CsvFile | ParquetFile, values: Any, layout: Layout) -> tuple[str, ...]:
    import pyarrow.compute as pc

    column = file.header[layout.slice_id]
    values = pc.utf8_trim_whitespace(fill_gaps(values, ""))
    if not len(values):
        raise no_clips_error(file.path)
    ids: tuple[str, ...] = tuple(values.to_pylist())
    if "" in ids:
        place, where = _place(file, ids.index(""), column)
        raise InputError(f"slice_id is empty{where}", place, hint="give every clip an id")
    if pc.any(pc.match_substring(values, "\0")).as_py():
        row = next(row for row, clip in enumerate(ids) if "\0" in clip)
        place, where = _place(file, row, column)
        raise InputError(f"slice_id holds a NUL byte{where}", place, hint="write it as plain text")
    return ids


def _texts(values: Any) -> tuple[str, ...]:
    import pyarrow.compute as pc

    return tuple(pc.utf8_trim_whitespace(fill_gaps(values, "")).to_pylist())


def _place(file: CsvFile | ParquetFile, row: int, column: str) -> tuple[Place, str]:
    """The place of a row, and the row in words where there are no lines."""
    line = file.lines([row])[0]
    return Place(file.path, line, column), "" if line else f" in row {row + 1}"


def _repeated(ids: tuple[str, ...]) -> list[list[int]]:
    """The sets of rows that share an id, in order of their first row."""
    hashes = np.fromiter(map(hash, ids), np.int64, len(ids))
    hashes.sort()
    if not (hashes[1:] == hashes[:-1]).any():  # distinct hashes: distinct ids, at a third of a set
        return []
    rows_of: dict[str, list[int]] = {}
    for row, clip in enumerate(ids):
        rows_of.setdefault(clip, []).append(row)
    return [rows for rows in rows_of.values() if len(rows) > 1]


def _duplicate_error(
    file: CsvFile | ParquetFile, layout: Layout, ids: tuple[str, ...], same: list[list[int]]
) -> InputError:
    first, second = same[0][:2]
    lines = file.lines([first, second])
    earlier = f"line {lines[0]}" if lines[0] else f"row {first + 1}"
    here = "" if lines[1] else f" (row {second + 1})"
    more = f"; {len(same) - 1} more ids repeat" if len(same) > 1 else ""
    return InputError(
        f'slice_id "{ids[first]}"{here} is already on {earlier}{more}',
        Place(file.path, lines[1], file.header[layout.slice_id]),
        hint="make the ids unique, or unite their keywords with --duplicates merge",
    )


def _merge(annotations: Annotations, same: list[list[int]]) -> Annotations:
    """One row per id: keywords united; of the other columns the first text that is not empty."""
    later = {row for rows in same for row in rows[1:]}
    first = np.array([row for row in range(len(annotations.ids)) if row not in later], np.int64)

    def united(column: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if column is None:
            return None
        values = list(column)
        for rows in same:
            values[rows[0]] = next((column[row] for row in rows if column[row]), "")
        return tuple(values[row] for row in first)

    kept: dict[str, Any] = {
        name: united(getattr(annotations, name)) for name in (*KEPT_COLUMNS, "source")
    }
    return replace(
        annotations,
        ids=tuple(annotations.ids[row] for row in first),
        groups=tuple(group.merge(first, same) for group in annotations.groups),
        merged=len(later),
        **kept,
    )
