"""Rows of numbers out of a JSON text: whole lists at once, as arrays."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.base.arrays import AnyFloats
from engine.files.arrow import view_numbers
from engine.moments.deferred_json import DeferredJson, RowList
from engine.moments.json_values import as_number
from engine.moments.ragged_lists import RaggedLists

_TOGETHER = 4 << 20
"""Bytes of text that are read at a time."""

_WORKERS = min(4, os.cpu_count() or 1)
_WINDOW = 1 << 15
# A row becomes a line, its brackets nothing: [[1, 2], [3, 4]] → "\n1, 2 , \n3, 4 ,"
_AS_LINES = bytes.maketrans(b"[]\r\n\t", b"\n    ")

LooseReader: TypeAlias = Callable[[int, Any], Sequence[Sequence[float]]]
"""Takes the place of a value and the value as JSON has it; gives as many rows as a list has."""


def read_rows(
    apart: DeferredJson,
    values: Sequence[Any],
    columns: int,
    *,
    widths: Container[int],
    needed: int,
    loose: LooseReader,
) -> RaggedLists:
    """The lists that values of the document stand for, as rows of so many numbers.

    widths  lists of rows so wide are read all together; of more numbers the first columns count,
            of fewer the others are NaN
    needed  so many of the columns must be finite
    loose   reads all that is not so, in the order of the values
    """
    lists = [apart.row_list(value) for value in values]
    plain = [found if found and found.width in widths else None for found in lists]
    odd = {
        place: values[place] if found is None else apart.load(found)
        for place, found in enumerate(lists)
        if plain[place] is None
    }
    counts = [
        found.rows if found else len(odd[place]) if isinstance(odd[place], list) else 0
        for place, found in enumerate(plain)
    ]
    offsets = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    table = np.zeros((int(offsets[-1]), columns))

    def read(first: int, group: Sequence[RowList]) -> None:
        own_rows = slice(int(offsets[first]), int(offsets[first + len(group)]))
        _read_group(apart, group, table[own_rows, : group[0].width])

    # Most of the work is done without Python's lock.
    with ThreadPoolExecutor(_WORKERS) as pool:
        for done in [pool.submit(read, *group) for group in _together(plain)]:
            done.result()  # the first error is the first in the file
    not_finite = np.flatnonzero(~np.isfinite(table[:, :needed]).all(axis=1))
    for place in np.unique(np.searchsorted(offsets, not_finite, "right") - 1).tolist():
        odd[place] = apart.load(lists[place])
    for place, found in enumerate(plain):
        if found and found.width < columns:
            table[offsets[place] : offsets[place + 1], found.width :] = np.nan
    for place in sorted(odd):
        rows = loose(place, odd[place])
        if len(rows):
            table[offsets[place] : offsets[place + 1]] = rows
    return RaggedLists(offsets, table)


def _together(lists: Sequence[RowList | None]) -> Iterator[tuple[int, list[RowList]]]:
    """Neighbours of one width, some megabytes at a time, each with the number of its first."""
    first, group, size = 0, list[RowList](), 0
    for entry, found in enumerate(lists):
        fits = found is not None and found.rows > 0 and size < _TOGETHER
        if group and (not fits or found is None or found.width != group[0].width):
            yield first, group
            group, size = [], 0
        if found is not None and found.rows:
            if not group:
                first = entry
            group.append(found)
            size += found.end - found.start
    if group:
        yield first, group


def _read_group(apart: DeferredJson, group: Sequence[RowList], out: AnyFloats) -> None:
    """Read the first columns of lists of one width."""
    view = memoryview(apart.data)
    text = b",".join([view[found.start + 1 : found.end - 1] for found in group])
    lines = text.translate(_AS_LINES) + b","
    if _has_odd_number(lines) or not _read_lines(lines, group[0].width, out):
        rows = (row[: out.shape[1]] for found in group for row in apart.load(found))
        out[:] = np.array([list(map(as_number, row)) for row in rows], np.float64)


def _read_lines(text: bytes, width: int, out: AnyFloats) -> bool:
    """Read a text of lines; False if some line is not what it should be."""
    import pyarrow as pa
    from pyarrow import csv

    names = [f"n{place}" for place in range(width)] + ["rest"]
    between = text[: text.find(b"\n", 1)].rpartition(b",")[2].decode("ascii")
    if between.strip():
        return False
    try:
        table = csv.read_csv(
            pa.py_buffer(text),
            read_options=csv.ReadOptions(column_names=names, use_threads=False),
            convert_options=csv.ConvertOptions(
                # All columns are read, also those that nobody asked for: they must be numbers.
                column_types={**dict.fromkeys(names, pa.float64()), "rest": pa.null()},
                null_values=["", between],
            ),
        )
    except pa.ArrowInvalid:
        return False
    if table.num_rows != len(out) or any(table.column(n).null_count for n in range(width)):
        return False
    for place in range(out.shape[1]):
        done = 0
        for chunk in table.column(place).chunks:
            out[done : done + len(chunk), place] = view_numbers(chunk)
            done += len(chunk)
    return True


def _has_odd_number(lines: bytes) -> bool:
    """Whether there may be a number that JSON does not know, though others do: 1. or .5, 01, +1.

    It looks at windows that fit into the processor's cache; they overlap by a number's beginning.
    """
    codes = np.frombuffer(lines, np.uint8)
    if b"+" in lines and lines.count(b"+") != lines.count(b"e+") + lines.count(b"E+"):
        return True
    signed = b"-0" in lines
    return any(
        _is_odd(codes[start : start + _WINDOW + 3], signed)
        for start in range(0, len(codes), _WINDOW)
    )


def _is_odd(codes: NDArray[np.uint8], signed: bool) -> bool:
    digits = codes - np.uint8(48) < 10
    bare_dot = (codes[1:-1] == 46) > (digits[:-2] & digits[2:])
    zeros = codes == 48
    after_blank = (codes[:-2] <= 44) & zeros[1:-1] & digits[2:]  # blank, line end or comma
    if bare_dot.any() or after_blank.any():
        return True
    if not signed:
        return False
    exponent = codes[:-3] | 32 == 101  # e or E: 1e-05 is fine
    return bool(((codes[1:-2] == 45) & zeros[2:-1] & digits[3:] & ~exponent).any())
