"""The encoder of a model by its name.

>>> encoder = open_encoder("some/folder")          # starts nothing
>>> encoder.name, encoder.state
('some/folder', 'cold')
"""

from __future__ import annotations

from collections.abc import Callable

from engine.text import EMBEDDED
from engine.text.embedded.encoder import EmbeddedEncoder
from engine.text.encoder import SentenceEncoder
from engine.text.transformer_encoder import TransformerEncoder
from engine.text.vector_cache import VectorCache


def open_encoder(
    model: str = EMBEDDED,
    *,
    cache: VectorCache | None = None,
    on_start: Callable[[], None] | None = None,
) -> SentenceEncoder:
    """The embedded encoder, or that of a sentence-transformers folder or local name.

    `on_start` is called when a model is about to be loaded that takes seconds, so that someone who
    waits learns why.
    """
    if model == EMBEDDED:
        return EmbeddedEncoder(cache=cache)
    return TransformerEncoder(model, cache=cache, on_start=on_start)
