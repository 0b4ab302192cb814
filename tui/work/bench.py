"""The engine's workbench, shared by all services.

The engine is imported by the thread that first needs it, so that the first paint waits for none
of it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.base.caches import OnceCache
from tui.work.completion import Completer
from tui.work.lanes import FailureHook, LaneGroup

if TYPE_CHECKING:
    from engine.dataset.dataset import Dataset
    from engine.dataset.ground_truth import GroundTruth
    from engine.keywords.workbench import Workbench
    from engine.metrics import Profile
    from engine.metrics.policies import Policies
    from engine.text.encoder import EncoderState, SentenceEncoder


@dataclass(frozen=True, slots=True)
class OpenModel:
    """What is there once the files of a model are read."""

    truth: GroundTruth
    completer: Completer


class Bench:
    """A dataset and its workbench; safe to use from several threads."""

    def __init__(
        self,
        dataset: Dataset,
        encoder: SentenceEncoder | None,
        lanes: LaneGroup,
        policies: Policies | None = None,
    ) -> None:
        """`policies`: those of the run that a command asked for; None: the dataset's own."""
        self.dataset = dataset
        self._policies = policies
        self._opening = lanes.lane("open")
        self._warming = lanes.lane("encoder")
        self._given_encoder = encoder
        self._made: Workbench | None = None
        self._warmed: str | None = None
        self._closed = False
        self._making = threading.Lock()
        self._models: OnceCache[str, OpenModel] = OnceCache(self._read)

    @property
    def work(self) -> Workbench:
        """The workbench; made by the first thread that asks for it."""
        with self._making:
            if self._made is None:
                from engine.keywords.workbench import Workbench
                from engine.text.opening import open_encoder

                encoder = self._given_encoder or open_encoder()
                self._made = Workbench(self.dataset, encoder, self._policies)
                if self._closed:  # meanwhile: nobody else would end what is started from now on
                    self._end(self._made)
            return self._made

    @property
    def encoder_state(self) -> EncoderState:
        """How far the encoder is that was warmed."""
        if self._made is None or self._warmed is None:
            return "cold"
        return self._made.encoder_state(self._warmed)

    @property
    def language(self) -> Profile:
        """How the dataset's numbers are called."""
        from engine.metrics import find_profile

        return find_profile(self.dataset.profile)

    def open(self, model: str, done: Callable[[OpenModel], None], failed: FailureHook) -> None:
        """Read the annotations and the model's embeddings."""
        self._opening.submit(lambda _: self.model(model), done, failed)

    def warm(self, model: str, done: Callable[[None], None], failed: FailureHook) -> None:
        """Start the encoder that texts asked of the model need, and wait until it is ready."""
        self._warmed = model
        self._warming.submit(lambda _: self.work.wait_until_ready(model), done, failed)

    def model(self, name: str) -> OpenModel:
        """What the model knows; at hand once it was opened or asked."""
        return self._models[name]

    def _read(self, name: str) -> OpenModel:
        truth = self.work.collection(name).truth
        names = (keyword.name for keyword in truth.words.keywords)
        return OpenModel(truth, Completer.of(names, truth.ids))

    def close(self) -> None:
        """End what was started here, and let nothing be started any more."""
        self._closed = True
        if self._made is not None:
            self._end(self._made)

    def _end(self, work: Workbench) -> None:
        work.close()
        if self._given_encoder is None:
            work.encoder.close()
