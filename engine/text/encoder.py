"""Text → vector. The model lives in a child process; results are cached on disk by model digest.

>>> encoder = SentenceEncoder()          # starts nothing
>>> encoder.state
'cold'
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from engine.base.arrays import Vectors
from engine.base.errors import InputError
from engine.files.input_file import FileSet
from engine.text import EMBEDDED
from engine.text.encoder_process import EncoderProcess
from engine.text.model_files import SentenceModel
from engine.text.vector_cache import CachedVector, VectorCache


class TextEncoder(Protocol):
    """Anything that turns texts into one vector each."""

    @property
    def name(self) -> str: ...

    def check(self, texts: Sequence[str]) -> None:
        """Refuse, before any work, texts that it cannot encode."""
        ...

    def encode(self, texts: Sequence[str]) -> Vectors: ...

    def close(self) -> None: ...


class SentenceEncoder(EncoderProcess):
    """A sentence-transformers model: the embedded one, a local name, or a folder."""

    def __init__(
        self,
        model: str = EMBEDDED,
        *,
        cache: VectorCache | None = None,
        on_start: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(SentenceModel(model), cache=cache, on_start=on_start)

    def candidates(self, texts: Iterable[str], longest: int) -> dict[str, CachedVector]:
        """KeyBERT's n-grams of 1 to `longest` words of every text, each with its vector.

        Texts are words joined by single spaces. A text whose n-grams are all cached is not sent.
        """
        wanted = {text: list_ngrams(text.split(), longest) for text in dict.fromkeys(texts)}
        known = self.cache.get(gram for grams in wanted.values() for gram in grams)
        missing = [text for text, grams in wanted.items() if any(g not in known for g in grams)]
        if missing:
            header, vectors = self._ask({"op": "candidates", "texts": missing, "longest": longest})
            fresh = dict(zip(header["names"], vectors, strict=True))
            self.cache.put(fresh)
            known.update(fresh)
        return known


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


def list_ngrams(words: Sequence[str], longest: int) -> list[str]:
    """All n-grams of 1 to `longest` words.

    >>> list_ngrams(["red", "car"], 3)
    ['red', 'car', 'red car']
    """
    sizes = range(1, min(longest, len(words)) + 1)
    return [
        " ".join(words[start : start + size])
        for size in sizes
        for start in range(len(words) - size + 1)
    ]
