"""The embedded encoder: it runs in this process, and there is next to nothing to wait for.

>>> with EmbeddedEncoder(cache=VectorCache(None)) as encoder:
...     encoder.encode(["a red car", ""]).shape
(2, 384)
"""

from __future__ import annotations

from engine.base.arrays import Vectors
from engine.text import EMBEDDED
from engine.text.embedded.model import load_embedded_model
from engine.text.encoder import EncoderState, SentenceEncoder
from engine.text.model_files import EMBEDDED_SHA256
from engine.text.vector_cache import VectorCache


class EmbeddedEncoder(SentenceEncoder):
    """The model that comes with the install; loaded with the first text that is not cached."""

    def __init__(self, *, cache: VectorCache | None = None) -> None:
        super().__init__(EMBEDDED, cache)
        self._state: EncoderState = "cold"

    @property
    def state(self) -> EncoderState:
        return self._state

    def wait_until_ready(self) -> None:
        self._refuse_if_closed()
        if self._state != "ready":
            self._state = "warming"
            try:
                load_embedded_model()
            except BaseException:
                self._state = "failed"
                raise
            self._state = "ready"

    def close(self) -> None:
        """Whoever is encoding stops before the next batch; what they have is in the cache."""
        self._closed = True

    def _digest(self) -> str:
        return EMBEDDED_SHA256

    def _compute(self, texts: list[str]) -> Vectors:
        self.wait_until_ready()
        return load_embedded_model().encode(texts, before_batch=self._refuse_if_closed)
