"""The one place where the screens call the engine: in the background, the newest request first.

The engine is imported by the thread that first needs it, so that the first paint waits for none
of it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from engine.base.mode import Mode
from engine.base.once import Once
from engine.base.progress import Report, Step
from engine.base.recent import Recent
from engine.keywords.question import Question
from tui.work.completion import Completer
from tui.work.lanes import Deliver, Lane, Ticket
from tui.work.scope import Scope

if TYPE_CHECKING:
    from engine.base.arrays import Ints
    from engine.compare.saved_side import SavedSide
    from engine.compare.table import CompareTable
    from engine.dataset.dataset import Dataset
    from engine.dataset.ground_truth import GroundTruth
    from engine.keywords.evaluated import Evaluated
    from engine.keywords.inspection import Inspection
    from engine.keywords.workbench import Standing, Workbench
    from engine.labels.confused import Confused
    from engine.media import ClipMedia, FrameCache, Frames
    from engine.metrics import Measure, Profile
    from engine.metrics.policies import Policies
    from engine.text.encoder import SentenceEncoder, State
    from tui.work.evaluating import Curves

EVALUATIONS_KEPT = 6
"""Evaluations that are kept for comparisons: of a few models, by text and by video."""

Failed: TypeAlias = Callable[[Exception], None]
ModelReport: TypeAlias = Callable[[str, Step], None]
"""Is told of every step of a comparison, and of which model; of both: an empty name."""


@dataclass(frozen=True, slots=True)
class Opened:
    """What is there once the files are read."""

    truth: GroundTruth
    completer: Completer


class Services:
    """The engine as the screens see it: every call returns at once and answers by callback."""

    def __init__(
        self,
        dataset: Dataset,
        encoder: SentenceEncoder | None,
        deliver: Deliver,
        policies: Policies | None = None,
    ) -> None:
        self.dataset = dataset
        self._policies = policies
        self._given_encoder = encoder
        self._bench: Workbench | None = None
        self._opening = threading.Lock()
        self._opened: Once[str, Opened] = Once(self._read)
        self._deliver = deliver
        # Texts wait for the encoder; a clip asked meanwhile must not wait behind them.
        self._asking = _lane_per_mode("ask", deliver)
        self._standing = _lane_per_mode("standing", deliver)
        self._evaluating = _lane_per_mode("evaluate", deliver)
        self._comparing = _lane_per_mode("compare", deliver)
        self._drawing = Lane("curves", deliver)
        self._counting = Lane("confusion", deliver)
        self._evaluated: Recent[object, Evaluated] = Recent(EVALUATIONS_KEPT)
        self._opening_lane = Lane("open", deliver)
        self._warming = Lane("encoder", deliver)
        self._decoding = {name: Lane(name, deliver) for name in ("query", "result", "play")}
        self._frames: FrameCache | None = None

    @property
    def bench(self) -> Workbench:
        """The workbench; made by the first thread that asks for it."""
        with self._opening:
            if self._bench is None:
                from engine.keywords.workbench import Workbench
                from engine.text.encoder import SentenceEncoder

                encoder = self._given_encoder or SentenceEncoder()
                self._bench = Workbench(self.dataset, encoder, self._policies)
            return self._bench

    @property
    def encoder_state(self) -> State:
        return "cold" if self._bench is None else self._bench.encoder.state

    @property
    def asking(self) -> bool:
        return any(lane.busy for lane in self._asking.values())

    @property
    def language(self) -> Profile:
        """How the dataset's numbers are called."""
        from engine.metrics import profile

        return profile(self.dataset.profile)

    def open(self, model: str, done: Callable[[Opened], None], failed: Failed) -> None:
        """Read the annotations and the model's embeddings."""

        self._opening_lane.submit(lambda _: self.opened(model), done, failed)

    def opened(self, model: str) -> Opened:
        """What the model knows; at hand once it was opened or asked."""
        return self._opened[model]

    def _read(self, model: str) -> Opened:
        truth = self.bench.collection(model).truth
        names = (keyword.name for keyword in truth.vocabulary())
        return Opened(truth, Completer.of(names, truth.ids))

    def warm(self, done: Callable[[None], None], failed: Failed) -> None:
        """Start the text encoder and wait until it is ready."""
        self._warming.submit(lambda _: self.bench.encoder.wait_until_ready(), done, failed)

    def ask(self, question: Question, done: Callable[[Inspection], None], failed: Failed) -> None:
        def work(_: Ticket[Inspection]) -> Inspection:
            self.opened(question.model)
            meant = self.meant(question, self.dataset.truth)
            measures = inspector_measures(self.dataset)
            return self.bench.ask_whole(meant, measures, max(self.dataset.ks))

        self.cancel_asking()
        self._asking[question.mode].submit(work, done, failed)

    def meant(self, question: Question, truth: GroundTruth) -> Question:
        """The question about the item that was meant: one may type its id, or its row."""
        if question.mode == "text" or not question.query or not self.dataset.has_labels:
            return question
        from engine.labels.data.items import item_meant

        return replace(question, query=item_meant(question.query, truth))

    def cancel_asking(self) -> None:
        for lane in (*self._asking.values(), *self._standing.values()):
            lane.cancel()

    def standing(
        self, question: Question, model: str, done: Callable[[Standing], None], failed: Failed
    ) -> None:
        """Where every clip stands for the same query in another model."""
        self._standing[question.mode].submit(
            lambda _: self.bench.standing(question, model), done, failed
        )

    def evaluate(
        self,
        mode: Mode,
        scope: Scope,
        progress: Report,
        done: Callable[[Evaluated], None],
        failed: Failed,
    ) -> Callable[[], None]:
        """Evaluate the whole query set; returns what cancels it."""

        def work(ticket: Ticket[Evaluated]) -> Evaluated:
            return self._evaluate(mode, scope, partial(self._report, ticket, progress))

        return self._evaluating[mode].submit(work, done, failed).cancel

    def compare(
        self,
        mode: Mode,
        scopes: tuple[Scope, Scope],
        progress: ModelReport,
        done: Callable[[CompareTable], None],
        failed: Failed,
    ) -> Callable[[], None]:
        """Evaluate the query set with two models, unless that was done before, and compare them;
        returns what cancels it."""

        def work(ticket: Ticket[CompareTable]) -> CompareTable:
            from engine.compare.table import CompareTable

            def report_of(model: str) -> Report:
                return partial(self._report, ticket, partial(progress, model))

            old, new = (
                self._evaluated.get(self._key(mode, scope))
                or self._evaluate(mode, scope, report_of(scope.model))
                for scope in scopes
            )
            return CompareTable.of(old, new, report=report_of(""))

        return self._comparing[mode].submit(work, done, failed).cancel

    def curves(
        self,
        evaluations: Sequence[Evaluated | SavedSide],
        done: Callable[[tuple[Curves, ...]], None],
        failed: Failed,
    ) -> None:
        """What is drawn of some evaluations."""

        def work(_: Ticket[tuple[Curves, ...]]) -> tuple[Curves, ...]:
            from tui.work.evaluating import curves_of

            return tuple(map(curves_of, evaluations))

        self._drawing.submit(work, done, failed)

    def confusion(
        self,
        evaluated: Evaluated,
        group: str,
        rows: Ints,
        done: Callable[[Confused], None],
        failed: Failed,
    ) -> None:
        """Which labels of a group the queries of these rows retrieved."""

        def work(_: Ticket[Confused]) -> Confused:
            from engine.labels.confused import confused

            return confused(evaluated, group, rows)

        self._counting.submit(work, done, failed)

    def _evaluate(self, mode: Mode, scope: Scope, report: Report) -> Evaluated:
        from tui.work import evaluating

        key = self._key(mode, scope)
        found = evaluating.evaluate_set(self.bench, mode, scope, report)
        self._evaluated.put(key, found)
        return found

    def _key(self, mode: Mode, scope: Scope) -> object:
        """What an evaluation is known by; a query file that was changed since makes another."""
        file = self.dataset.queries_file if mode == "text" else None
        try:
            stat = file.stat() if file else None
        except OSError:  # it is gone: the run tells so
            stat = None
        return mode, scope, stat and (stat.st_mtime_ns, stat.st_size)

    def _report(self, ticket: Ticket[Any], progress: Report, step: Step) -> None:
        """Tell of a step in the UI's thread; ends work that nobody waits for any more."""
        ticket.check()
        self._deliver(lambda: None if ticket.cancelled else progress(step))

    def strip(
        self,
        which: str,
        clip: str,
        wanted: tuple[int, int, int],
        done: Callable[[Frames], None],
        failed: Failed,
    ) -> None:
        """Frames of a clip for the filmstrip `which` ("query" or "result")."""

        def work(_: Ticket[Frames]) -> Frames:
            return self._frame_cache().strip(self._media(clip), *wanted)

        self._decoding[which].submit(work, done, failed)

    def playable(
        self, clip: str, size: tuple[int, int], done: Callable[[Frames], None], failed: Failed
    ) -> None:
        """All frames of a clip, to play it."""

        def work(_: Ticket[Frames]) -> Frames:
            return self._frame_cache().clip(self._media(clip), *size)

        self._decoding["play"].submit(work, done, failed)

    def cancel_strip(self, which: str) -> None:
        self._decoding[which].cancel()

    def cancel_playing(self) -> None:
        self._decoding["play"].cancel()

    @property
    def has_media(self) -> bool:
        """Whether there may be frames to show; labels often come without any."""
        if not self.dataset.has_labels:
            return True
        annotations = self.dataset.annotations
        return any(annotations.video_path or ()) or any(annotations.gif_path or ())

    def _media(self, clip: str) -> ClipMedia:
        from engine.media import media_of

        return media_of(self.dataset.annotations, clip)

    def _frame_cache(self) -> FrameCache:
        from engine.media import FrameCache

        with self._opening:
            if self._frames is None:
                self._frames = FrameCache()
            return self._frames

    def close(self) -> None:
        """End what was started here; never waits for work under way."""
        lanes = [self._opening_lane, self._warming, self._drawing, self._counting]
        lanes += self._decoding.values()
        for family in (self._asking, self._standing, self._evaluating, self._comparing):
            lanes += family.values()
        for lane in lanes:
            lane.cancel()
        if self._bench is not None:
            self._bench.close()
            if self._given_encoder is None:
                self._bench.encoder.close()


def _lane_per_mode(name: str, deliver: Deliver) -> dict[Mode, Lane]:
    return {"text": Lane(f"{name} text", deliver), "video": Lane(f"{name} video", deliver)}


def inspector_measures(dataset: Dataset) -> tuple[Measure, ...]:
    """What the inspector computes for one query: the metrics of the dataset's profile, and those
    of the whole ranking."""
    from engine.metrics import parse_measures, profile

    language = profile(dataset.profile)
    return (*language.measures(dataset.ks), *parse_measures(("AP", "RR", "nDCG"), language))
