"""The encoder of a model by its name.

>>> encoder = open_encoder("some/folder")          # starts nothing
>>> encoder.name, encoder.state
('some/folder', 'cold')
"""

from __future__ import annotations

from engine.text import EMBEDDED
from engine.text.embedded.encoder import EmbeddedEncoder
from engine.text.encoder import LoadingHook, SentenceEncoder
from engine.text.transformer_encoder import TransformerEncoder
from engine.text.vector_cache import VectorCache


def open_encoder(
    model: str = EMBEDDED,
    *,
    cache: VectorCache | None = None,
    while_loading: LoadingHook | None = None,
) -> SentenceEncoder:
    """The embedded encoder, or that of a sentence-transformers folder or local name.

    `while_loading` surrounds the loading of a model that takes seconds; the embedded one does not.
    """
    if model == EMBEDDED:
        return EmbeddedEncoder(cache=cache)
    return TransformerEncoder(model, cache=cache, while_loading=while_loading)
