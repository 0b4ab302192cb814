"""Mutations of tables in text: a cell, a row, a column, the head."""

from __future__ import annotations

import csv
import io
from random import Random

from tests.fuzz.mutations.values import ODD_NUMBERS, ODD_TEXTS


def mutate_table(text: str, rng: Random) -> str:
    """The table with one thing changed, written as CSV again."""
    first = text.split("\n", 1)[0]
    delimiter = max(",\t; ", key=first.count)
    rows = list(csv.reader(io.StringIO(text), delimiter=delimiter))
    if not rows or not rows[0]:
        return text
    _change(rows, rng)
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n", escapechar="\\").writerows(rows)
    return out.getvalue()


def _change(rows: list[list[str]], rng: Random) -> None:
    row, column = rng.choice(rows), rng.randrange(len(rows[0]))
    how = rng.randrange(9)
    if how < 4 and row:
        put = rng.choice((rng.choice(ODD_TEXTS), str(rng.choice(ODD_NUMBERS)), rng.choice(row)))
        row[min(column, len(row) - 1)] = put
    elif how == 4:
        rows[0][column] = rng.choice((rng.choice(rows[0]), rng.choice(ODD_TEXTS)))
    elif how == 5:
        for each in rows:
            del each[column : column + 1]
    elif how == 6:
        for each in rows:
            each.append(rng.choice(each) if each else "")
    elif how == 7:
        rows.append(list(row))
    else:
        row.extend(row * rng.choice((1, 100)))
