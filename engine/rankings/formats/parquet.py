"""Parquet with a query, an item and a score or grade per row, as ranx writes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from engine.base.errors import InputError, Place
from engine.files.parquet import open_parquet
from engine.rankings.formats.arrow_columns import column_to_floats
from engine.rankings.formats.column_names import NUMBER_NOUNS, ColumnNames, check_number
from engine.rankings.formats.triples import FileKind, Triples

_PER_ENTRY = 40
"""Bytes of an entry beside what Arrow takes: its numbers, and what sorting them takes."""


def read_parquet(path: Path, kind: FileKind) -> Triples:
    """The entries of a parquet file; only the columns that are needed are read."""
    with open_parquet(path) as file:
        fields = ColumnNames.find(file.names, kind, Place(path))
        fields.require_once(file.names, Place(path))
        table = file.read([fields.query, fields.item, fields.number], per_value=_PER_ENTRY)
    if not len(table):
        raise InputError("has no rows", path)
    queries, items = (_texts(table.column(n), path, n) for n in (fields.query, fields.item))
    values = _numbers(table.column(fields.number), kind, path, fields.number)
    numbers = -values if fields.ranked else values
    return Triples.of(path, queries, items, numbers, ranked=fields.ranked)


def _texts(column: Any, path: Path, name: str) -> Any:
    import pyarrow as pa

    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    texts = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    if not any(known(kind) for known in (*texts, pa.types.is_integer)):
        raise InputError(f"holds {column.type}, not ids", Place(path, column=name))
    _require_whole(column, path, name)
    return column.cast(kind).cast(pa.large_string())


def _numbers(column: Any, kind: FileKind, path: Path, name: str) -> Any:
    import pyarrow as pa

    if not (pa.types.is_floating(column.type) or pa.types.is_integer(column.type)):
        raise InputError(f"holds {column.type}, not numbers", Place(path, column=name))
    _require_whole(column, path, name)
    values = column_to_floats(column.cast(pa.float64(), safe=False))
    odd = ~np.isfinite(values)
    if kind == "qrels" or odd.any():
        row = int(np.argmax(odd)) if odd.any() else int(np.argmax(np.abs(values)))
        try:
            check_number(float(values[row]), kind, Place(path, column=name))
        except InputError as error:
            message = f"row {row} (counted from 0): {error.message}"
            raise InputError(message, error.place, hint=error.hint) from None
    return values


def _require_whole(column: Any, path: Path, name: str) -> None:
    import pyarrow.compute as pc

    if column.null_count:
        row = pc.index(pc.is_null(column), True).as_py()
        what = "id" if name not in NUMBER_NOUNS.values() else name
        raise InputError(f"row {row} (counted from 0) has no {what}", Place(path, column=name))
