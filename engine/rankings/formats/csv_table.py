"""CSV and TSV with a header: a query, an item and a score, grade or rank per line.

BEIR's `qrels/test.tsv` is one of them; its folders also have texts of the queries, in
`queries.jsonl`. As with TREC files, Arrow reads what is in perfect order and Python reads the rest,
line by line.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from engine.base.errors import InputError, Place
from engine.files.text import parse_json, read_csv_rows, read_filled_lines, read_text
from engine.rankings.formats.column_names import (
    LARGEST_GRADE,
    QUERY_NAMES,
    ColumnNames,
    find_first,
    parse_number,
)
from engine.rankings.formats.id_table import column_to_floats
from engine.rankings.formats.triples import FileKind, Triples

_LONGEST_CELL = 1 << 20


def find_first_line(data: bytes) -> str:
    """The first line that is not blank.

    >>> find_first_line(b"\\n a,b\\n1,2")
    ' a,b'
    """
    start = next((n for n in range(min(len(data), 4096)) if not data[n : n + 1].isspace()), 0)
    start = data.rfind(b"\n", 0, start) + 1
    end = data.find(b"\n", start)
    return str(data[start : end if end >= 0 else len(data)][:65536], "utf-8", "replace")


def split_header(line: str) -> list[str]:
    """The cells of a header line, separated by tabs if it has one, else by commas.

    >>> split_header("query-id\\tcorpus-id\\tscore")
    ['query-id', 'corpus-id', 'score']
    """
    try:
        return next(csv.reader([line], delimiter=_delimiter(line)), [])
    except csv.Error:
        return []


def _delimiter(header: str) -> str:
    return "\t" if "\t" in header else ";" if ";" in header and "," not in header else ","


def read_csv(path: Path, data: bytes, kind: FileKind) -> Triples:
    """The entries of a CSV or TSV file whose bytes were read."""
    return read_csv_at_once(path, data, kind) or read_row_by_row(path, data, kind)


def read_csv_at_once(path: Path, data: bytes, kind: FileKind) -> Triples | None:
    """The entries, if the file is in perfect order; None if it may not be."""
    header = find_first_line(data)
    names = split_header(header)
    fields = ColumnNames.find(names, kind, Place(path, 1))
    if b'"' in data or data.startswith((b"\n", b" ")) or len(set(names)) < len(names):
        return None
    table = _parse(data, names, _delimiter(header), fields)
    if table is None:
        return None
    values = column_to_floats(table.column(fields.number))
    if not np.isfinite(values).all():
        return None
    if kind == "qrels" and np.abs(values).max() > LARGEST_GRADE:
        return None
    return Triples.of(
        path,
        table.column(fields.query),
        table.column(fields.item),
        -values if fields.ranked else values,
        ranked=fields.ranked,
        line_of=lambda entry: _line_of(data, entry),
    )


def _parse(data: bytes, names: list[str], delimiter: str, fields: ColumnNames) -> Any | None:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.csv as arrow_csv

    texts = [fields.query, fields.item]
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(data),
            arrow_csv.ReadOptions(column_names=names, skip_rows=1),
            arrow_csv.ParseOptions(delimiter=delimiter, quote_char=False, double_quote=False),
            arrow_csv.ConvertOptions(
                column_types={name: pa.string() for name in texts} | {fields.number: pa.float64()},
                include_columns=[*texts, fields.number],
                null_values=[],
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowException:
        return None
    if not len(table):
        return None
    for name in texts:
        column = table.column(name)
        if pc.min(pc.binary_length(pc.utf8_trim_whitespace(column))).as_py() == 0:
            return None
    return table


def _rows(path: Path, data: bytes) -> Iterator[tuple[int, list[str]]]:
    """Every row that is not blank, with the number of its first line."""
    return read_csv_rows(str(data, "utf-8"), path, _delimiter(find_first_line(data)), _LONGEST_CELL)


def _line_of(data: bytes, entry: int) -> int:
    return next(islice(_rows(Path(), data), entry + 1, None))[0]


def read_row_by_row(path: Path, data: bytes, kind: FileKind) -> Triples:
    """The entries, or an InputError that names the first line that is none."""
    rows = _rows(path, data)
    number, names = next(rows, (1, []))
    fields = ColumnNames.find(names, kind, Place(path, number))
    query, item, value = (
        _only_place(names, name, Place(path, number))
        for name in (fields.query, fields.item, fields.number)
    )
    queries: list[str] = []
    items: list[str] = []
    values: list[float] = []
    lines: list[int] = []
    for number, row in rows:
        place = Place(path, number)
        if len(row) != len(names):
            raise InputError(f"has {len(row)} cells, the header has {len(names)}", place)
        for name, cell in ((names[query], row[query]), (names[item], row[item])):
            if not cell.strip():
                raise InputError("has no id", Place(path, number, name))
        queries.append(row[query])
        items.append(row[item])
        values.append(parse_number(row[value].strip(), kind, Place(path, number, names[value])))
        lines.append(number)
    if not lines:
        raise InputError("has a header, but no entry", Place(path))
    numbers = np.array(values)
    return Triples.of(
        path,
        queries,
        items,
        -numbers if fields.ranked else numbers,
        ranked=fields.ranked,
        line_of=lines.__getitem__,
    )


def _only_place(names: list[str], name: str, place: Place) -> int:
    if names.count(name) > 1:
        raise InputError(f"has two columns {name!r}", place, hint="keep one of the two")
    return names.index(name)


def find_qrels_file(folder: Path, split: str = "test") -> Path:
    """The file of one split; an InputError names those that are there."""
    places = (folder / "qrels", folder)
    for place in places:
        for suffix in (".tsv", ".tsv.gz"):
            if (place / f"{split}{suffix}").is_file():
                return place / f"{split}{suffix}"
    found = sorted({file.name.split(".")[0] for place in places for file in place.glob("*.tsv*")})
    if not found:
        raise InputError(
            "has no qrels/test.tsv", Place(folder), hint="name a BEIR folder, or a file of qrels"
        )
    raise InputError(
        f"has no split {split!r}", Place(folder), hint=f"choose --split {' or '.join(found)}"
    )


def read_query_texts(folder: Path) -> dict[str, str]:
    """The text of every query by its id; empty if the folder has none."""
    file = folder / "queries.jsonl"
    if not file.is_file():
        return {}
    texts: dict[str, str] = {}
    for number, line in read_filled_lines(read_text(file)):
        place = Place(file, number)
        record = parse_json(line, place)
        if not isinstance(record, dict) or not isinstance(record.get("text"), str):
            raise InputError("has no text of a query", place)
        name = find_first(record, ("_id", *QUERY_NAMES))
        if name is not None:
            texts[str(record[name])] = record["text"]
    return texts
