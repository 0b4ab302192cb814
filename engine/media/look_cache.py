"""Descriptors on disk, so that a clip is decoded once in its life.

A descriptor is kept under the digest of the file's bytes and the moment in it: a file that is
copied, moved or named otherwise is known, one whose bytes changed is not. It is kept once more
under the file's identity (device, inode, size, and the times at which its bytes and its entry last
changed, the latter of which nobody can set), so that a million files need not be read to learn that
they are the same. Where that is lost, nothing is lost but time.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from typing import Any, BinaryIO, Final

from engine.base.arrays import Vectors
from engine.base.caches import RecentCache
from engine.media.descriptor import DESCRIPTOR_SIZE, DESCRIPTOR_VERSION
from engine.media.pictures import DecodeError, FrameRequest
from engine.text.vector_cache import VectorCache

MOST_LOOK_BYTES: Final = 512 << 20
"""Of the file: some 150,000 clips."""

MOST_HASHED: Final = 1 << 30
"""Bytes of a file that is read for its digest, in seconds. A larger one is known by its identity
alone: a hole of a terabyte has no end that anybody would wait for."""

_SETTLED = 2.0  # seconds: a file this young may change within the same tick of its clock
_AT_A_TIME = 256  # descriptors that are written together
_DIGESTS = 1_000  # files of which many clips may be moments


class LookCache:
    """Descriptors by file and moment; what is added is on disk once `flush` was called."""

    def __init__(self, vectors: VectorCache) -> None:
        self._vectors = vectors
        self._fresh: dict[str, Vectors] = {}
        self._digests: RecentCache[str, str] = RecentCache(_DIGESTS)

    @classmethod
    def open(cls) -> LookCache:
        digest = f"looks-{DESCRIPTOR_VERSION}"
        return cls(VectorCache.for_model(digest, most_bytes=MOST_LOOK_BYTES))

    def complete(
        self, file: BinaryIO, request: FrameRequest, compute: Callable[[], Vectors]
    ) -> Vectors:
        """The descriptor of a moment of an open file, computed if it is not known."""
        identity = _identify(file)
        here = _name_key(identity, request) if identity else None
        if here is not None and (known := self._get(here)) is not None:
            return known
        digest = self._digest(file, identity)
        content = _name_key(digest, request) if digest else None
        found = self._get(content) if content is not None else None
        if found is None:
            found = compute()
        self._keep({key: found for key in (here, content) if key is not None})
        return found

    def flush(self) -> None:
        """Write what was added; what cannot be written is computed again another time."""
        self._vectors.put(self._fresh)
        self._fresh = {}

    def close(self) -> None:
        self.flush()
        self._vectors.close()

    def _get(self, key: str) -> Vectors | None:
        found = self._fresh.get(key)
        if found is None:
            found = self._vectors.get([key]).get(key)
        return found if found is not None and found.size == DESCRIPTOR_SIZE else None

    def _keep(self, fresh: dict[str, Vectors]) -> None:
        self._fresh.update(fresh)
        if len(self._fresh) >= _AT_A_TIME:
            self.flush()

    def _digest(self, file: BinaryIO, identity: str | None) -> str | None:
        """Of the bytes; None: there are too many."""
        if os.fstat(file.fileno()).st_size > MOST_HASHED:
            return None
        known = self._digests.get(identity) if identity else None
        if known is None:
            known = _hash_open_file(file)
            if identity:
                self._digests.put(identity, known)
        return known


def _identify(file: BinaryIO) -> str | None:
    """What tells the file from any other; None if it was written just now."""
    found = os.fstat(file.fileno())
    if abs(time.time() - found.st_ctime) < _SETTLED:
        return None
    numbers = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
    return " ".join(map(str, numbers))


def _hash_open_file(file: BinaryIO) -> str:
    """The digest of all of it; whoever reads on reads from its start."""
    opened: Any = file  # a binary file in all but its type
    try:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
        file.seek(0)
    except OSError as error:
        reason = (error.strerror or "input error").lower()
        raise DecodeError(f"cannot be read ({reason})") from error
    return digest


def _name_key(file: str, request: FrameRequest) -> str:
    """All that the descriptor depends on, and no path: whoever reads the cache learns no names."""
    return hashlib.sha256(f"{file} {request!r}".encode()).hexdigest()
