"""Which formats there are, and which one a file has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal, TypeAlias

from engine.base.choices import Duplicates
from engine.files.large_files import read_data
from engine.files.reader import reads
from engine.files.reading import is_folder, read_first_bytes
from engine.rankings.formats.column_names import QUERY_NAMES, find_first, is_header
from engine.rankings.formats.csv_table import (
    find_first_line,
    find_qrels_file,
    read_csv,
    split_header,
)
from engine.rankings.formats.json_values import read_json, read_json_lines
from engine.rankings.formats.parquet import read_parquet
from engine.rankings.formats.run_and_qrels import Qrels, RunFile
from engine.rankings.formats.trec import read_trec
from engine.rankings.formats.triples import FileKind, Triples

RankingFormat: TypeAlias = Literal["trec", "beir", "json", "jsonl", "parquet", "csv"]

_READERS = {
    "trec": read_trec,
    "beir": read_csv,
    "csv": read_csv,
    "json": read_json,
    "jsonl": read_json_lines,
}
_BY_SUFFIX: dict[str, RankingFormat] = {
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
}


@reads("judgements (qrels)")
def read_qrels(
    path: Path,
    format: RankingFormat | None = None,
    *,
    split: str = "test",
    duplicates: Duplicates = "error",
) -> Qrels:
    """The judgements of a file, or of a BEIR folder; None: find out the format."""
    if format == "beir" or (format is None and is_folder(path)):
        path = find_qrels_file(path, split) if is_folder(path) else path
        format = "beir"
    return Qrels.of_triples(_read(path, "qrels", format), duplicates)


@reads("a run file")
def read_run(
    path: Path, format: RankingFormat | None = None, *, duplicates: Duplicates = "error"
) -> RunFile:
    """The rankings of a file; None: find out the format."""
    return RunFile.of_triples(_read(path, "run", format), duplicates)


def _read(path: Path, kind: FileKind, format: RankingFormat | None) -> Triples:
    if format == "parquet" or (format is None and guess_by_name(path) == "parquet"):
        return read_parquet(path, kind)
    if format is None and read_first_bytes(path, 4) == b"PAR1":  # parquet by another name
        return read_parquet(path, kind)
    data = read_data(path)
    format = format or _by_name_and_content(path, data)
    return _READERS[format](path, data, kind)


def _by_name_and_content(path: Path, data: bytes) -> RankingFormat:
    named, seen = guess_by_name(path), guess_by_content(data)
    # Many call a file of JSON lines .json.
    return seen if named is None or (named, seen) == ("json", "jsonl") else named


def guess_by_name(path: Path) -> RankingFormat | None:
    """The format that a file name promises.

    >>> guess_by_name(Path("run.jsonl.gz")), guess_by_name(Path("run.txt"))
    ('jsonl', None)
    """
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    return _BY_SUFFIX.get(suffixes[-1]) if suffixes else None


def guess_by_content(data: bytes) -> RankingFormat:
    """The format that the first line shows; TREC if it shows nothing else.

    >>> (
    ...     guess_by_content(b"query-id\\tcorpus-id\\tscore\\n1\\t2\\t1"),
    ...     guess_by_content(b"q1 Q0 d1 1 0.5 tag"),
    ... )
    ('csv', 'trec')
    """
    line = find_first_line(data)
    if line.lstrip().startswith(("{", "[")):
        return "jsonl" if _is_record(line) else "json"
    return "csv" if is_header(split_header(line)) else "trec"


def _is_record(line: str) -> bool:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return False
    if not isinstance(record, dict):
        return False
    # An object of queries may have one that is called query_id; its value is an object.
    key = find_first(record, QUERY_NAMES)
    return key is not None and not isinstance(record[key], dict)
