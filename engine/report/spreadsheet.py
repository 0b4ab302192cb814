"""CSV that a spreadsheet shows as it stands: no cell is run as a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def harmless(cell: str) -> str:
    """The cell with a ' before it if a spreadsheet would take it for a formula.

    >>> harmless("=1+1"), harmless("bicyclist")
    ("'=1+1", 'bicyclist')
    """
    return f"'{cell}" if cell.startswith(_FORMULA_STARTS) else cell


def original(cell: str) -> str:
    """What `harmless` was given.

    >>> original("'=1+1"), original("'tis")
    ('=1+1', "'tis")
    """
    return cell[1:] if cell[:1] == "'" and cell[1:].startswith(_FORMULA_STARTS) else cell


def to_csv(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A CSV text; numbers in full precision, None as an empty cell, texts made harmless.

    >>> print(to_csv(("query", "P@5"), [("@home", -0.5), ("rain", None)]).strip())
    query,P@5
    '@home,-0.5
    rain,
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(map(_cell, head))
    writer.writerows([_cell(value) for value in row] for row in rows)
    return out.getvalue()


def _cell(value: object) -> object:
    if value is None:
        return ""
    return harmless(value) if isinstance(value, str) else value
