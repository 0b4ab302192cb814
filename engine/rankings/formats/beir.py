"""BEIR folders: judgements in `qrels/<split>.tsv`, texts of the queries in `queries.jsonl`."""

from __future__ import annotations

from pathlib import Path

from engine.base.errors import InputError, Place
from engine.files.lines import read_filled_lines
from engine.files.text import parse_json, read_text
from engine.rankings.formats.column_names import QUERY_NAMES, find_first


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
