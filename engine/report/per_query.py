"""Per-query results as a table: one row per query, for notebooks and for `--per-query FILE`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import InputError, Place
from engine.report.query_entries import query_entries
from engine.report.spreadsheet import to_csv
from engine.results import Results

if TYPE_CHECKING:
    import pandas as pd

_FORMATS = (".csv", ".jsonl", ".parquet")


def check_per_query_path(path: Path) -> None:
    """Refuse a file name whose format is not known, before any work is done."""
    if path.suffix.lower() not in _FORMATS:
        raise InputError(
            f"cannot write per-query results as {path.suffix or 'a file without an extension'}",
            Place(path),
            hint=f"name a file that ends in {', '.join(_FORMATS)}",
        )


def per_query_frame(results: Results) -> pd.DataFrame:
    """Mode, query, keywords, counts, the kept results with their scores and hits, every measure."""
    import pandas as pd

    return pd.DataFrame(_columns(results))


def _columns(results: Results) -> dict[str, Any]:
    entries = list(query_entries(results))
    names = ["mode", "query", "keywords", "relevant"]
    names += ["video"] if any(results.videos) else []
    names += ["retrieved", "scores", "hits"] if results.ranked else []
    columns: dict[str, Any] = {name: [entry.get(name) for entry in entries] for name in names}
    if any(isinstance(hit, float) for hits in columns.get("hits", ()) for hit in hits):
        # Parquet wants numbers of one kind in a column.
        columns["hits"] = [[float(hit) for hit in hits] for hits in columns["hits"]]
    return columns | {str(measure): results.column(measure) for measure in results.measures}


def write_per_query(results: Results, path: Path) -> None:
    """Write the table; the file's extension says how."""
    check_per_query_path(path)
    suffix = path.suffix.lower()
    try:
        if suffix == ".parquet":
            per_query_frame(results).to_parquet(path, index=False)
        else:
            text = _lines(results) if suffix == ".jsonl" else _csv(results)
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        reason = error.strerror or "input error"
        raise InputError(f"cannot be written ({reason})", Place(path)) from error


def _lines(results: Results) -> str:
    """One object per query, in which metrics stand beside the other fields."""
    lines = []
    for entry in query_entries(results):
        values = entry.pop("values")
        lines.append(json.dumps({**entry, **values}, ensure_ascii=False, allow_nan=False) + "\n")
    return "".join(lines)


def _csv(results: Results) -> str:
    """Lists joined by "; ", and no cell that a spreadsheet would run as a formula."""
    columns = _columns(results)
    rows = zip(*columns.values(), strict=True)
    return to_csv(list(columns), [[_cell(value) for value in row] for row in rows])


def _cell(value: Any) -> Any:
    if isinstance(value, list):
        return "; ".join(map(str, value))
    return None if isinstance(value, float) and value != value else value
