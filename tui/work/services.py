"""The one place where the screens call the engine: in the background, the newest request first."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tui.work.bench import Bench, OpenModel
from tui.work.clip_frames import ClipFrames
from tui.work.documents import Documents
from tui.work.evaluating import Evaluations
from tui.work.lanes import Deliver, Failed, Lanes
from tui.work.questions import Questions

if TYPE_CHECKING:
    from engine.dataset.dataset import Dataset
    from engine.metrics import Profile
    from engine.text.encoder import SentenceEncoder, State


class Services:
    """The engine as the screens see it: every call returns at once and answers by callback."""

    def __init__(self, dataset: Dataset, encoder: SentenceEncoder | None, deliver: Deliver) -> None:
        self.dataset = dataset
        self._bench = Bench(dataset, encoder)
        self._lanes = Lanes(deliver)
        self._opening = self._lanes.lane("open")
        self._warming = self._lanes.lane("encoder")
        self.questions = Questions(self._bench, self._lanes)
        self.evaluations = Evaluations(self._bench, self._lanes)
        self.frames = ClipFrames(dataset, self._lanes)
        self.documents = Documents(self._bench, self._lanes)

    @property
    def encoder_state(self) -> State:
        return self._bench.encoder_state

    @property
    def language(self) -> Profile:
        """How the dataset's numbers are called."""
        return self._bench.language

    def open(self, model: str, done: Callable[[OpenModel], None], failed: Failed) -> None:
        """Read the annotations and the model's embeddings."""
        self._opening.submit(lambda _: self._bench.model(model), done, failed)

    def model(self, name: str) -> OpenModel:
        """What the model knows; at hand once it was opened or asked."""
        return self._bench.model(name)

    def warm(self, done: Callable[[None], None], failed: Failed) -> None:
        """Start the text encoder and wait until it is ready."""
        self._warming.submit(lambda _: self._bench.work.encoder.wait_until_ready(), done, failed)

    def settle(self) -> None:
        """Wait for what would be lost if the app ended now: numbers to be saved, and files."""
        self.questions.settle()
        self.documents.settle()

    def close(self) -> None:
        """End what was started here; never waits for work under way."""
        self._lanes.cancel()
        self._bench.close()
