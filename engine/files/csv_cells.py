"""CSV that a spreadsheet shows as it stands: no cell is run as a formula."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence

_BETWEEN = "; "
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def harmless(cell: str) -> str:
    """The cell with a ' before it if a spreadsheet would take it for a formula.

    What looks as if this had been done already gets another ', so that `original` is exact.

    >>> harmless("=1+1"), harmless("bicyclist"), harmless("'=1+1")
    ("'=1+1", 'bicyclist', "''=1+1")
    """
    return f"'{cell}" if _is_formula(cell) else cell


def original(cell: str) -> str:
    """What `harmless` was given.

    >>> original("'=1+1"), original("'tis")
    ('=1+1', "'tis")
    """
    return cell[1:] if cell.startswith("'") and _is_formula(cell) else cell


def _is_formula(cell: str) -> bool:
    return cell.lstrip("'").startswith(_FORMULA_STARTS)


def in_one_cell(items: Sequence[str]) -> str:
    """A list as one cell, as people write it; as JSON where it would not read back.

    >>> in_one_cell(["rain", "snow"]), in_one_cell(["a; b", "c"])
    ('rain; snow', '["a; b", "c"]')
    """
    text = _BETWEEN.join(items)
    plainly = not text.startswith("[") and listed(text) == list(items)
    return text if plainly else json.dumps(list(items), ensure_ascii=False)


def listed(cell: str) -> list[str]:
    """The list that `in_one_cell` was given.

    >>> listed("rain; snow"), listed('["a; b", "c"]'), listed("[a]; b"), listed("")
    (['rain', 'snow'], ['a; b', 'c'], ['[a]', 'b'], [])
    """
    if cell.startswith("["):
        try:
            found = json.loads(cell)
        except (ValueError, RecursionError):
            found = None  # a name that begins so, written by hand
        if isinstance(found, list) and all(isinstance(item, str) for item in found):
            return found
    return cell.split(_BETWEEN) if cell else []


def to_csv(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A CSV text; numbers in full precision, None as an empty cell, texts made harmless.

    >>> print(to_csv(("query", "P@5"), [("@home", -0.5), ("rain", None)]).strip())
    query,P@5
    '@home,-0.5
    rain,
    """
    out = _Lines()
    # With this line end every cell with a line break of whatever kind is quoted.
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(map(_cell, head))
    writer.writerows([_cell(value) for value in row] for row in rows)
    return "".join(out)


class _Lines(list[str]):
    """Takes the rows of a csv writer, and ends each with a line feed alone."""

    def write(self, row: str) -> None:
        self.append(row.removesuffix("\r\n") + "\n")


def _cell(value: object) -> object:
    if value is None:
        return ""
    return harmless(value) if isinstance(value, str) else value
