"""Any sentence-transformers model, in a process of its own, with KeyBERT's candidates."""

from __future__ import annotations

from collections.abc import Iterable

from engine.text.encoder import LoadingHook, list_ngrams
from engine.text.encoder_process import EncoderProcess
from engine.text.model_files import SentenceModel
from engine.text.vector_cache import CachedVector, VectorCache


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

    def candidates(self, texts: Iterable[str], longest: int) -> dict[str, CachedVector]:
        """KeyBERT's n-grams, each with its vector. A text whose n-grams are cached is not sent."""
        wanted = {text: list_ngrams(text.split(), longest) for text in dict.fromkeys(texts)}
        known = self.cache.get(gram for grams in wanted.values() for gram in grams)
        missing = [text for text, grams in wanted.items() if any(g not in known for g in grams)]
        if missing:
            header, vectors = self._ask({"op": "candidates", "texts": missing, "longest": longest})
            fresh = dict(zip(header["names"], vectors, strict=True))
            self.cache.put(fresh)
            known.update(fresh)
        return known
