"""The one place where the screens call the engine: in the background, the newest request first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tui.work.bench import Bench
from tui.work.clip_frames import ClipFrames
from tui.work.clip_search import ClipSearch
from tui.work.documents import Documents
from tui.work.evaluation_store import EvaluationStore
from tui.work.evaluations import EvaluationService, SavedComparisons
from tui.work.kept_evaluations import KeptEvaluations
from tui.work.lanes import LaneGroup
from tui.work.phrase_memory import PhraseMemory
from tui.work.questions import QuestionService

if TYPE_CHECKING:
    from engine.keywords.model_encoders import EncoderStatus


class Services:
    """The engine as the screens see it, in parts by what they serve.

    What takes time is done in a lane: the call returns at once and is answered by callback.
    """

    def __init__(
        self,
        bench: Bench,
        lanes: LaneGroup,
        metrics: tuple[str, ...] | None = None,
        cache: Path | None = None,
    ) -> None:
        """`metrics`: what a question is measured by; None: as the dataset has it. `cache`: the
        folder in which evaluations are kept."""
        self.bench = bench
        self.questions = QuestionService(bench, lanes, metrics)
        kept = None if cache is None else KeptEvaluations(EvaluationStore(cache))
        self.evaluations = EvaluationService(bench, lanes, kept)
        self.frames = ClipFrames(bench.dataset, lanes)
        self.clips = ClipSearch(bench, lanes)
        self.documents = Documents(bench, lanes)
        self.phrases = PhraseMemory(bench, lanes)

    def find_loading(self, *models: str) -> EncoderStatus | None:
        """The first of the models whose encoder loads now."""
        return self.bench.find_loading(*models)

    def takes_texts(self, *models: str) -> bool:
        """Whether texts can be asked of these models, as far as is known."""
        return self.bench.takes_texts(*models)


class SavedServices(NamedTuple):
    """The engine as the Compare screen sees it where there is no dataset."""

    evaluations: SavedComparisons

    def find_loading(self, *models: str) -> EncoderStatus | None:
        """Nothing has to be loaded."""
        return None

    def takes_texts(self, *models: str) -> bool:
        """Nothing is asked."""
        return True
