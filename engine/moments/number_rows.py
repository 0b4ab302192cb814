"""Rows of numbers out of a JSON text: whole lists at once, as arrays."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.base.arrays import AnyFloats, AnyInts
from engine.moments.deferred_json import DeferredJson, RowList

_TOGETHER = 4 << 20
"""Bytes of text that are read at a time."""

_WORKERS = min(4, os.cpu_count() or 1)
_WINDOW = 1 << 15
# A row becomes a line, its brackets nothing: [[1, 2], [3, 4]] → "\n1, 2 , \n3, 4 ,"
_AS_LINES = bytes.maketrans(b"[]\r\n\t", b"\n    ")


class RowProblem(NamedTuple):
    """What is wrong with a row of a list; row -1: with the list itself."""

    entry: int
    row: int
    message: str


@dataclass(frozen=True, eq=False)
class NumberRows:
    """The rows of many lists, one after the other.

    offsets   list i has the rows from offsets[i] to offsets[i + 1]
    values    one row each, as many columns as were asked for; NaN where a row has no such number
    problems  rows and lists that cannot be used, in order
    """

    offsets: AnyInts
    values: AnyFloats
    problems: tuple[RowProblem, ...]


def read_rows(
    apart: DeferredJson, values: Sequence[Any], names: Sequence[str], least: int, file: Path
) -> NumberRows:
    """The lists that values of the document stand for, as numbers in columns of these names.

    A row needs the first `least` of them; what is behind the last is not looked at.
    """
    lists = [apart.row_list(value) for value in values]
    slow = {
        entry: _Loose(value, names, least)
        for entry, (value, found) in enumerate(zip(values, lists, strict=True))
        if found is None
    }
    counts = [len(slow[i].rows) if found is None else found.rows for i, found in enumerate(lists)]
    offsets = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    table = np.empty((int(offsets[-1]), len(names)))
    if slow or any(found is not None and found.width < len(names) for found in lists):
        table[:] = np.nan
    problems = [RowProblem(e, r, m) for e, own in slow.items() for r, m in own.problems]
    for entry, own in slow.items():
        if own.rows:
            table[offsets[entry] : offsets[entry + 1]] = own.rows
    groups = list(_together(lists))
    for first, group in groups:
        if group[0].width < least:
            problems += (
                RowProblem(first + place, row, describe_missing_columns(found.width, names[:least]))
                for place, found in enumerate(group)
                for row in range(found.rows)
            )

    def read(first: int, group: Sequence[RowList]) -> None:
        own_rows = slice(int(offsets[first]), int(offsets[first + len(group)]))
        _read_group(apart, group, table[own_rows, : group[0].width], file)

    # Most of the work is done without Python's lock.
    with ThreadPoolExecutor(_WORKERS) as pool:
        usable = [pool.submit(read, *own) for own in groups if own[1][0].width >= least]
        for done in usable:
            done.result()  # the first error is the first in the file
    problems += _not_finite(table[:, :least], offsets, names, {(e, r) for e, r, _ in problems})
    return NumberRows(offsets, table, tuple(sorted(problems)))


def describe_missing_columns(count: int, names: Sequence[str]) -> str:
    """
    >>> describe_missing_columns(1, ["start", "end"])
    'has 1 number, needs 2: start, end'
    """
    found = f"{count} number{'' if count == 1 else 's'}"
    return f"has {found}, needs {len(names)}: {', '.join(names)}"


class _Loose:
    """A list that is not all rows of numbers of one length, looked at row by row."""

    def __init__(self, value: Any, names: Sequence[str], least: int) -> None:
        self.rows: list[list[float]] = []
        self.problems: list[tuple[int, str]] = []
        if not isinstance(value, list):
            self.problems.append((-1, "is not a list"))
            return
        for place, row in enumerate(value):
            self.rows.append([np.nan] * len(names))
            if not isinstance(row, list):
                self.problems.append((place, "is not a list of numbers"))
                continue
            odd = next((i for i, n in enumerate(row[: len(names)]) if not _is_number(n)), None)
            if len(row) < least:
                self.problems.append((place, describe_missing_columns(len(row), names[:least])))
            elif odd is not None:
                shown = json.dumps(row[odd], ensure_ascii=False)[:40]
                self.problems.append((place, f"its {names[odd]} is {shown}, no number"))
            else:
                numbers = [as_float(n) for n in row[: len(names)]]
                self.rows[-1][: len(numbers)] = numbers


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


def as_float(value: float) -> float:
    """A number of JSON; infinite where it is too large."""
    try:
        return float(value)
    except OverflowError:  # an integer of hundreds of digits
        return np.inf if value > 0 else -np.inf


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


def _read_group(apart: DeferredJson, group: Sequence[RowList], out: AnyFloats, file: Path) -> None:
    """Read the first columns of lists of one width."""
    view = memoryview(apart.data)
    text = b",".join([view[found.start + 1 : found.end - 1] for found in group])
    lines = text.translate(_AS_LINES) + b","
    if _has_odd_number(lines) or not _read_lines(lines, group[0].width, out):
        rows = (row[: out.shape[1]] for found in group for row in apart.load(found, file))
        out[:] = np.array([list(map(as_float, row)) for row in rows], np.float64)


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
        for chunk in table.column(place).chunks:  # Arrow's own to_numpy would import pandas
            size = len(chunk)
            if size:
                own = np.frombuffer(chunk.buffers()[1], np.float64, size, 8 * chunk.offset)
                out[done : done + size, place] = own
            done += size
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


def _not_finite(
    table: AnyFloats, offsets: AnyInts, names: Sequence[str], known: set[tuple[int, int]]
) -> Iterator[RowProblem]:
    odd = np.argwhere(~np.isfinite(table))
    for row, column in odd:
        entry = int(np.searchsorted(offsets, row, "right")) - 1
        place = int(row - offsets[entry])
        if (entry, place) not in known:
            known.add((entry, place))
            yield RowProblem(entry, place, f"its {names[column]} is {_spelled(table[row, column])}")


def _spelled(odd: float) -> str:
    """As JSON's readers spell it.

    >>> _spelled(float("nan")), _spelled(float("-inf"))
    ('NaN', '-Infinity')
    """
    return json.dumps(float(odd))
