"""Any sentence-transformers model, in a process of its own, with KeyBERT's candidates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from engine.base.arrays import Vectors
from engine.text.encoder import LoadingHook
from engine.text.encoder_process import EncoderProcess
from engine.text.model_files import SentenceModel
from engine.text.vector_cache import VectorCache


class TransformerEncoder(EncoderProcess):
    """A sentence-transformers model: a local name, or a folder."""

    def __init__(
        self,
        model: str,
        *,
        cache: VectorCache | None = None,
        while_loading: LoadingHook | None = None,
    ) -> None:
        super().__init__(SentenceModel(model), cache=cache, while_loading=while_loading)

    def encode_phrases(self, phrases: Sequence[str]) -> Vectors:
        """As KeyBERT encodes the candidates of a text; phrases that are cached are not sent."""
        known = self.cache.complete(phrases, self._compute_candidates)
        return np.stack([known[phrase] for phrase in phrases])

    def _compute_candidates(self, phrases: list[str]) -> Iterator[dict[str, Vectors]]:
        longest = max(len(phrase.split()) for phrase in phrases)
        header, vectors = self._ask({"op": "candidates", "texts": phrases, "longest": longest})
        yield dict(zip(header["names"], vectors, strict=True))
