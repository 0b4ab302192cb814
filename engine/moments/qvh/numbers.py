"""Lists of numbers in QVHighlights files, as arrays.

Good files are converted in one go. Only when that fails is every number looked at by itself, to
name the first that is wrong.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from engine.base.arrays import AnyFloats
from engine.base.errors import InputError
from engine.files.fields import Field
from engine.moments.qvh.entries import QvhEntries
from engine.moments.ragged_lists import RaggedLists


def read_number_lists(
    entries: QvhEntries, key: str, *, hint: str, indices: bool = False
) -> RaggedLists:
    """A list of finite numbers per entry; `indices`: of whole numbers from 0 up."""
    column = entries.column(key)
    plain = _all_lists(column)
    if plain and indices:
        plain = set(map(type, chain.from_iterable(column))) <= {int}
    numbers = _finite(entries, chain.from_iterable(column)) if plain else None
    if numbers is None or (indices and numbers.min(initial=0) < 0):
        raise _first_error(entries, key, Field.count if indices else Field.number, hint)
    return RaggedLists.of(map(len, column), numbers)


def read_number_rows(entries: QvhEntries, key: str, width: int, *, hint: str) -> RaggedLists:
    """A list of rows of `width` finite numbers per entry; values is a matrix."""
    column = entries.column(key)
    numbers = None
    if _all_lists(column):
        rows = list(chain.from_iterable(column))
        if _all_lists(rows) and set(map(len, rows)) <= {width}:
            numbers = _finite(entries, chain.from_iterable(rows))
    if numbers is None:
        raise _first_error(entries, key, lambda item: _require_row(item, width), hint)
    return RaggedLists.of(map(len, column), numbers.reshape(-1, width))


def _all_lists(values: Sequence[Any]) -> bool:
    return set(map(type, values)) <= {list}


def _finite(entries: QvhEntries, values: Iterable[Any]) -> AnyFloats | None:
    found = list(values)
    if entries.may_have_truths and bool in set(map(type, found)):
        return None  # an array would take true for 1
    try:
        numbers = np.array(array("d", found))
    except (TypeError, OverflowError):
        return None
    return numbers if bool(np.isfinite(numbers).all()) else None


def _require_row(row: Field, width: int) -> None:
    count = sum(1 for _ in row.items())
    if count != width:
        raise row.wrong(f"has {count:,} numbers, needs {width}")
    for number in row.items():
        number.number()


def _first_error(
    entries: QvhEntries, key: str, require: Callable[[Field], object], hint: str
) -> InputError:
    for index in entries.in_order_of_lines():
        try:
            for item in entries.field(index, key).items():
                require(item)
        except InputError as error:
            return InputError(error.message, error.place, hint=hint)
    raise AssertionError(f"{key} was refused, and nothing is wrong with it")
