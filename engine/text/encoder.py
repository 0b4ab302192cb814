"""Text → vector. What a model computes is cached on disk, under the digest of its weights."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Literal, Protocol, Self, TypeAlias

import numpy as np

from engine.base.arrays import Vectors
from engine.base.errors import InputError
from engine.base.progress import split_range
from engine.files.input_file import FileSet
from engine.text.vector_cache import VectorCache

EncoderState = Literal["cold", "warming", "ready", "failed"]

LoadingHook: TypeAlias = Callable[[str], AbstractContextManager[object]]
"""Is given the name of an encoder that takes seconds to load. What it returns is entered before,
and left when the encoder is ready or has failed, so that someone who waits learns why."""

_TEXTS_AT_ONCE = 256
"""Texts in one request, about half a second: then somebody else's turn may come, and what is
encoded is in the cache, whatever happens to the rest."""


class TextEncoder(Protocol):
    """Anything that turns texts into one vector each."""

    @property
    def name(self) -> str: ...

    def check(self, texts: Sequence[str]) -> None:
        """Refuse, before any work, texts that it cannot encode."""
        ...

    def encode(self, texts: Sequence[str]) -> Vectors: ...

    def close(self) -> None: ...


class SentenceEncoder(ABC):
    """A model that encodes any text. It is loaded with the first text that is not in the cache."""

    def __init__(self, name: str, cache: VectorCache | None = None) -> None:
        self.name = name
        self._cache = cache
        self._closed = False

    @property
    @abstractmethod
    def state(self) -> EncoderState:
        """How far the model is."""

    @property
    def seconds_loading(self) -> float:
        """For how long it has been loading; 0 when it is not."""
        return 0.0

    def knows(self, texts: Sequence[str]) -> bool:
        """Whether all of them were encoded before, so that no model is needed for them."""
        return len(self.cache.get(texts)) == len(set(texts))

    @property
    def cache(self) -> VectorCache:
        if self._cache is None:
            digest = self._digest()
            self._cache = VectorCache.for_model(digest) if digest else VectorCache(None)
        return self._cache

    def check(self, texts: Sequence[str]) -> None:  # noqa: B027 (any text can be encoded)
        """Refuse nothing."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row per text, in order. Only texts that were never seen reach the model."""
        known = self.cache.complete(texts, self._compute_in_parts)
        return np.stack([known[text] for text in texts]) if texts else np.empty((0, 0), np.float32)

    def _compute_in_parts(self, texts: list[str]) -> Iterator[dict[str, Vectors]]:
        for part in split_range(len(texts), _TEXTS_AT_ONCE):
            yield dict(zip(texts[part], self._compute(texts[part]), strict=True))

    def encode_phrases(self, phrases: Sequence[str]) -> Vectors:
        """Short phrases, words joined by single spaces: one row each, in order."""
        return self.encode(phrases)

    @abstractmethod
    def wait_until_ready(self) -> None:
        """Load the model, if it is not loaded."""

    @abstractmethod
    def close(self) -> None:
        """End it for good: what is not cached is refused from now on."""

    @abstractmethod
    def _digest(self) -> str | None:
        """Vectors are cached on disk under this; None if nothing can vouch for them later."""

    @abstractmethod
    def _compute(self, texts: list[str]) -> Vectors:
        """One row per text, by the model."""

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise InputError(f"the encoder {self.name!r} is closed")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class PrecomputedEncoder:
    """Vectors computed elsewhere, looked up by the exact text of the query."""

    def __init__(
        self, texts: Sequence[str], vectors: Vectors, source: Path, files: FileSet | None = None
    ) -> None:
        self.name = str(source)
        self.files = files or FileSet()
        self._vectors = vectors
        self._rows = {text.strip(): row for row, text in enumerate(texts)}

    def check(self, texts: Sequence[str]) -> None:
        missing = [text for text in texts if text.strip() not in self._rows]
        if missing:
            raise InputError(
                f"has no vector for {missing[0]!r} ({len(missing)} of {len(texts)} texts missing)",
                self.name,
                hint="add the vector, or drop the precomputed file to encode with a model",
            )

    def encode(self, texts: Sequence[str]) -> Vectors:
        self.check(texts)
        return np.ascontiguousarray(self._vectors[[self._rows[text.strip()] for text in texts]])

    def close(self) -> None:
        """Nothing to end; here so that every encoder can be closed."""
