"""One row per query, in files that `compare`, `gate` and `report` read back: `--per-query`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from engine.base.errors import InputError, Place
from engine.base.json_text import escape_unprintable, nan_to_none
from engine.files.atomic import write_whole
from engine.files.csv_cells import join_cell, to_csv
from engine.files.reading import name_kind

if TYPE_CHECKING:  # who writes other rows does without it
    from engine.results.first_hits import FirstHits
    from engine.results.results import Results

Row: TypeAlias = Mapping[str, Any]


def check_per_query_path(path: Path) -> None:
    """Refuse a file name whose format is not known, before any work is done."""
    if path.suffix.lower() not in _WRITERS:
        raise InputError(
            f"cannot write per-query results as {name_kind(path)}",
            Place(path),
            hint=f"name a file that ends in {', '.join(_WRITERS)}",
        )


def write_per_query(results: Results, path: Path) -> None:
    """Write one row per query; the file's extension says how."""
    names = ["mode", "profile", "query", "keywords", "relevant"]
    names += ["video"] if any(results.videos) else []
    if results.first_hits is not None:
        names += ["first_hit"]
        names += ["first_hit_beyond"] if results.first_hits.beyond.any() else []
    names += ["retrieved", "scores", "hits"] if results.ranked else []
    write_rows([*names, *map(str, results.measures)], _rows(results), path)


def write_rows(names: Sequence[str], rows: Iterable[Row], path: Path) -> None:
    """Write rows that have these columns; what a row does not have is empty."""
    check_per_query_path(path)
    write_whole(_WRITERS[path.suffix.lower()](names, rows), path)


def _rows(results: Results) -> Iterator[Row]:
    """The entries with the profile behind the mode, and metrics beside the other fields."""
    for entry in dump_queries(results):
        mode, values = entry.pop("mode"), entry.pop("values")
        yield {"mode": mode, "profile": results.language.name, **entry, **values}


def dump_queries(results: Results) -> Iterator[dict[str, Any]]:
    """One entry per query, ready for JSON; what is not known or does not count is null.

    They are the `per_query` list of saved results.
    """
    ids = [str(measure) for measure in results.measures]
    for row, key in enumerate(results.keys):
        relevant = int(results.relevant[row])
        entry: dict[str, Any] = {
            "mode": key.mode,
            "query": key.query,
            "keywords": list(results.keywords[row]),
            "relevant": None if relevant < 0 else relevant,
        }
        if results.videos and results.videos[row]:
            entry["video"] = results.videos[row]
        if results.first_hits is not None:
            entry |= _dump_first_hit(results.first_hits, row)
        if results.ranked:
            kept = results.ranked[row]
            entry["retrieved"] = list(kept.ids)
            entry["scores"] = list(kept.scores)
            entry["hits"] = [int(gain) if gain.is_integer() else gain for gain in kept.gains]
        values = map(nan_to_none, results.values[row].tolist())
        entry["values"] = dict(zip(ids, values, strict=True))
        yield entry


def _dump_first_hit(hits: FirstHits, row: int) -> dict[str, int | None]:
    """The rank; null if there is no hit, or none among the first so many results."""
    rank, beyond = int(hits.ranks[row]), int(hits.beyond[row])
    return {"first_hit": rank or None, **({"first_hit_beyond": beyond} if beyond else {})}


def _lines(_names: Sequence[str], rows: Iterable[Row]) -> str:
    dump = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
    return escape_unprintable("".join(f"{dump(row)}\n" for row in rows))


def _csv(names: Sequence[str], rows: Iterable[Row]) -> str:
    return to_csv(names, ([_cell(row.get(name)) for name in names] for row in rows))


def _cell(value: Any) -> Any:
    return join_cell(list(map(str, value))) if isinstance(value, list) else value


def _parquet(names: Sequence[str], rows: Iterable[Row]) -> bytes:
    """Every column has its type, whatever is or is not in it: files of many runs fit together."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    text, whole, number = pa.string(), pa.int64(), pa.float64()
    types = dict.fromkeys(("mode", "profile", "query", "video", "text", "class"), text)
    types |= dict.fromkeys(
        ("relevant", "first_hit", "first_hit_beyond", "right_rank", "hit_rank", "predictions"),
        whole,
    )
    types |= dict.fromkeys(("keywords", "retrieved"), pa.list_(text))
    types |= dict.fromkeys(("scores", "hits"), pa.list_(number))
    rows = list(rows)
    arrays = [pa.array([row.get(name) for row in rows], types.get(name, number)) for name in names]
    out = pa.BufferOutputStream()
    pq.write_table(pa.table(arrays, names=list(names)), out)
    return bytes(out.getvalue())


_WRITERS: dict[str, Callable[[Sequence[str], Iterable[Row]], str | bytes]] = {
    ".csv": _csv,
    ".jsonl": _lines,
    ".parquet": _parquet,
}
