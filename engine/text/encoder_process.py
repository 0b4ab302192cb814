"""Texts are encoded in a child process, which holds the model; results are cached on disk."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import IO, Any

import numpy as np

from engine.base.arrays import Vectors
from engine.base.errors import InputError, Place
from engine.base.fair_lock import FairLock
from engine.text.encoder import EncoderState, LoadingHook, SentenceEncoder
from engine.text.encoder_worker import read_frame, write_frame
from engine.text.model_files import TextModel
from engine.text.vector_cache import VectorCache

_MAKING_A_CHILD = 0.25  # seconds, at most; checking the weights takes longer
_ENDING = 1.0  # seconds that a child has to end before it is made to
_LAST_WORDS = 400  # how much of a dead child's stderr an error message quotes


class EncoderProcess(SentenceEncoder):
    """A model in a process of its own.

    The child process starts with the first text that is not in the cache, or earlier by
    `start()`, which returns at once; `state` says how far it is.
    """

    def __init__(
        self,
        model: TextModel,
        *,
        cache: VectorCache | None = None,
        while_loading: LoadingHook | None = None,
    ) -> None:
        super().__init__(model.name, cache)
        self.model = model
        self._while_loading = while_loading or contextlib.nullcontext
        self._child: subprocess.Popen[bytes] | None = None
        self._stderr: IO[bytes] | None = None
        self._state: EncoderState = "cold"
        self._began = 0.0
        self._starting = threading.Lock()
        self._talking = FairLock()

    @property
    def state(self) -> EncoderState:
        return self._state

    @property
    def seconds_loading(self) -> float:
        return time.monotonic() - self._began if self._state == "warming" else 0.0

    def _digest(self) -> str | None:
        return self.model.digest()

    def _compute(self, texts: list[str]) -> Vectors:
        return self._ask({"op": "encode", "texts": texts})[1]

    def start(self) -> None:
        """Begin to load the model in the background; returns at once."""
        with self._starting:
            if self._child is None:
                self._began, self._state = time.monotonic(), "warming"
                try:
                    self._start()
                except BaseException:
                    self._state = "cold" if self._closed else "failed"
                    raise

    def _start(self) -> None:
        self._refuse_if_closed()
        arguments = self.model.arguments()  # checks the weights: the best part of a second
        self._refuse_if_closed()
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 (lives as long as the child)
        self._child = subprocess.Popen(
            # -P: a torch.py or an engine folder where the user happens to be is not meant.
            [sys.executable, "-P", "-m", "engine.text.encoder_worker", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            env=_child_environment(),
            start_new_session=True,  # Ctrl-C is the caller's to handle, not the child's
        )

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

    def _greet(self) -> None:
        if self._state == "ready":
            return
        with self._while_loading(self.name):
            self.start()
            self._receive()
            self._state = "ready"

    def _ask(self, request: dict[str, Any]) -> tuple[dict[str, Any], Vectors]:
        with self._talking:
            self._greet()
            assert self._child is not None and self._child.stdin is not None
            try:
                with contextlib.suppress(BrokenPipeError):  # _receive says why the child went
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
            error = self._failure(f"the encoder process ended: {self._last_words()}")
        elif "refused" in frame[0]:
            place = Place(frame[0]["place"] or None)
            error = InputError(frame[0]["refused"], place, hint=frame[0]["hint"])
        elif "error" in frame[0]:
            error = self._failure(str(frame[0]["error"]))
        else:
            return frame
        if frame is None or self._state == "warming":
            self._end_child()
            self._state = "failed"
        raise error

    def _failure(self, message: str) -> InputError:
        return InputError(
            f"the model {self.name!r} cannot encode text: {message}", hint=self.model.remedy
        )

    def _last_words(self) -> str:
        if self._stderr is None:
            return "no message"
        self._stderr.seek(0)
        return self._stderr.read()[-_LAST_WORDS:].decode(errors="replace").strip() or "no message"


def _child_environment() -> dict[str, str]:
    quiet = {
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "TRANSFORMERS_VERBOSITY": "error",
    }
    # The child must find this very package, however the parent found it.
    root = str(Path(__file__).resolve().parents[2])
    paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, **quiet, "PYTHONPATH": os.pathsep.join(paths)}
