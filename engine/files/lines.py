"""The lines and rows of text files, split where the formats say and nowhere else.

`str.splitlines` also breaks at U+2028, U+0085, form feeds and other characters that may stand
inside a JSON string or a cell of CSV.
"""

from __future__ import annotations

import csv
import io
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from engine.base.errors import InputError, Place
from engine.files.text import LARGEST

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
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=strict)
    first = 1
    while True:
        rows = []
        try:
            with _cells_up_to(longest):
                for row in islice(reader, _ROWS_AT_ONCE):
                    rows.append((first, row))
                    first = reader.line_num + 1
        except csv.Error as error:
            raise InputError(f"is not valid CSV ({error})", Place(path, reader.line_num)) from error
        yield from ((line, row) for line, row in rows if any(cell.strip() for cell in row))
        if len(rows) < _ROWS_AT_ONCE:
            return


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
