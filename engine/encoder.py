"""Text → vector. The model lives in a child process; results are cached on disk by model digest.

>>> encoder = SentenceEncoder()          # starts nothing
>>> encoder.state
'cold'
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import IO, Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from engine.defaults import EMBEDDED
from engine.encoder_worker import read_frame, write_frame
from engine.errors import InputError, Place
from engine.fair_lock import FairLock
from engine.model_files import model_digest, model_path
from engine.progress import pieces
from engine.vector_cache import Vector, VectorCache

Matrix = npt.NDArray[np.float32]
State = Literal["cold", "warming", "ready", "failed"]

_MAKING_A_CHILD = 0.25  # seconds, at most; checking the weights takes longer
_ENDING = 1.0  # seconds that a child has to end before it is made to
_LAST_WORDS = 400  # how much of a dead child's stderr an error message quotes

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

    def encode(self, texts: Sequence[str]) -> Matrix: ...

    def close(self) -> None: ...


class SentenceEncoder:
    """A sentence-transformers model: the embedded one, a local name, or a folder.

    The child process starts with the first text that is not in the cache, or earlier by
    `start()`, which returns at once; `state` says how far it is. `on_start` is called when a
    child is about to be started, so that someone who waits can be told why.
    """

    def __init__(
        self,
        model: str = EMBEDDED,
        *,
        cache: VectorCache | None = None,
        on_start: Callable[[], None] | None = None,
    ) -> None:
        self.name = model
        self._on_start = on_start
        self._cache = cache
        self._child: subprocess.Popen[bytes] | None = None
        self._stderr: IO[bytes] | None = None
        self._state: State = "cold"
        self._closed = False
        self._starting = threading.Lock()
        self._talking = FairLock()

    @property
    def state(self) -> State:
        return self._state

    @property
    def cache(self) -> VectorCache:
        if self._cache is None:
            self._cache = VectorCache.for_model(model_digest(self.name))
        return self._cache

    def check(self, texts: Sequence[str]) -> None:
        """Any text can be encoded."""

    def encode(self, texts: Sequence[str]) -> Matrix:
        """One row per text, in order. Only texts that were never seen reach the model."""
        known = self.cache.get(texts)
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        for part in pieces(len(missing), _TEXTS_AT_ONCE):
            _, vectors = self._ask({"op": "encode", "texts": missing[part]})
            fresh = dict(zip(missing[part], vectors, strict=True))
            self.cache.put(fresh)
            known.update(fresh)
        return np.stack([known[text] for text in texts]) if texts else np.empty((0, 0), np.float32)

    def candidates(self, texts: Iterable[str], longest: int) -> dict[str, Vector]:
        """KeyBERT's n-grams of 1 to `longest` words of every text, each with its vector.

        Texts are words joined by single spaces. A text whose n-grams are all cached is not sent.
        """
        wanted = {text: ngrams(text.split(), longest) for text in dict.fromkeys(texts)}
        known = self.cache.get(gram for grams in wanted.values() for gram in grams)
        missing = [text for text, grams in wanted.items() if any(g not in known for g in grams)]
        if missing:
            header, vectors = self._ask({"op": "candidates", "texts": missing, "longest": longest})
            fresh = dict(zip(header["names"], vectors, strict=True))
            self.cache.put(fresh)
            known.update(fresh)
        return known

    def start(self) -> None:
        """Begin to load the model in the background; returns at once."""
        with self._starting:
            if self._child is None:
                self._start()

    def _start(self) -> None:
        self._refuse_if_closed()
        path = model_path(self.name)  # checks the weights: the best part of a second
        self._refuse_if_closed()
        if self._on_start is not None:
            self._on_start()
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 (lives as long as the child)
        self._child = subprocess.Popen(
            [sys.executable, "-m", "engine.encoder_worker", str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            env=_child_environment(),
            start_new_session=True,  # Ctrl-C is the caller's to handle, not the child's
        )
        self._state = "warming"

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise InputError(f"the encoder {self.name!r} is closed")

    def wait_until_ready(self) -> None:
        with self._talking:
            self._greet()

    def close(self) -> None:
        """End the child, for good; it also ends by itself when this process does.

        Someone may be starting one: while they check the weights they are not waited for, because
        they will see that no child is wanted any more; while they make the child, they are.
        """
        self._closed = True
        if self._starting.acquire(timeout=_MAKING_A_CHILD):
            self._starting.release()
            self._stop_child()
            with self._talking:
                self._forget_child()

    def _stop_child(self) -> None:
        child = self._child
        if child is not None:
            child.terminate()  # a thread that waits for an answer now sees the stream end
            try:
                child.wait(_ENDING)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()

    def _forget_child(self) -> None:
        """Close what led to a child that has ended; whoever calls this is talking."""
        if self._child is not None:
            for pipe in (self._child.stdin, self._child.stdout):
                if pipe:
                    with contextlib.suppress(OSError):
                        pipe.close()
        if self._stderr is not None:
            self._stderr.close()
        self._child, self._stderr, self._state = None, None, "cold"

    def _end_child(self) -> None:
        self._stop_child()
        self._forget_child()

    def __enter__(self) -> SentenceEncoder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _greet(self) -> None:
        self.start()
        if self._state == "warming":
            self._receive()
            self._state = "ready"

    def _ask(self, request: dict[str, Any]) -> tuple[dict[str, Any], Matrix]:
        with self._talking:
            self._greet()
            assert self._child is not None and self._child.stdin is not None
            try:
                with contextlib.suppress(BrokenPipeError):  # _receive tells why the child went
                    write_frame(self._child.stdin, request)
                header, payload = self._receive()
            except KeyboardInterrupt:
                self._end_child()  # the answer would be taken for that of the next question
                raise
        vectors = np.frombuffer(payload, dtype="<f4").reshape(header["shape"])
        return header, vectors.astype(np.float32)

    def _receive(self) -> tuple[dict[str, Any], bytes]:
        assert self._child is not None and self._child.stdout is not None
        frame = read_frame(self._child.stdout)
        if frame is None:
            message = f"the encoder process ended: {self._last_words()}"
        elif "error" in frame[0]:
            message = str(frame[0]["error"])
        else:
            return frame
        if frame is None or self._state == "warming":
            self._end_child()
            self._state = "failed"
        raise InputError(
            f"the model {self.name!r} cannot encode text: {message}",
            hint="name a sentence-transformers folder, or leave the encoder out for the embedded "
            "model; nothing is downloaded at run time",
        )

    def _last_words(self) -> str:
        if self._stderr is None:
            return "no message"
        self._stderr.seek(0)
        return self._stderr.read()[-_LAST_WORDS:].decode(errors="replace").strip() or "no message"


class PrecomputedEncoder:
    """Vectors computed elsewhere, looked up by the exact text of the query."""

    def __init__(self, texts: Sequence[str], vectors: Matrix, source: Path) -> None:
        self.name = str(source)
        self._vectors = vectors
        self._rows = {text.strip(): row for row, text in enumerate(texts)}

    def check(self, texts: Sequence[str]) -> None:
        missing = [text for text in texts if text.strip() not in self._rows]
        if missing:
            raise InputError(
                f"has no vector for {missing[0]!r} ({len(missing)} of {len(texts)} texts missing)",
                Place(self.name),
                hint="add the vector, or drop the precomputed file to encode with a model",
            )

    def encode(self, texts: Sequence[str]) -> Matrix:
        self.check(texts)
        return np.ascontiguousarray(self._vectors[[self._rows[text.strip()] for text in texts]])

    def close(self) -> None:
        """Nothing to end; here so that every encoder can be closed."""


def ngrams(words: Sequence[str], longest: int) -> list[str]:
    """All n-grams of 1 to `longest` words.

    >>> ngrams(["red", "car"], 3)
    ['red', 'car', 'red car']
    """
    sizes = range(1, min(longest, len(words)) + 1)
    return [
        " ".join(words[start : start + size])
        for size in sizes
        for start in range(len(words) - size + 1)
    ]


def _child_environment() -> dict[str, str]:
    quiet = {
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "TRANSFORMERS_VERBOSITY": "error",
    }
    # The child must find this very package, however the parent found it.
    root = str(Path(__file__).resolve().parent.parent)
    paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, **quiet, "PYTHONPATH": os.pathsep.join(paths)}
