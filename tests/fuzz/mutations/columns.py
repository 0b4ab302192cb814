"""Mutations of parquet: other types, names, encodings, and tables that are far larger than they
look."""

from __future__ import annotations

import io
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tests.fuzz.mutations.footers import lie
from tests.fuzz.mutations.values import ODD_TEXTS

_TYPES = (
    pa.int8(), pa.int64(), pa.uint64(), pa.float16(), pa.float32(), pa.float64(), pa.string(),
    pa.large_string(),
    pa.binary(), pa.bool_(), pa.null(), pa.date32(), pa.timestamp("us"), pa.decimal128(5, 2),
    pa.list_(pa.float32()), pa.list_(pa.string()), pa.list_(pa.list_(pa.int8())), pa.binary(3),
    pa.struct([("a", pa.int8())]), pa.map_(pa.string(), pa.int8()), pa.list_(pa.float32(), 2),
    pa.dictionary(pa.int32(), pa.string()), pa.duration("s"), pa.time32("s"),
)  # fmt: skip
_MANY = (10**6, 5 * 10**6)


def mutate_parquet(data: bytes, rng: Random) -> bytes:
    try:
        table = pq.read_table(io.BytesIO(data), use_threads=False)
    except (pa.ArrowException, OSError, ValueError, KeyError):
        return _overwrite_name(data, rng)
    how = rng.randrange(14)
    if how < 2:
        return _overwrite_name(data, rng)
    if how > 11:
        large = rng.random() < 0.3 and table.num_columns
        return lie(write_parquet(_blow_up(table, rng), rng) if large else data, rng)
    if how == 2 and rng.random() < 0.15 and table.num_columns:
        return write_parquet(_blow_up(table, rng), rng)
    if table.num_columns:
        table = _change(table, rng)
    return write_parquet(table, rng)


def _change(table: Any, rng: Random) -> Any:
    which = rng.randrange(table.num_columns)
    name, column = table.column_names[which], table.column(which)
    how = rng.randrange(9)
    if how < 3:
        return table.set_column(which, name, _convert(column, rng.choice(_TYPES), rng))
    if how == 3:
        return table.remove_column(which)
    if how == 4:
        return table.append_column(rng.choice((name, name.upper(), " " + name)), column)
    if how == 5:
        names = list(table.column_names)
        names[which] = rng.choice(ODD_TEXTS).encode("utf-8", "replace").decode()[:1000]
        return table.rename_columns(names)
    if how == 6:
        return rng.choice((table.slice(0, 0), table.slice(0, 1), pa.concat_tables([table] * 3)))
    values = column.to_pylist()
    if values:
        values[rng.randrange(len(values))] = None if how == 7 else values[0]
    return table.set_column(which, name, _as_array(values, column.type))


def _as_array(values: list[Any], kind: Any) -> Any:
    try:
        return pa.array(values, kind)
    except (pa.ArrowException, TypeError, ValueError):
        return pa.nulls(len(values), kind)


def _convert(column: Any, kind: Any, rng: Random) -> Any:
    """The column as another type, or values of that type that have nothing to do with it."""
    try:
        return column.cast(kind)
    except (pa.ArrowException, ValueError):
        pass
    size = len(column)
    options: list[list[Any]] = [[None] * size, [1] * size, ["x"] * size, [[1.0,
                                float("nan")]] * size,
                                [[]] * size, [["a", None]] * size, [b"\xff\xfe"] * size,
                                [{"a": 1}] * size]  # fmt: skip
    rng.shuffle(options)
    for values in options:
        try:
            return pa.array(values, kind)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            continue
    return pa.nulls(size, kind)


def _blow_up(table: Any, rng: Random) -> Any:
    """Many rows that take no room in the file: nulls, or one value again and again."""
    rows = rng.choice(_MANY)
    columns = []
    for column in table.columns:
        if pa.types.is_nested(column.type) or rng.random() < 0.3:
            columns.append(pa.nulls(rows, pa.string()))
        else:
            long = pa.array([rng.choice(("x", "y" * 100, "z" * 5000))])
            indices = pa.array(np.zeros(rows, np.int8))
            columns.append(pa.DictionaryArray.from_arrays(indices, long))
    return pa.table(columns, names=table.column_names)


def write_parquet(table: Any, rng: Random) -> bytes:
    """With other options, as other programs may write it."""
    out = io.BytesIO()
    options: dict[str, Any] = {
        "compression": rng.choice(("none", "snappy", "gzip", "zstd", "brotli")),
        "use_dictionary": rng.random() < 0.7,
        "write_statistics": rng.random() < 0.5,
        "row_group_size": rng.choice((None, 1, 2, 1000)) if len(table) < 1000 else None,
        "data_page_version": rng.choice(("1.0", "2.0")),
        "store_schema": rng.random() < 0.7,
    }
    try:
        pq.write_table(table, out, **options)
    except (pa.ArrowException, ValueError, KeyError, TypeError):  # a type that parquet lacks
        pq.write_table(pa.table({"a": [1]}), out)
    return out.getvalue()


def _overwrite_name(data: bytes, rng: Random) -> bytes:
    """The metadata lie at the end: names that are no text, counts and offsets that are not so."""
    footer = max(0, len(data) - 8 - int.from_bytes(data[-8:-4], "little")) if len(data) > 12 else 0
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 6))):
        place = rng.randrange(footer, max(footer + 1, len(data) - 4))
        if place < len(changed):
            changed[place] = rng.choice(
                (0xFF, 0x80, 0, 0x7F, changed[place] ^ 1, changed[place] + 2 & 255)
            )
    return bytes(changed)
