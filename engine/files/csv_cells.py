"""CSV that a spreadsheet shows as it stands: no cell is run as a formula."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence

_BETWEEN = "; "
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def escape_formula(cell: str) -> str:
    """The cell with a ' before it if a spreadsheet would take it for a formula.

    What looks as if this had been done already gets another ', so that `unescape_formula` is exact.

    >>> escape_formula("=1+1"), escape_formula("bicyclist"), escape_formula("'=1+1")
    ("'=1+1", 'bicyclist', "''=1+1")
    """
    return f"'{cell}" if _is_formula(cell) else cell


def unescape_formula(cell: str) -> str:
    """What `escape_formula` was given.

    >>> unescape_formula("'=1+1"), unescape_formula("'tis")
    ('=1+1', "'tis")
    """
    return cell[1:] if cell.startswith("'") and _is_formula(cell) else cell


def _is_formula(cell: str) -> bool:
    return cell.lstrip("'").startswith(_FORMULA_STARTS)


def join_cell(items: Sequence[str]) -> str:
    """A list as one cell, as people write it; as JSON where it would not read back.

    >>> join_cell(["rain", "snow"]), join_cell(["a; b", "c"])
    ('rain; snow', '["a; b", "c"]')
    """
    text = _BETWEEN.join(items)
    plainly = not text.startswith("[") and split_cell(text) == list(items)
    return text if plainly else json.dumps(list(items), ensure_ascii=False)


def split_cell(cell: str) -> list[str]:
    """The list that `join_cell` was given.

    >>> split_cell("rain; snow"), split_cell('["a; b", "c"]'), split_cell("[a]; b"), split_cell("")
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
    return escape_formula(value) if isinstance(value, str) else value
