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

from engine.base.errors import InputError, Place
from engine.files.reader import reads
from engine.files.text import parse_json, read_csv_rows, read_filled_lines, read_text
from engine.rankings.formats.arrow_columns import find_numbers, has_empty, read_columns
from engine.rankings.formats.column_names import (
    QUERY_NAMES,
    ColumnNames,
    find_first,
    parse_number,
)
from engine.rankings.formats.triples import EntryLists, FileKind, Triples

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
    texts = [fields.query, fields.item]
    table = read_columns(data, names, texts, fields.number, _delimiter(header), skipped=1)
    if table is None or any(has_empty(_trimmed(table.column(name))) for name in texts):
        return None
    values = find_numbers(table.column(fields.number), kind)
    if values is None:
        return None
    return Triples.of(
        path,
        table.column(fields.query),
        table.column(fields.item),
        -values if fields.ranked else values,
        ranked=fields.ranked,
        line_of=lambda entry: _line_of(data, entry),
    )


def _trimmed(column: Any) -> Any:
    import pyarrow.compute as pc

    return pc.utf8_trim_whitespace(column)


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
    fields.require_once(names, Place(path, number))
    query, item, value = (names.index(name) for name in (fields.query, fields.item, fields.number))
    entries = EntryLists(path, ranked=fields.ranked)
    for number, row in rows:
        if len(row) != len(names):
            message = f"has {len(row)} cells, the header has {len(names)}"
            raise InputError(message, Place(path, number))
        for name, cell in ((names[query], row[query]), (names[item], row[item])):
            if not cell.strip():
                raise InputError("has no id", Place(path, number, name))
        score = parse_number(row[value].strip(), kind, Place(path, number, names[value]))
        entries.add(row[query], row[item], -score if fields.ranked else score, number)
    if not entries.lines:
        raise InputError("has a header, but no entry", path)
    return entries.triples()


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
            "has no qrels/test.tsv", folder, hint="name a BEIR folder, or a file of qrels"
        )
    raise InputError(f"has no split {split!r}", folder, hint=f"choose --split {' or '.join(found)}")


@reads("the queries of a BEIR folder")
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
