"""The encoders of texts that a dataset's models name: opened when asked for, each of them once."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from engine.base.caches import OnceCache
from engine.dataset.dataset import Dataset, open_text_encoder
from engine.text import EMBEDDED
from engine.text.encoder import EncoderState, LoadingHook, SentenceEncoder, TextEncoder


@dataclass(frozen=True, slots=True)
class EncoderStatus:
    """How far the encoder is that turns texts into vectors of a model's space.

    name     as the dataset has it: a folder, or a local name
    seconds  for how long it has been loading; 0 when it is not
    """

    name: str
    model: str
    state: EncoderState
    seconds: float = 0.0


class ModelEncoders:
    """What turns texts into vectors, model by model. Safe to use from several threads.

    Models that name the same encoder share it; those that name none use the one that is given.
    """

    def __init__(
        self, dataset: Dataset, shared: SentenceEncoder, while_loading: LoadingHook | None = None
    ) -> None:
        self._dataset = dataset
        self._shared = shared
        self._while_loading = while_loading
        self._of_models: OnceCache[str, TextEncoder] = OnceCache(self._open)
        self._own: OnceCache[str, SentenceEncoder] = OnceCache(self._open_own)
        self._opened: list[SentenceEncoder] = []
        self._closed = False
        self._closing = threading.Lock()

    def of(self, model: str) -> TextEncoder:
        """The encoder of a model; opening it loads nothing."""
        return self._of_models[self._dataset.model(model).name]

    def _open(self, model: str) -> TextEncoder:
        spec = self._dataset.model(model)
        if self._names_another(model):
            return self._own[spec.encoder]
        return open_text_encoder(spec, self._shared, self._while_loading)

    def _open_own(self, name: str) -> SentenceEncoder:
        from engine.text.opening import open_encoder

        opened = open_encoder(name, while_loading=self._while_loading)
        with self._closing:
            self._opened.append(opened)
            if self._closed:  # by another thread, which did not see this one
                opened.close()
        return opened

    def _names_another(self, model: str) -> bool:
        spec = self._dataset.model(model)
        return spec.query_vectors is None and spec.encoder != self._shared.name

    def status(self, model: str) -> EncoderStatus | None:
        """How far the model's encoder is; None where there is nothing to wait for: the embedded
        one is there at once, and vectors that were computed elsewhere need none."""
        spec = self._dataset.model(model)
        if spec.query_vectors is not None or spec.encoder == EMBEDDED:
            return None
        opened = self._own.peek(spec.encoder) if self._names_another(model) else self._shared
        if opened is None:
            return EncoderStatus(spec.encoder, spec.name, "cold")
        return EncoderStatus(spec.encoder, spec.name, opened.state, opened.seconds_loading)

    def must_load(self, model: str, text: str) -> bool:
        """Whether the text cannot be encoded before an encoder is loaded, which takes seconds."""
        status = self.status(model)
        if status is None or status.state == "ready":
            return False
        encoder = self.of(model)
        assert isinstance(encoder, SentenceEncoder)
        return not encoder.knows([text])

    def wait_until_ready(self, model: str) -> None:
        """Load what texts that are asked of the model need, its own encoder last."""
        self._shared.wait_until_ready()
        if self._names_another(model):
            encoder = self.of(model)
            assert isinstance(encoder, SentenceEncoder)
            encoder.wait_until_ready()

    def close(self) -> None:
        """End the encoders that were opened here; the shared one stays."""
        with self._closing:
            self._closed = True
        for encoder in self._opened:
            encoder.close()
