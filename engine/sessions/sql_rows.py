"""Rows as they stand in a table of the store."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Any, TypeAlias

SqlRow: TypeAlias = tuple[Any, ...]


def insert_rows(store: sqlite3.Connection, table: str, rows: Iterable[SqlRow]) -> None:
    """Add whole rows to a table."""
    columns = len(store.execute(f"SELECT * FROM {table} LIMIT 0").description)
    store.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * columns)})", rows)
