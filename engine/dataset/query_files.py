"""Query sets: texts from a file, or made from the ground truth; clips by id or by a sample."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.base.errors import InputError, Place
from engine.base.keyword import Keyword
from engine.base.messages import list_names
from engine.dataset.annotations.layout import normalise_column
from engine.dataset.clip_set import find_distinct_rows
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.vocabulary import Selection
from engine.files.reader import reads
from engine.files.text import (
    parse_json,
    read_csv_rows,
    read_filled_lines,
    read_json_objects,
    read_text,
)

_TEXT_COLUMNS = ("query", "text", "q", "caption")
_KEYWORD_COLUMNS = ("keywords", "kw", "keyword")
_MOST_COMBINATIONS = 50_000
LONGEST_QUERY = 5_000
"""Characters of a query; encoders read some hundred words at most."""


@dataclass(frozen=True, slots=True)
class TextQuery:
    """A text to search for. `keywords` as the file gives them; None: the mapper finds them."""

    text: str
    keywords: tuple[str, ...] | None = None
    groups: tuple[str, ...] | None = None
    place: Place | None = None


@reads("a list of clips")
def read_clip_list(path: Path) -> tuple[str, ...]:
    """Clip ids, one on each line."""
    return tuple(line.strip() for _, line in read_filled_lines(read_text(path)))


@reads("a query set")
def read_queries(path: Path) -> list[TextQuery]:
    """Text queries from CSV (`query[,keywords]`), JSON lines (`q`, `kw`, `groups`) or plain lines.

    Raises `InputError` with the line of the first query that cannot be read.
    """
    text = read_text(path)
    suffix = path.suffix.lower()
    if suffix in (".csv", ".tsv"):
        queries = list(_from_table(path, text))
    elif suffix in (".jsonl", ".ndjson", ".json"):
        queries = list(_from_json_lines(path, text))
    else:
        lines = read_filled_lines(text)
        queries = [TextQuery(line.strip(), place=Place(path, number)) for number, line in lines]
    for query in queries:
        check_text(query.text, query.place)
    if not queries:
        raise InputError("has no query", path, hint="write one query per line")
    return queries


def _from_table(path: Path, text: str) -> Iterable[TextQuery]:
    _, first = next(read_filled_lines(text))
    rows = read_csv_rows(text, path, max((",", ";", "\t"), key=first.count), strict=True)
    line, names = next(rows, (1, []))
    header = [normalise_column(name) for name in names]
    texts = _column(header, _TEXT_COLUMNS)
    if texts is None:
        raise InputError(
            f"has no column for the query text (columns: {list_names(header)})",
            Place(path, line),
            hint=f"name it {' or '.join(_TEXT_COLUMNS[:2])}; plain lines belong in a .txt file",
        )
    keywords = _column(header, _KEYWORD_COLUMNS)
    for line, row in rows:
        place = Place(path, line)
        if len(row) != len(header):
            raise InputError(
                f"has {len(row)} fields, the header has {len(header)}",
                place,
                hint='put cells that hold a comma in quotes: "a, b"',
            )
        yield _query(row[texts], None if keywords is None else row[keywords], place)


def _column(header: Sequence[str], names: Sequence[str]) -> int | None:
    return next((header.index(name) for name in names if name in header), None)


def check_text(text: str, place: Place | None = None) -> str:
    """Refuse a text that nobody can mean: empty, a lone surrogate, or a whole book."""
    if not text.strip():
        raise InputError("the query text is empty", place, hint="say what to look for")
    if len(text) > LONGEST_QUERY:
        raise InputError(
            f"the query text has {len(text):,} characters", place, hint=f"at most {LONGEST_QUERY:,}"
        )
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError("the query text is not valid Unicode", place) from error
    return text


def _query(text: str, cell: str | None, place: Place) -> TextQuery:
    names = tuple(part.strip() for part in (cell or "").split(",") if part.strip())
    return TextQuery(text.strip(), names or None, place=place)


def _from_json_lines(path: Path, text: str) -> Iterable[TextQuery]:
    for place, record in read_query_objects(path, text):
        value = next((record[key] for key in _TEXT_COLUMNS if key in record), None)
        if not isinstance(value, str):
            raise InputError(
                "has no query text", place, hint='write {"q": "…", "groups": ["…"], "kw": ["…"]}'
            )
        keywords = next((record[key] for key in _KEYWORD_COLUMNS if key in record), None)
        groups = record.get("groups")
        yield TextQuery(
            value.strip(),
            None if keywords is None else _strings(keywords, "kw", place),
            None if groups is None else _strings(groups, "groups", place),
            place,
        )


def read_query_objects(path: Path, text: str) -> Iterable[tuple[Place, dict[str, Any]]]:
    """The objects of a JSON-lines text (or of one JSON list), each with its place."""
    hint = 'write {"q": "…"}'
    if not text.lstrip().startswith("["):
        for number, record in read_json_objects(path, text, hint):
            yield Place(path, number), record
        return
    for number, item in enumerate(parse_json(text, Place(path)), 1):
        place = Place(path, column=f"item {number}")
        if not isinstance(item, dict):
            raise InputError("is not a JSON object", place, hint=hint)
        yield place, item


def _strings(value: object, name: str, place: Place) -> tuple[str, ...]:
    if isinstance(value, str):
        value = [part for part in value.split(",") if part.strip()]
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InputError(f"{name} must be a list of strings", place)
    return tuple(item.strip() for item in value)


def find_combinations(truth: GroundTruth, selection: Selection) -> list[tuple[Keyword, ...]]:
    """Every combination of one keyword per chosen group that some clip has, in column order.

    >>> truth = GroundTruth.from_columns(
    ...     ["a", "b"], {"object": [["car"], ["car", "bus"]], "scene": [["city"], []]}
    ... )
    >>> [[k.name for k in combination]
    ...  for combination in find_combinations(truth, truth.words.select())]
    [['car', 'city']]
    """
    found: set[tuple[Keyword, ...]] = set()
    distinct, _ = find_distinct_rows(truth.bits & selection.mask)
    for row in distinct.tolist():
        own = truth.keywords_of(row, selection)
        of_group: dict[str, list[Keyword]] = {}
        for keyword in own:
            of_group.setdefault(keyword.group, []).append(keyword)
        if len(of_group) < len(selection.groups):
            continue
        by_group = [of_group[group] for group in selection.groups]
        possible = math.prod(len(keywords) for keywords in by_group)
        if possible <= _MOST_COMBINATIONS:
            found.update(itertools.product(*by_group))
        if max(possible, len(found)) > _MOST_COMBINATIONS:
            raise InputError(
                f"more than {_MOST_COMBINATIONS:,} keyword combinations are observed",
                hint="choose fewer groups or keywords, or give a query file with --queries",
            )
    column = truth.words.column_of
    return sorted(found, key=lambda combination: [column[keyword] for keyword in combination])


def make_combination_queries(truth: GroundTruth, selection: Selection) -> list[TextQuery]:
    """The observed combinations as text queries whose keywords are known."""
    return [
        TextQuery(
            " ".join(keyword.name for keyword in combination),
            tuple(str(keyword) for keyword in combination),
        )
        for combination in find_combinations(truth, selection)
    ]


def sample_rows(size: int, count: int | None, seed: int) -> npt.NDArray[np.int64]:
    """All rows, or `count` of them drawn without repetition, in ascending order.

    >>> sample_rows(5, 2, seed=0).tolist() == sample_rows(5, 2, seed=0).tolist()
    True
    """
    if count is not None and count < 1:
        raise InputError(f"a sample of {count} queries", hint="draw at least one")
    if seed < 0:
        raise InputError(f"the seed is {seed}", hint="a seed is 0 or more")
    if count is None or count >= size:
        return np.arange(size, dtype=np.int64)
    return np.sort(np.random.default_rng(seed).choice(size, count, replace=False)).astype(np.int64)
