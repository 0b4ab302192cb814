"""Reading results back: saved runs, saved scores and per-query files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from engine.base.errors import InputError, Place
from engine.files.csv_cells import split_cell, unescape_formula
from engine.files.envelope import is_schema
from engine.files.fields import Field
from engine.files.input_file import reading_inputs
from engine.files.parquet import open_parquet
from engine.files.reader import reads
from engine.files.reading import require_regular
from engine.files.text import parse_json, read_csv_rows, read_filled_lines, read_text
from engine.metrics import Measure, Profile, find_profile
from engine.results.results import RANKED, KeptResults, Results, number_queries

Parsed = TypeVar("Parsed")

_LISTS = ("keywords", "retrieved", "scores", "hits")
_TEXTS = ("mode", "profile", "query", "video")
FIRST_HIT_COLUMNS = ("first_hit", "first_hit_beyond", "first hit")
"""The last is that of tables that earlier inspectors wrote."""

FLIP_COLUMNS = ("fell out", "came in")
"""What only a table of changes has."""

EXPLANATION_COLUMNS = (
    *("text", "class", "right_rank", "hit_rank", "best_iou", "best_iou_at_k"),
    *("duration", "moment_length", "predictions"),
)
"""Columns that are no metric. Whoever reads a per-query file passes over them."""

_NO_METRIC = (*_TEXTS, "relevant", *_LISTS, *FIRST_HIT_COLUMNS, *EXPLANATION_COLUMNS)
_LARGEST = 1e15
"""Counts and ranks are the largest values there are; sums of squares of more would overflow."""


@reads("a saved run or a per-query file")
def read_results(path: Path, name: str | None = None, language: Profile | None = None) -> Results:
    """The results that a file holds, whatever tui-eval wrote it as.

    `name` is what the system is called; without it a saved run is called after its model, any
    other file after itself. `language` overrides the profile that a saved run has.
    """
    if not require_regular(path).exists():
        raise InputError("no such file", Place(path), hint="check the path")
    suffix = path.suffix.lower()
    if suffix not in _READERS:
        raise InputError(
            "is neither a saved run nor a per-query file",
            Place(path),
            hint="give .json written by run or score --out, or .csv, .jsonl or .parquet written by "
            "--per-query; a run file of another tool needs --qrels",
        )
    with reading_inputs(path) as files:
        results = _READERS[suffix](path)
    if not len(results):
        raise InputError("holds no query", Place(path))
    called, spoken = name or results.name, language or results.language
    file = files.named({"file": path})["file"]
    return replace(results, name=called, language=spoken, file=file)


def _saved(path: Path) -> Results:
    """A document of `run` or `score`."""
    document = Field(parse_json(read_text(path), Place(path)), "", Place(path))
    schema = document.part("schema").value
    if is_schema(schema, "scores"):
        raise InputError("holds several runs", Place(path), hint="score them one by one")
    if is_schema(schema, "session"):
        raise InputError(
            "is an exported session, not a saved run",
            Place(path),
            hint="to read it, write it as Markdown: tui-eval sessions export SESSION --out FILE.md",
        )
    if not is_schema(schema, "run", "score"):
        raise InputError(
            "is not a saved run",
            Place(path),
            hint="give what tui-eval run --out FILE.json, tui-eval score --out FILE.json or "
            "tui-eval labels --per-query FILE wrote",
        )
    entries = document.optional("per_query")
    if entries is None:
        raise InputError(
            "has no per-query values", Place(path), hint="write it again with this version"
        )
    results = _of_entries(
        list(entries.items()),
        name=_name(document) or path.stem,
        language=_checked(find_profile, document["profile"].text(), document.place),
    )
    policies, inputs = document.part("policies"), document.part("inputs")
    dataset = document.optional("dataset")
    notes = document.optional("notes")
    return replace(
        results,
        policies=tuple((name, one.in_words()) for name, one in policies.named()),
        inputs=tuple((role, one["sha256"].text()) for role, one in inputs.named()),
        model="" if document.optional("model") is None else _name(document),
        dataset="" if dataset is None else dataset["name"].text(),
        notes=() if notes is None else notes.texts(),
    )


def _name(document: Field) -> str:
    """The model of a run, or the run file that was scored."""
    model, run = document.optional("model"), document.optional("run")
    if model is not None:
        return model["name"].filled()
    return "" if run is None else run.text()


def _of_entries(entries: Sequence[Field], name: str, language: Profile) -> Results:
    places: dict[str, Place] = {}
    for entry in entries:
        for key in _object(entry["values"]):
            places.setdefault(key, entry.place)
    ids, measures = list(places), _measures(places)
    keys = number_queries(
        [entry["mode"].text() for entry in entries], [entry["query"].text() for entry in entries]
    )
    relevant = (entry["relevant"] for entry in entries)
    kept = [_ranked(entry) for entry in entries]
    videos = ["" if v.null else v.text() for v in (entry.part("video") for entry in entries)]
    values = [[_value(entry["values"].part(text)) for text in ids] for entry in entries]
    return Results(
        name=name,
        language=language,
        measures=measures,
        keys=keys,
        values=np.array(values, np.float64).reshape(len(entries), len(ids)),
        keywords=tuple(entry["keywords"].texts() for entry in entries),
        relevant=np.array([-1 if r.null else r.count() for r in relevant], np.int64),
        ranked=tuple(ranked for ranked in kept if ranked is not None) if None not in kept else (),
        videos=tuple(videos) if any(videos) else (),
    )


def _measures(places: Mapping[str, Place]) -> tuple[Measure, ...]:
    """The metrics of these names, each of which was found somewhere."""
    measures: list[Measure] = []
    for text, place in places.items():
        measure = _checked(Measure.parse, text, place)
        if measure in measures:
            raise InputError(f"has {measure} twice", place, hint="keep one of the two")
        measures.append(measure)
    return tuple(measures)


def _object(field: Field) -> dict[str, Any]:
    if not isinstance(field.value, dict):
        raise field.wrong("is not an object of metric ids and values")
    return field.value


def _checked(parse: Callable[[str], Parsed], text: str, place: Place) -> Parsed:
    """What a text means; if it means nothing, the error names its place."""
    try:
        return parse(text)
    except InputError as error:
        raise error.at(place) from error


def _value(field: Field) -> float:
    value = float("nan") if field.null else field.number()
    if abs(value) > _LARGEST:
        raise field.wrong(f"is {value:g}, larger than any metric")
    return value


def _ranked(entry: Field) -> KeptResults | None:
    if entry.optional("retrieved") is None:
        return None
    kept = KeptResults(
        ids=entry["retrieved"].texts(),
        scores=tuple(item.number() for item in entry["scores"].items()),
        gains=tuple(item.number() for item in entry["hits"].items()),
    )
    if not len(kept.ids) == len(kept.scores) == len(kept.gains):
        raise entry.wrong("has lists of different length: retrieved, scores, hits")
    return kept


def _per_query_lines(path: Path) -> Results:
    """JSON lines of `--per-query`."""
    entries = []
    for number, line in read_filled_lines(read_text(path)):
        place = Place(path, line=number)
        row = _object(Field(parse_json(line, place), "", place))
        values = {key: value for key, value in row.items() if key not in _NO_METRIC}
        entries.append(Field({**row, "values": values}, "", place))
    return _of_rows(path, entries)


def _of_rows(path: Path, rows: Sequence[Field]) -> Results:
    """A per-query file, which is called after itself."""
    return _of_entries(rows, path.stem, _language(rows))


def _language(rows: Sequence[Field]) -> Profile:
    """The one profile that the rows name; the usual one if they name none."""
    found: Profile | None = None
    for row in rows:
        named = row.optional("profile")
        if named is None or named.null:
            continue
        own = _checked(find_profile, named.text(), row.place)
        if found is not None and found != own:
            raise InputError(
                f"has the profile {own.name}, a row before it {found.name}",
                row.place,
                hint="keep runs of different profiles in different files",
            )
        found = own
    modes = {row["mode"].text() for row in rows}
    return found or find_profile("ir" if RANKED in modes else "alfa")


def _per_query_csv(path: Path) -> Results:
    rows = read_csv_rows(read_text(path), path)
    first, head = next(rows, (1, []))
    _check_columns(head, Place(path, line=first))
    entries = []
    for number, row in rows:
        place = Place(path, line=number)
        if len(row) != len(head):
            raise InputError(f"has {len(row)} cells, the header has {len(head)}", place)
        entries.append(_csv_entry(dict(zip(head, row, strict=True)), place))
    return _of_rows(path, entries)


def _csv_entry(cells: dict[str, str], place: Place) -> Field:
    def number(text: str, column: str) -> float | None:
        try:
            return float(text) if text else None
        except ValueError:
            where = Place(place.file, place.line, column)
            raise InputError(f"{text[:40]!r} is not a number", where) from None

    texts = {name: unescape_formula(cells.get(name, "")) for name in (*_TEXTS, *_LISTS)}
    values = {key: number(cell, key) for key, cell in cells.items() if key not in _NO_METRIC}
    relevant = number(cells["relevant"], "relevant")
    whole = relevant is not None and relevant.is_integer()
    entry: dict[str, Any] = {
        "mode": texts["mode"],
        "profile": texts["profile"] or None,
        "query": texts["query"],
        "keywords": split_cell(texts["keywords"]),
        "video": texts["video"],
        "relevant": int(relevant) if relevant is not None and whole else relevant,
        "values": values,
    }
    if "retrieved" in cells:
        entry["retrieved"] = split_cell(texts["retrieved"])
        entry["scores"] = [number(text, "scores") for text in split_cell(texts["scores"])]
        entry["hits"] = [number(text, "hits") for text in split_cell(texts["hits"])]
    return Field(entry, "", place)


def _per_query_parquet(path: Path) -> Results:
    with open_parquet(path) as file:
        _check_columns(file.names, Place(path))
        # In here, as a text that is no UTF-8 is damage too.
        rows = file.read(file.names, per_value=_AS_VALUE).to_pylist()
    entries = []
    for number, row in enumerate(rows, start=1):
        # A NaN is no value: it differs from itself.
        values = {k: v if v == v else None for k, v in row.items() if k not in _NO_METRIC}
        lists = {key: row[key] or [] for key in _LISTS if key in row}
        place = Place(path, line=number)
        entries.append(Field({**row, **lists, "values": values}, f"row {number}", place))
    return _of_rows(path, entries)


def _check_columns(columns: Sequence[str], place: Place) -> None:
    if set(FLIP_COLUMNS) <= set(columns):
        raise InputError(
            "is a table of changes between two runs, not a run",
            Place(place.file),
            hint="compare the saved runs: tui-eval compare A B",
        )
    missing = [name for name in ("mode", "query", "keywords", "relevant") if name not in columns]
    if missing:
        raise InputError(
            f"has no column {missing[0]!r}",
            place,
            hint="give a file that --per-query wrote; a run file of another tool needs --qrels",
        )
    twice = [name for number, name in enumerate(columns) if name in columns[:number]]
    if twice:
        raise InputError(f"has two columns {twice[0]!r}", place, hint="keep one of the two")
    named = [name for name in columns if name not in _NO_METRIC]
    if not named:
        raise InputError("has no column with a metric", place)
    _measures(dict.fromkeys(named, place))


_AS_VALUE = 250
"""Bytes that a cell takes beside its characters, as a value of Python that is being checked."""

_READERS: dict[str, Callable[[Path], Results]] = {
    ".json": _saved,
    ".csv": _per_query_csv,
    ".jsonl": _per_query_lines,
    ".parquet": _per_query_parquet,
}
