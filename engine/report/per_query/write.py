"""Per-query results as a table, one row per query: what `--per-query FILE` writes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from engine.base.errors import InputError, Place
from engine.base.json_text import printable
from engine.files.atomic import write_whole
from engine.files.csv_cells import in_one_cell, to_csv
from engine.report.per_query.entries import query_entries
from engine.results.results import Results


def check_per_query_path(path: Path) -> None:
    """Refuse a file name whose format is not known, before any work is done."""
    if path.suffix.lower() not in _WRITERS:
        raise InputError(
            f"cannot write per-query results as {path.suffix or 'a file without an extension'}",
            Place(path),
            hint=f"name a file that ends in {', '.join(_WRITERS)}",
        )


def write_per_query(results: Results, path: Path) -> None:
    """Write one row per query; the file's extension says how."""
    check_per_query_path(path)
    write_whole(_WRITERS[path.suffix.lower()](results), path)


def _rows(results: Results) -> Iterator[dict[str, Any]]:
    """The entries with the profile behind the mode, and metrics beside the other fields."""
    for entry in query_entries(results):
        mode, values = entry.pop("mode"), entry.pop("values")
        yield {"mode": mode, "profile": results.language.name, **entry, **values}


def _columns(results: Results) -> dict[str, list[Any]]:
    rows = list(_rows(results))
    names = ["mode", "profile", "query", "keywords", "relevant"]
    names += ["video"] if any(results.videos) else []
    names += ["retrieved", "scores", "hits"] if results.ranked else []
    names += map(str, results.measures)
    return {name: [row.get(name) for row in rows] for name in names}


def _lines(results: Results) -> str:
    lines = (json.dumps(row, ensure_ascii=False, allow_nan=False) for row in _rows(results))
    return "".join(f"{printable(line)}\n" for line in lines)


def _csv(results: Results) -> str:
    columns = _columns(results)
    rows = zip(*columns.values(), strict=True)
    return to_csv(list(columns), [[_cell(value) for value in row] for row in rows])


def _cell(value: Any) -> Any:
    return in_one_cell(list(map(str, value))) if isinstance(value, list) else value


def _parquet(results: Results) -> bytes:
    """Every column has its type, whatever is or is not in it: files of many runs fit together."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    text, number = pa.string(), pa.float64()
    types = dict.fromkeys(("mode", "profile", "query", "video"), text)
    types |= dict.fromkeys(("keywords", "retrieved"), pa.list_(text))
    types |= dict.fromkeys(("scores", "hits"), pa.list_(number))
    types |= {"relevant": pa.int64()}
    columns = _columns(results)
    arrays = [pa.array(values, types.get(name, number)) for name, values in columns.items()]
    out = pa.BufferOutputStream()
    pq.write_table(pa.table(arrays, names=list(columns)), out)
    return bytes(out.getvalue())


_WRITERS: dict[str, Callable[[Results], str | bytes]] = {
    ".csv": _csv,
    ".jsonl": _lines,
    ".parquet": _parquet,
}
