"""The one place where the screens call the engine: in the background, the newest request first."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tui.work.bench import Bench
from tui.work.clip_frames import ClipFrames
from tui.work.evaluations import EvaluationService
from tui.work.files import Documents
from tui.work.lanes import DeliveryHook, LaneGroup
from tui.work.questions import QuestionService

if TYPE_CHECKING:
    from engine.dataset.dataset import Dataset
    from engine.keywords.run import RunRequest
    from engine.text.encoder import EncoderState, SentenceEncoder


class Services:
    """The engine as the screens see it, in parts by what they serve.

    What takes time is done in a lane: the call returns at once and is answered by callback.
    """

    def __init__(
        self,
        dataset: Dataset,
        encoder: SentenceEncoder | None,
        deliver: DeliveryHook,
        request: RunRequest | None = None,
    ) -> None:
        """`request`: whose metrics and policies hold; None: the dataset's own."""
        self._lanes = LaneGroup(deliver)
        # The least similarity is the question's: it may be changed, or taken away.
        policies = None if request is None else replace(request.policies, min_similarity=None)
        self.bench = Bench(dataset, encoder, self._lanes, policies)
        metrics = None if request is None else request.metrics
        self.questions = QuestionService(self.bench, self._lanes, metrics)
        self.evaluations = EvaluationService(self.bench, self._lanes)
        self.frames = ClipFrames(dataset, self._lanes)
        self.documents = Documents(self.bench, self._lanes)

    @property
    def encoder_state(self) -> EncoderState:
        return self.bench.encoder_state

    def settle(self) -> None:
        """Wait for what would be lost if the app ended now: numbers to be saved, and files."""
        self.questions.settle()
        self.documents.settle()

    def close(self) -> None:
        """End what was started here; never waits for work under way."""
        self._lanes.close()
        self.bench.close()
