"""A large JSON text taken apart: its long lists of number rows, and the small rest.

A submission of a hundred megabytes is nearly all numbers. Its lists of rows ("predictions":
[[7, 0.5, 2.0, 0.9], …]) are left where they are, as places in the text; what remains is small and
read by the standard library, which says exactly what is wrong with it and where.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from secrets import token_hex
from typing import Any, NamedTuple

from engine.base.errors import InputError, Place
from engine.files.text import JsonPairs

_BESIDES_STRUCTURE = b"0123456789.eE+- \t\r\n"


class RowList(NamedTuple):
    """A list of rows in the text: from `start` to `end`, `rows` rows of `width` numbers."""

    start: int
    end: int
    rows: int
    width: int


@dataclass(frozen=True, eq=False)
class DeferredJson:
    """A JSON document in which each list of rows is a text that `row_list` understands."""

    file: Path | str | None
    data: bytes
    document: Any
    lists: tuple[RowList, ...]
    mark: str

    def row_list(self, value: Any) -> RowList | None:
        """The list that a value of the document stands for; None if it is a value of its own."""
        if not isinstance(value, str) or not value.startswith(self.mark):
            return None
        return self.lists[int(value.removeprefix(self.mark))]

    def load(self, found: RowList) -> Any:
        """A list as the standard library has it, which knows what is wrong, and where."""
        try:
            return json.loads(self.data[found.start : found.end])
        except json.JSONDecodeError as error:
            place, why = found.start + error.pos, error.msg
        except ValueError:  # an integer of thousands of digits
            place, why = found.start, "a number is too long"
        line = self.data.count(b"\n", 0, place) + 1
        raise InputError(f"is not valid JSON ({why})", Place(self.file, line))


def read_deferred_json(
    data: bytes,
    key: str,
    file: Path | str | None,
    make: Callable[[JsonPairs], Any] | None = None,
) -> DeferredJson:
    """Read a JSON text without the lists of number rows that are values of `key`.

    >>> deferred = read_deferred_json(b'{"a": [[1, 2], [3, 4]]}', "a", Path("x.json"))
    >>> deferred.row_list(deferred.document["a"])
    RowList(start=6, end=22, rows=2, width=2)

    A value of another form, and a row with anything but numbers, stays in the document as it is.
    What becomes of an object is what `make` makes of it, or a dict.
    """
    mark = f"rows {token_hex(8)}:"  # no text of the file can be taken for one
    lists = _find_lists(data, key.encode())
    rest: list[bytes] = []
    ends = [0]  # in the text, where the n-th piece of the rest begins
    for number, found in enumerate(lists):
        rest += (data[ends[-1] : found.start], f'"{mark}{number}"'.encode())
        ends.append(found.end)
    rest.append(data[ends[-1] :])
    document = _parse(rest, ends, data, file, make)
    return DeferredJson(file, data, document, tuple(lists), mark)


def _find_lists(data: bytes, key: bytes) -> list[RowList]:
    """Every list of number rows behind the key.

    A key in quotes before a colon is a key wherever it stands: inside a text its quotes would be
    escaped. Numbers and brackets go on until a quote or a brace.
    """
    opening = re.compile(rb'"%s"[ \t\r\n]*:[ \t\r\n]*(?=\[)' % re.escape(key))
    lists: list[RowList] = []
    place = 0
    while (found := opening.search(data, place)) is not None:
        start = place = found.end()
        stop = data.find(b"}", start)
        quote = data.find(b'"', start, stop if stop >= 0 else len(data))
        stop = quote if quote >= 0 else stop
        end = data.rfind(b"]", start, stop if stop >= 0 else len(data)) + 1
        if end > start:
            shape = _shape(data[start:end].translate(None, _BESIDES_STRUCTURE))
            if shape is not None:
                lists.append(RowList(start, end, *shape))
                place = end
    return lists


@lru_cache(maxsize=256)
def _shape(structure: bytes) -> tuple[int, int] | None:
    """Rows and numbers per row of brackets and commas; None if rows differ or are no rows.

    Without a comma there may be one number or none: such lists are left to the standard library.

    >>> _shape(b"[[,],[,]]"), _shape(b"[[,],[]]"), _shape(b"[,]"), _shape(b"[[]]"), _shape(b"[]")
    ((2, 2), None, None, None, None)
    """
    width = structure.find(b"]") - 1
    row = b"[" + b"," * (width - 1) + b"]"
    rows, odd = divmod(len(structure) - 1, len(row) + 1)
    if width < 2 or odd or structure != b"[" + b",".join([row] * rows) + b"]":
        return None
    return rows, width


def _parse(
    pieces: list[bytes],
    ends: list[int],
    data: bytes,
    file: Path | str | None,
    make: Callable[[JsonPairs], Any] | None,
) -> Any:
    try:
        return json.loads(b"".join(pieces), object_pairs_hook=make)
    except json.JSONDecodeError as error:
        offset = len(error.doc[: error.pos].encode("utf-8", "surrogatepass"))
        place = Place(file, line=_line(offset, pieces, ends, data))
        raise InputError(f"is not valid JSON ({error.msg})", place) from error
    except UnicodeDecodeError as error:
        place = Place(file, line=_line(error.start, pieces, ends, data))
        raise InputError("is not UTF-8", place, hint="save it as UTF-8 text") from error
    except (ValueError, RecursionError) as error:
        message = "is not valid JSON (too long or nested too deeply)"
        raise InputError(message, Place(file)) from error


def _line(offset: int, pieces: list[bytes], ends: list[int], data: bytes) -> int:
    """The line of the whole text for a place in the rest of it."""
    starts = [0]
    for own, mark in zip(pieces[::2], pieces[1::2], strict=False):
        starts.append(starts[-1] + len(own) + len(mark))
    piece = bisect_right(starts, offset) - 1
    return data.count(b"\n", 0, ends[piece] + offset - starts[piece]) + 1
