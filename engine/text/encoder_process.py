"""Texts are encoded in a child process, which holds the model; results are cached on disk."""

from __future__ import annotations

import contextlib
import threading
import time
from typing import Any

import numpy as np

from engine.base.arrays import Vectors
from engine.base.channel import FOREVER, ChannelError, Message, Patience
from engine.base.child_process import ChildProcess
from engine.base.errors import InputError, Place
from engine.base.fair_lock import FairLock
from engine.files.budget import TooLargeError
from engine.text.child_memory import ChildMemory
from engine.text.encoder import EncoderState, LoadingHook, SentenceEncoder
from engine.text.model_files import TextModel
from engine.text.vector_cache import VectorCache

_MAKING_A_CHILD = 0.25  # seconds, at most; checking the weights takes longer
_MOST_ANSWER = 2_000_000_000  # bytes of the vectors of one request

_PASSED_ON = (
    *("HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "TRANSFORMERS_CACHE", "XDG_CACHE_HOME"),
    *("SENTENCE_TRANSFORMERS_HOME", "TORCH*", "PYTORCH_*", "CUDA*", "NVIDIA_*", "HIP_*", "ROCR_*"),
    *("OMP_*", "MKL_*", "KMP_*", "OPENBLAS_*", "TUI_EVAL_*"),
)
"""Where models lie, and what they compute with; the child is offline, and needs no password."""

_QUIET = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "TRANSFORMERS_VERBOSITY": "error",
}


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
        self._child: ChildProcess | None = None
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
        self._child = ChildProcess(
            "engine.text.encoder_worker", arguments, passed_on=_PASSED_ON, variables=_QUIET
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
            if (child := self._child) is not None:
                child.kill()  # a thread that waits for an answer now sees the stream end
            with self._talking:
                self._end_child()

    def _end_child(self) -> None:
        """End the child, if there is one; whoever calls this is talking."""
        if self._child is not None:
            self._child.close()
        self._child, self._state = None, "cold"

    def _greet(self) -> None:
        if self._state == "ready":
            return
        with self._while_loading(self.name):
            self.start()
            assert self._child is not None
            memory = ChildMemory.of(self._child.pid, self.name)
            try:
                self._receive(Patience.of(None, memory.check))
            except TooLargeError:
                self._end_child()
                self._state = "failed"
                raise
            self._state = "ready"

    def _ask(self, request: dict[str, Any]) -> tuple[dict[str, Any], Vectors]:
        with self._talking:
            self._greet()
            assert self._child is not None
            try:
                with contextlib.suppress(OSError):  # _receive says why the child went
                    self._child.channel.send(request)
                header, payload, _ = self._receive()
            except KeyboardInterrupt:
                self._end_child()  # the answer would be taken for that of the next question
                raise
        vectors = np.frombuffer(payload, dtype="<f4").reshape(header["shape"])
        return header, vectors.astype(np.float32)

    def _receive(self, patience: Patience = FOREVER) -> Message:
        assert self._child is not None
        answer: Message | None = None
        with contextlib.suppress(ChannelError):  # nonsense is no answer
            answer = self._child.channel.receive(most_payload=_MOST_ANSWER, patience=patience)
        if answer is None:
            error = self._failure(f"the encoder process ended: {self._child.describe_end()}")
        elif "refused" in answer.header:
            place = Place(answer.header["place"] or None)
            error = InputError(answer.header["refused"], place, hint=answer.header["hint"])
        elif "error" in answer.header:
            error = self._failure(str(answer.header["error"]))
        else:
            return answer
        if answer is None or self._state == "warming":
            self._end_child()
            self._state = "failed"
        raise error

    def _failure(self, message: str) -> InputError:
        return InputError(
            f"the model {self.name!r} cannot encode text: {message}", hint=self.model.remedy
        )
