"""Read vectors and their keys from parquet, .npy and .npz, without ever running a pickle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Vectors
from engine.base.errors import InputError, Place
from engine.base.messages import quote
from engine.dataset.embeddings.keys import KeyKind, clean_keys, find_keys_file, read_keys_file
from engine.files.arrow import view_numbers
from engine.files.budget import require_room
from engine.files.npy import (
    NpzArchive,
    list_arrays,
    map_npy,
    open_npz,
    read_values,
    reading_array,
)
from engine.files.parquet import open_parquet
from engine.files.reading import name_kind
from engine.search.index import as_float32

VECTOR_COLUMN = "embedding"
VECTOR_ARRAYS = ("embeddings", "embedding", "vectors")

_BATCH_ROWS = 16_384
_KEY_BYTES = 130
"""What a key takes beside its characters, as a value of Python."""


@dataclass(frozen=True, slots=True)
class KeyedVectors:
    """What a file holds: one key and one vector per row, the counts not yet compared."""

    keys: tuple[str, ...]
    vectors: Vectors
    keys_file: Path


def read_vectors(path: Path, kind: KeyKind, keys_path: Path | None) -> KeyedVectors:
    """Keys and vectors of `path`; the extension says the format."""
    readers = {".parquet": _read_parquet, ".pq": _read_parquet, ".npz": _read_npz}
    suffix = path.suffix.lower()
    if suffix not in (*readers, ".npy"):
        raise InputError(
            f"cannot read embeddings from {name_kind(path)}",
            path,
            hint="accepted are .parquet, .npy with an ids file, and .npz",
        )
    with reading_array(path):
        if suffix == ".npy":
            return _read_npy(path, kind, keys_path)
        keyed = readers[suffix](path, kind)
    if keys_path is None:
        return keyed
    return KeyedVectors(read_keys_file(keys_path, kind), keyed.vectors, keys_path)


def _read_npy(path: Path, kind: KeyKind, keys_path: Path | None) -> KeyedVectors:
    vectors = _as_vectors(map_npy(path), path)
    keys_file = keys_path or find_keys_file(path, kind)
    return KeyedVectors(read_keys_file(keys_file, kind), vectors, keys_file)


def _read_npz(path: Path, kind: KeyKind) -> KeyedVectors:
    convert = f"np.savez(path, {kind.arrays[0]}=list_of_str, embeddings=matrix)"
    with open_npz(path, convert) as archive:
        names = _by_plain_name(archive.files, path)
        keys_name = _first(names, kind.arrays)
        vectors_name = _first(names, VECTOR_ARRAYS) or _only_matrix(archive)
        if keys_name is None or vectors_name is None:
            missing = kind.arrays if keys_name is None else VECTOR_ARRAYS
            raise InputError(
                f"has no array named {' or '.join(missing)}; it holds {list_arrays(archive.files)}",
                path,
                hint=f"save it with np.savez(path, {kind.arrays[0]}=…, embeddings=…)",
            )
        keys, matrix = np.asarray(archive[keys_name]), np.asarray(archive[vectors_name])
    if keys.ndim != 1:
        raise InputError(f"{keys_name} has {keys.ndim} dimensions, not 1", path)
    return KeyedVectors(
        clean_keys(read_values(path, keys), kind, Place(path, column=keys_name)),
        _as_vectors(matrix, path),
        path,
    )


def _by_plain_name(names: Sequence[str], path: Path) -> dict[str, str]:
    """Names by their lower-case form; two that differ by case alone would be a guess."""
    plain: dict[str, str] = {}
    for name in names:
        other = plain.setdefault(name.strip().lower(), name)
        if other != name or names.count(name) > 1:
            raise InputError(
                f"has both {quote(other)} and {quote(name)}", path, hint="keep one of the two"
            )
    return plain


def _read_parquet(path: Path, kind: KeyKind) -> KeyedVectors:
    with open_parquet(path) as file:
        names = _by_plain_name(file.names, path)
        keys_name = _column(names, kind.columns, path)
        vectors_name = _column(names, (VECTOR_COLUMN,), path)
        _check_list_type(file.schema.field(vectors_name).type, path, vectors_name)
        file.require_room([keys_name], _KEY_BYTES)
        file.require_room([vectors_name])
        keys: list[object] = []
        vectors = np.empty((0, 0), np.float32)
        for batch in file.read_batches([keys_name, vectors_name], _BATCH_ROWS):
            part = _list_rows(batch.column(vectors_name), len(keys), path, vectors_name)
            if not keys:
                require_room(4 * file.rows * part.shape[1], path)
                vectors = np.empty((file.rows, part.shape[1]), np.float32)
            _check_width(part.shape[1], vectors.shape[1], len(keys), path, vectors_name)
            vectors[len(keys) : len(keys) + len(part)] = part
            keys.extend(batch.column(keys_name).to_pylist())
    cleaned = clean_keys(keys, kind, Place(path, column=keys_name))
    return KeyedVectors(cleaned, _as_vectors(vectors, path), path)


def _check_list_type(kind: Any, path: Path, column: str) -> None:
    import pyarrow.types as types

    is_list = types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)
    if not is_list or not (types.is_floating(kind.value_type) or types.is_integer(kind.value_type)):
        raise InputError(
            f"holds {kind}, not lists of numbers",
            Place(path, column=column),
            hint="store each embedding as a list of float32",
        )


def _list_rows(lists: Any, offset: int, path: Path, column: str) -> npt.NDArray[Any]:
    """One batch of a list column as rows × dimension, without a copy."""
    place = Place(path, column=column)
    values = lists.flatten()
    if lists.null_count or values.null_count:
        row = offset + _find_gap(lists, values)
        raise InputError(
            f"row {row} (counted from 0) has no embedding or a gap in it",
            place,
            hint="encode it again, or leave it out",
        )
    lengths = view_numbers(lists.value_lengths())
    odd = np.flatnonzero(lengths != lengths[0])
    if len(odd):
        _check_width(int(lengths[odd[0]]), int(lengths[0]), offset + int(odd[0]), path, column)
    return view_numbers(values).reshape(len(lists), int(lengths[0]))


def _find_gap(lists: Any, values: Any) -> int:
    """The first list that is missing or lacks one of the values; there is one."""
    import pyarrow.compute as pc

    missing, gap = (int(pc.index(pc.is_null(one), True).as_py()) for one in (lists, values))
    rows = [missing] if missing >= 0 else []
    if gap >= 0:
        ends = np.cumsum(view_numbers(pc.fill_null(lists.value_lengths(), 0)))
        rows.append(int(np.searchsorted(ends, gap, side="right")))
    return min(rows)


def _check_width(width: int, expected: int, row: int, path: Path, column: str) -> None:
    if width != expected:
        raise InputError(
            f"row {row} (counted from 0) has {width} dimensions, the rows before have {expected}",
            Place(path, column=column),
            hint="encode all rows with the same model",
        )


def _as_vectors(array: npt.NDArray[Any], path: Path) -> Vectors:
    """The array as read-only float32 rows; a memory map of that kind is left on disk."""
    if array.dtype.kind not in "fiu":
        raise InputError(f"holds {array.dtype}, not numbers", path, hint="save it as float32")
    if array.ndim != 2:
        raise InputError(
            f"has the shape {array.shape}; rows × dimensions is needed",
            path,
            hint="save a two-dimensional array, one row per clip",
        )
    if 0 in array.shape:
        what = "rows" if array.shape[0] == 0 else "dimensions"
        raise InputError(f"has no {what}", path, hint="write the embeddings again")
    vectors = as_float32(array)
    vectors.flags.writeable = False
    return vectors


def _only_matrix(archive: NpzArchive) -> str | None:
    matrices = [name for name in archive.files if len(archive.read_shape(name) or ()) == 2]
    return matrices[0] if len(matrices) == 1 else None


def _first(names: dict[str, str], wanted: Sequence[str]) -> str | None:
    return next((names[name] for name in wanted if name in names), None)


def _column(names: dict[str, str], wanted: Sequence[str], path: Path) -> str:
    name = _first(names, wanted)
    if name is None:
        raise InputError(
            f"has no column {' or '.join(wanted)}; its columns are {list_arrays(names.values())}",
            path,
            hint="rename the column, or point to another file",
        )
    return name
