"""The child process that holds the sentence model; `engine.text.encoder` starts it and talks to it.

torch and sentence-transformers take seconds to import and hundreds of megabytes. Here they cost
the caller nothing until text must be encoded, and they can never stall a user interface.

Frames on the pipes, both ways: the length of a JSON header (4 bytes, big endian), the header,
and, where the header has a `shape`, that many little-endian float32.
"""

from __future__ import annotations

import json
import os
import struct
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, Protocol

import numpy as np

from engine.base.errors import InputError

TOKEN_PATTERN = r"(?u)\S+"
"""The mapper sends texts that are split into words by single spaces already."""

_BATCH = 128  # n-grams are short: large batches keep the cores busy
_LOOKS_FOR_ITS_PARENT = 0.5  # seconds between two looks


def write_frame(pipe: IO[bytes], header: dict[str, Any], payload: bytes = b"") -> None:
    head = json.dumps(header).encode()
    pipe.write(struct.pack(">I", len(head)) + head + payload)
    pipe.flush()


def read_frame(pipe: IO[bytes]) -> tuple[dict[str, Any], bytes] | None:
    """The next header and payload; None at the end of the stream, also in the middle of a frame."""
    size = pipe.read(4)
    if len(size) < 4:
        return None
    length = struct.unpack(">I", size)[0]
    head = pipe.read(length)
    if len(head) < length:
        return None
    header: dict[str, Any] = json.loads(head)
    wanted = 4 * int(np.prod(header["shape"])) if "shape" in header else 0
    payload = pipe.read(wanted)
    return (header, payload) if len(payload) == wanted else None


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


def serve(arguments: Sequence[str], requests: IO[bytes], answers: IO[bytes]) -> None:
    """Load the model, say so, and answer until the caller closes the pipe."""
    try:
        model = _load(*arguments)
        write_frame(answers, {"ready": True})
    except Exception as error:  # whatever a model folder can do wrong becomes one message
        write_frame(answers, _describe_error(error))
        return
    while (frame := read_frame(requests)) is not None:
        try:
            header, payload = _answer(model, frame[0])
        except Exception as error:
            header, payload = _describe_error(error), b""
        write_frame(answers, header, payload)


def _end_with(parent: int) -> None:
    """A parent that was killed cannot say so: an import or a batch would go on for seconds."""
    while os.getppid() == parent:
        time.sleep(_LOOKS_FOR_ITS_PARENT)
    os._exit(1)


def main() -> None:
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    answers = os.fdopen(os.dup(1), "wb")
    # Libraries that print must not speak into the protocol.
    os.dup2(2, 1)
    serve(sys.argv[1:], sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()
