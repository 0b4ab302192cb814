"""The child process that holds the sentence model; `encoder_process` starts it and talks to it.

torch and sentence-transformers take seconds to import and hundreds of megabytes. Here they cost
the caller nothing until text must be encoded, and they can never stall a user interface.

An answer with a `shape` in its header has that many little-endian float32 in its payload.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from engine.base.channel import Channel
from engine.base.errors import InputError

TOKEN_PATTERN = r"(?u)\S+"
"""The mapper sends texts that are split into words by single spaces already."""

_BATCH = 128  # n-grams are short: large batches keep the cores busy


class WorkerModel(Protocol):
    """What this process holds: texts become float32, one row each."""

    def encode(self, texts: list[str]) -> np.ndarray[Any, Any]: ...


class SentenceTransformerModel:
    """A sentence-transformers model, which also knows KeyBERT's candidates."""

    def __init__(self, path: str) -> None:
        from engine.text.sentence_model import open_sentence_model

        self._model = open_sentence_model(path)

    def encode(self, texts: list[str]) -> np.ndarray[Any, Any]:
        vectors = self._model.encode(
            texts, batch_size=_BATCH, show_progress_bar=False, convert_to_numpy=True
        )
        return np.asarray(vectors, dtype="<f4")

    def candidates(self, texts: list[str], longest: int) -> tuple[list[str], np.ndarray[Any, Any]]:
        """KeyBERT's candidate n-grams of the texts, 1 to `longest` words, with their embeddings."""
        from keybert import KeyBERT
        from keybert.backend import SentenceTransformerBackend
        from sklearn.feature_extraction.text import CountVectorizer

        vectorizer = CountVectorizer(
            ngram_range=(1, longest), token_pattern=TOKEN_PATTERN, lowercase=False
        )
        backend = SentenceTransformerBackend(self._model, batch_size=_BATCH)
        _, vectors = KeyBERT(backend).extract_embeddings(texts, vectorizer=vectorizer)
        return list(vectorizer.get_feature_names_out()), np.asarray(vectors, dtype="<f4")


def _load(base: str, checkpoint: str | None = None, adapter: str = "") -> WorkerModel:
    """A sentence-transformers folder, or the text encoder of a checkpoint that stands on it."""
    if checkpoint is None:
        return SentenceTransformerModel(base)
    from engine.text.checkpoints.model import CheckpointModel

    return CheckpointModel(Path(checkpoint), adapter, base)


def _answer(model: WorkerModel, request: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
    if request["op"] == "candidates" and isinstance(model, SentenceTransformerModel):
        names, vectors = model.candidates(request["texts"], request["longest"])
        return {"names": names, "shape": list(vectors.shape)}, vectors.tobytes()
    vectors = model.encode(request["texts"])
    return {"shape": list(vectors.shape)}, vectors.tobytes()


def _describe_error(error: Exception) -> dict[str, Any]:
    """An error as a header: what was refused keeps its place and its remedy."""
    if isinstance(error, InputError):
        return {"refused": error.message, "place": str(error.place), "hint": error.hint}
    return {"error": f"{type(error).__name__}: {error}"}


def serve(channel: Channel, arguments: Sequence[str]) -> None:
    """Load the model, say so, and answer until the caller closes the channel."""
    try:
        model = _load(*arguments)
        channel.send({"ready": True})
    except Exception as error:  # whatever a model folder can do wrong becomes one message
        channel.send(_describe_error(error))
        return
    while (request := channel.receive()) is not None:
        try:
            header, payload = _answer(model, request.header)
        except Exception as error:
            header, payload = _describe_error(error), b""
        channel.send(header, payload)
