"""Small text files from users: decoded whatever they were saved as, refused when too large, and
their lines, rows and objects, split where the formats say and nowhere else.

`str.splitlines` also breaks at U+2028, U+0085, form feeds and other characters that may stand
inside a JSON string or a cell of CSV.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

from engine.base.errors import InputError, Place
from engine.files.budget import require_room
from engine.files.reading import guard_reading
from engine.files.text_cost import CSV_COST, JSON_COST, LINES_COST, estimate_file

JsonPairs: TypeAlias = Sequence[tuple[str, Any]]
"""The keys of an object as they are written, and their values."""


class JsonObject(dict[str, Any]):
    """A JSON object that knows which keys are written more than once; the last value counts.

    >>> parse_json('{"a": 1, "b": 2, "a": 3}', Place(), make=JsonObject).repeated
    ('a',)
    """

    __slots__ = ("repeated",)

    def __init__(self, pairs: JsonPairs = ()) -> None:
        super().__init__(pairs)
        self.repeated: tuple[str, ...] = ()
        if len(self) < len(pairs):
            seen: set[str] = set()
            again = [key for key, _ in pairs if key in seen or seen.add(key)]  # type: ignore[func-returns-value]
            self.repeated = tuple(dict.fromkeys(again))


LARGEST = 256 << 20
"""Query sets, vocabularies and settings are small; a larger file is a mistake."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def read_text(path: Path, *, may_be_empty: bool = False) -> str:
    """The text of a file: UTF-8 with or without a mark, UTF-16 with one, else cp1252."""
    data = _read_bytes(path)
    LINES_COST.require_decoded(data, path)
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        text = data.decode("cp1252", errors="replace")
    if "\0" in text:
        raise InputError("is not a text file", path, hint="save it as UTF-8 text")
    if not may_be_empty and (not text or text.isspace()):
        raise InputError("is empty", path)
    return text


def _read_bytes(path: Path) -> bytes:
    with guard_reading(path) as size:
        if size > LARGEST:
            raise InputError(
                f"has {size >> 20} MB, more than the {LARGEST >> 20} MB such a file may have", path
            )
        require_room(2 * size, path, later=partial(estimate_file, path, size))
        return path.read_bytes()


def parse_json(
    text: str, place: Place, hint: str = "", make: Callable[[JsonPairs], Any] | None = None
) -> Any:
    """Parse JSON from a user's file; whatever is wrong with it has a place.

    make  what becomes of an object, None: a dict
    """
    JSON_COST.require(text, place)
    try:
        return json.loads(text, object_pairs_hook=make)
    except json.JSONDecodeError as error:
        line = place.line if place.line is not None else error.lineno
        where = Place(place.file, line, place.column)
        raise InputError(f"is not valid JSON ({error.msg})", where, hint=hint) from error
    except (ValueError, RecursionError) as error:  # numbers or nesting of absurd length
        message = "is not valid JSON (too long or nested too deeply)"
        raise InputError(message, place, hint=hint) from error


_ROWS_AT_ONCE = 1024
_limit = threading.Lock()


def split_lines(text: str) -> list[str]:
    """Every line, without its end: a line feed, a carriage return, or both.

    >>> split_lines("a\\r\\n\\x0cb\\rc\\u2028d\\n")
    ['a', '\\x0cb', 'c\\u2028d', '']
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.split("\n")


def read_filled_lines(text: str) -> Iterator[tuple[int, str]]:
    """Every line that is not blank, with its number from 1.

    >>> list(read_filled_lines('{"a": "x\\u2028y"}\\n\\n{}\\r\\n'))
    [(1, '{"a": "x\\u2028y"}'), (3, '{}')]
    """
    numbered = enumerate(split_lines(text), start=1)
    return ((number, line) for number, line in numbered if line.strip())


def read_csv_rows(
    text: str, path: Path, delimiter: str = ",", longest: int = LARGEST, *, strict: bool = False
) -> Iterator[tuple[int, list[str]]]:
    """Every row that is not blank, with the number of its first line; line breaks in quotes count
    as text. A cell may have `longest` characters; `strict` refuses quotes that are not closed.

    >>> list(read_csv_rows('a,b\\n\\n"1\\r\\n2",\\u2028\\n', Path("x.csv")))
    [(1, ['a', 'b']), (3, ['1\\r\\n2', '\\u2028'])]
    """
    CSV_COST.require(text, path)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=strict)
    try:
        for line, row in read_long_rows(reader, longest):
            if any(cell.strip() for cell in row):
                yield line, row
    except BrokenRowError as error:
        raise InputError(f"is not valid CSV ({error})", Place(path, reader.line_num)) from error


class BrokenRowError(ValueError):
    """A row that is no CSV; `line` is the number of its first line."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


def read_long_rows(
    reader: Any, longest: int, at_once: int = _ROWS_AT_ONCE
) -> Iterator[tuple[int, list[str]]]:
    """Every row of a reader of the csv module, with the number of its first line. A cell may have
    `longest` characters, where the module alone refuses more than 131,072. The reader is ahead by
    up to `at_once` rows.

    >>> list(read_long_rows(csv.reader(['"1\\n', '2",3\\n', "4"]), 9))
    [(1, ['1\\n2', '3']), (3, ['4'])]
    """
    first = 1
    broken = None
    while broken is None:
        rows = []
        try:
            with _cells_up_to(longest):
                for row in islice(reader, at_once):
                    rows.append((first, row))
                    first = reader.line_num + 1
        except csv.Error as error:
            broken = BrokenRowError(str(error), first)
        yield from rows  # what stands before a broken row comes before it
        if broken is None and len(rows) < at_once:
            return
    raise broken


@contextmanager
def _cells_up_to(longest: int) -> Iterator[None]:
    """The limit of the csv module holds for the whole process: it is put back, and nobody else
    changes it meanwhile."""
    with _limit:
        usual = csv.field_size_limit(longest)
        try:
            yield
        finally:
            csv.field_size_limit(usual)


HINT = "write one JSON object per line"


def read_json_objects(
    path: Path, text: str, hint: str = HINT
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a text, each with the number of its line; blank lines are passed over.

    >>> list(read_json_objects(Path("x.jsonl"), '{"a": 1}\\n\\n{"a": 2}\\n'))
    [(1, {'a': 1}), (3, {'a': 2})]
    """
    JSON_COST.require(text, path)
    for number, line in read_filled_lines(text):
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            found = parse_json(line, Place(path, number), hint)  # again, only to say why
        if not isinstance(found, dict):
            raise InputError("is not a JSON object", Place(path, number), hint=hint)
        yield number, found
