"""Which queries belong together, read from a CSV file: query, cluster."""

from __future__ import annotations

from pathlib import Path

from engine.base.errors import InputError, Place
from engine.files.lines import read_csv_rows
from engine.files.text import read_text


def read_clusters(path: Path) -> dict[str, str]:
    """The cluster of each query that the file names."""
    if not path.exists():
        raise InputError(
            f"--clusters {str(path)!r} is neither none, keywords, video nor a file",
            hint="give a CSV file with the columns query,cluster",
        )
    rows = read_csv_rows(read_text(path), path)
    head = [name.strip().lower() for name in next(rows, (1, []))[1]]
    if "query" not in head or "cluster" not in head:
        raise InputError(
            "has no columns query and cluster",
            Place(path, line=1),
            hint="write the header query,cluster",
        )
    query, cluster = head.index("query"), head.index("cluster")
    found: dict[str, str] = {}
    for line, row in rows:
        place = Place(path, line)
        if len(row) <= max(query, cluster):
            raise InputError(f"has {len(row)} cells, the header has {len(head)}", place)
        if found.setdefault(row[query], row[cluster]) != row[cluster]:
            raise InputError(f"puts the query {row[query]!r} into a second cluster", place)
    if not found:
        raise InputError("names no query", Place(path))
    return found
