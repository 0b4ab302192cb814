"""Encoded texts on disk, one SQLite file per model, so that a text is encoded once in its life.

The file is named by the model's digest: another model, or other weights under the same name,
never sees these vectors. It is only a cache: a broken file is thrown away, a folder that cannot
be written leaves the cache in memory.
"""

from __future__ import annotations

import contextlib
import sqlite3
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.base.caches import RecentCache
from engine.base.errors import InputError
from engine.files.data_folder import find_cache_folder
from engine.files.private import make_private_file, make_private_folder, tighten_file
from engine.files.protection import protect_database

CachedVector = npt.NDArray[np.float32]

_SCHEMA = """CREATE TABLE IF NOT EXISTS vectors
    (text TEXT PRIMARY KEY, vector BLOB, checksum INTEGER) WITHOUT ROWID"""
_FORGET = """DELETE FROM vectors WHERE text IN
    (SELECT text FROM vectors ORDER BY text LIMIT (SELECT count(*) / 4 + 1 FROM vectors))"""
_LAYOUT = 2  # of the table; a file of another layout is left alone
_PAGE_BYTES = 8192  # of smaller pages, each vector of 384 numbers would take one and more
_LOOKUP_BATCH = 500  # SQLite's oldest default limit of bound variables is 999
_BUSY_SECONDS = 5.0
_SAMPLE = 100  # rows that are asked how long their vectors are
_IN_MEMORY = 1_000  # vectors beside those on disk: 2 MB of a usual model


class VectorCache:
    """Vectors by text. `VectorCache(None)` lives in memory alone.

    most_bytes  that the file may hold. When it holds more, it forgets a quarter: those whose texts
                sort first, which is any quarter where the texts are digests. None: it never does

    >>> cache = VectorCache(None)
    >>> cache.put({"a car": np.array([1.0, 0.0], dtype=np.float32)})
    >>> sorted(cache.get(["a car", "a bus"]))
    ['a car']
    """

    def __init__(self, path: Path | None, most_bytes: int | None = None) -> None:
        self._most_bytes = most_bytes
        self._disk = _connect(path) if path else None
        self._memory: RecentCache[str, CachedVector] = RecentCache(
            _IN_MEMORY if self._disk else sys.maxsize
        )
        self._width = _sample_width(self._disk) if self._disk else None

    @classmethod
    def for_model(cls, digest: str, most_bytes: int | None = None) -> VectorCache:
        return cls(find_cache_folder() / f"vectors-{_LAYOUT}-{digest[:16]}.sqlite", most_bytes)

    def complete(
        self,
        texts: Sequence[str],
        compute: Callable[[list[str]], Iterable[Mapping[str, CachedVector]]],
    ) -> dict[str, CachedVector]:
        """A vector for each text: those that are known, and the rest as computed, part by part.

        What is computed is kept, and says how long the vectors are: those of another length, in a
        file that somebody has changed, are computed again.
        """
        known = self.get(texts)
        for _ in ("those that are not known", "those of another length"):
            missing = [text for text in dict.fromkeys(texts) if text not in known]
            for fresh in compute(missing) if missing else ():
                self.put(fresh)
                known.update(fresh)
            known = {text: one for text, one in known.items() if self._fits(one)}
        return known

    def _fits(self, vector: CachedVector) -> bool:
        return self._width in (None, vector.size)

    def get(self, texts: Iterable[str]) -> dict[str, CachedVector]:
        """The vectors that are known; a text that is not known is simply absent."""
        wanted = list(dict.fromkeys(texts))
        kept = {text: self._memory.get(text) for text in wanted}
        known = {text: one for text, one in kept.items() if one is not None and self._fits(one)}
        missing = [text for text in wanted if text not in known]
        if missing and self._disk:
            read = _read(self._disk, missing)
            found = {text: vector for text, vector in read.items() if self._fits(vector)}
            self._keep(found)
            known.update(found)
        return known

    def put(self, vectors: Mapping[str, CachedVector]) -> None:
        self._keep(vectors)
        for vector in vectors.values():
            self._width = vector.size
        if self._disk is None or not vectors:
            return
        blobs = [(text, vector.astype("<f4").tobytes()) for text, vector in vectors.items()]
        rows = [(text, blob, zlib.crc32(blob)) for text, blob in blobs]
        # A full disk or a second writer must not cost the user the result just computed.
        with contextlib.suppress(sqlite3.Error), self._disk:
            self._disk.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)
            if self._most_bytes is not None and _count_bytes(self._disk) > self._most_bytes:
                self._disk.execute(_FORGET)

    def _keep(self, vectors: Mapping[str, CachedVector]) -> None:
        for text, vector in vectors.items():
            self._memory.put(text, vector)

    def close(self) -> None:
        if self._disk:
            self._disk.close()
            self._disk = None


def _connect(path: Path) -> sqlite3.Connection | None:
    protect_database(path)
    for attempt in ("as it is", "made again"):
        connection = None
        try:
            make_private_folder(path.parent, [f"{path.name}*"])
            make_private_file(path)
            connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, check_same_thread=False)
            connection.execute(f"PRAGMA page_size={_PAGE_BYTES}")  # of a new file
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.execute(_SCHEMA)
            _tighten(path)
            return connection
        except sqlite3.DatabaseError as error:
            if connection:
                connection.close()
            locked_or_readonly = isinstance(error, sqlite3.OperationalError)
            if locked_or_readonly or attempt == "made again":
                return None
            path.unlink(missing_ok=True)
        except (OSError, InputError):
            return None
    return None


def _tighten(path: Path) -> None:
    """Take the texts away from others who could read them; earlier versions let them."""
    for end in ("", "-wal", "-shm"):
        tighten_file(path.with_name(path.name + end))


def _is_sound(blob: Any, checksum: Any) -> bool:
    """Whether a row is as it was written; SQLite keeps a value of any type in any column."""
    return (
        isinstance(blob, bytes)
        and len(blob) > 0
        and len(blob) % 4 == 0
        and isinstance(checksum, int)
        and zlib.crc32(blob) == checksum
    )


def _sample_width(connection: sqlite3.Connection) -> int | None:
    """How long the vectors of the file are: those of one model are all of one length."""
    query = f"SELECT length(vector) / 4 FROM vectors LIMIT {_SAMPLE}"
    with contextlib.suppress(sqlite3.Error):
        widths = Counter(width for (width,) in connection.execute(query) if width)
        return max(widths, key=lambda width: widths[width], default=None)
    return None


def _count_bytes(connection: sqlite3.Connection) -> int:
    """What the file holds; pages that were freed will be filled again."""
    pages, free, size = (
        int(connection.execute(f"PRAGMA {name}").fetchone()[0])
        for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * size


def _read(connection: sqlite3.Connection, texts: Sequence[str]) -> dict[str, CachedVector]:
    found: dict[str, CachedVector] = {}
    for start in range(0, len(texts), _LOOKUP_BATCH):
        batch = texts[start : start + _LOOKUP_BATCH]
        marks = ",".join("?" * len(batch))
        query = f"SELECT text, vector, checksum FROM vectors WHERE text IN ({marks})"
        with contextlib.suppress(sqlite3.Error):
            for text, blob, checksum in connection.execute(query, batch):
                if _is_sound(blob, checksum):  # else it is encoded again, and replaced
                    found[text] = np.frombuffer(blob, dtype="<f4").astype(np.float32)
    return found
