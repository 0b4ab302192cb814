"""TREC files: runs `query Q0 item rank score tag`, judgements `query iteration item grade`.

Columns are separated by spaces or tabs, as many as one likes. Blank lines and lines that begin with
# are left out. As in trec_eval the rank is not looked at: the score gives the order.

Arrow reads the usual file at once. Where anything is odd it says no, and the file is read line by
line, which finds the line to name. Both ways give the same entries.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from engine.base.errors import InputError, Place
from engine.rankings.formats.arrow_columns import find_numbers, has_empty, read_columns
from engine.rankings.formats.column_names import parse_number
from engine.rankings.formats.triples import EntryLists, FileKind, Triples

_COLUMNS: dict[FileKind, tuple[str, ...]] = {
    "run": ("query", "Q0", "item", "rank", "score", "tag"),
    "qrels": ("query", "iteration", "item", "grade"),
}
_VALUE: dict[FileKind, int] = {"run": 4, "qrels": 3}
_ITEM = 2
_OTHER: dict[FileKind, FileKind] = {"run": "qrels", "qrels": "run"}
_NAMES: dict[FileKind, str] = {"run": "a TREC run", "qrels": "TREC qrels"}


def read_trec(path: Path, data: bytes, kind: FileKind) -> Triples:
    """The entries of a TREC file whose bytes were read."""
    return read_trec_at_once(path, data, kind) or read_line_by_line(path, data, kind)


def read_trec_at_once(path: Path, data: bytes, kind: FileKind) -> Triples | None:
    """The entries, if the file is in perfect order; None if it may not be."""
    table = None if b"\t" in data else _parse(data, kind)
    if table is None:
        table = _parse(_single_spaces(data), kind)
    if table is None:
        return None
    values = find_numbers(table.column(_COLUMNS[kind][_VALUE[kind]]), kind)
    if values is None or (kind == "qrels" and np.any(values != np.rint(values))):
        return None
    queries, items = table.column("query"), table.column("item")
    found = Triples.of(path, queries, items, values, line_of=lambda entry: _line_of(data, entry))
    return None if any(query.startswith("#") for query in found.queries) else found


def _parse(data: bytes, kind: FileKind) -> Any | None:
    """The columns by name, or None if some line has too many, too few or an empty one."""
    names = list(_COLUMNS[kind])
    texts = [name for name in names if name != names[_VALUE[kind]]]
    table = read_columns(data, names, texts, names[_VALUE[kind]], " ", skipped=0)
    # A missing column beside a doubled space would pass the count.
    return None if table is None or any(has_empty(table.column(n)) for n in texts) else table


def _single_spaces(data: bytes) -> bytes:
    """The same lines with one space between columns and none around them."""
    data = data.replace(b"\t", b" ")
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    return data.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")


def _rows(data: bytes) -> Iterator[tuple[int, list[bytes]]]:
    """The columns of every line that counts, with its number."""
    for number, line in enumerate(data.split(b"\n"), 1):
        columns = [column for column in line.replace(b"\t", b" ").split(b" ") if column]
        if columns and not columns[0].startswith(b"#"):
            yield number, columns


def _line_of(data: bytes, entry: int) -> int:
    return next(islice(_rows(data), entry, None))[0]


def read_line_by_line(path: Path, data: bytes, kind: FileKind) -> Triples:
    """The entries, or an InputError that names the first line that is none."""
    entries = EntryLists(path)
    for number, columns in _rows(data):
        place = Place(path, number)
        if len(columns) != len(_COLUMNS[kind]):
            raise _wrong_count(columns, kind, place)
        value = str(columns[_VALUE[kind]], "utf-8")
        score = parse_number(value, kind, place, whole=kind == "qrels")
        entries.add(str(columns[0], "utf-8"), str(columns[_ITEM], "utf-8"), score, number)
    if not entries.lines:
        raise InputError("has no entry, only comments", path)
    return entries.triples()


def _wrong_count(columns: list[bytes], kind: FileKind, place: Place) -> InputError:
    wanted, other = _COLUMNS[kind], _OTHER[kind]
    found = "1 column" if len(columns) == 1 else f"{len(columns)} columns"
    hint = ""
    if len(columns) == len(_COLUMNS[other]):
        hint = f"this looks like {_NAMES[other]}: are --run and --qrels swapped?"
    elif len(columns) == 1 and b"," in columns[0]:
        hint = f"CSV needs a header line, such as query_id,doc_id,{wanted[_VALUE[kind]]}"
    return InputError(
        f"has {found}, not the {len(wanted)} of {_NAMES[kind]}: {' '.join(wanted)}",
        place,
        hint=hint,
    )
