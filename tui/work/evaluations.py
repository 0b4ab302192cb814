"""Whole query sets: evaluated, compared and drawn in the background."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from engine.base.caches import OnceCache, RecentCache
from engine.base.choices import Mode
from engine.base.progress import ProgressHook, Step
from tui.work.lanes import FailureHook, LaneGroup, Ticket

if TYPE_CHECKING:
    from engine.base.arrays import Ints
    from engine.compare import Comparison
    from engine.compare.saved_side import SavedSide
    from engine.compare.table import CompareTable
    from engine.keywords.evaluated_run import EvaluatedRun
    from engine.keywords.instead import Absence
    from engine.keywords.run import ModeChoice, RunRequest
    from engine.keywords.workbench import Workbench
    from engine.labels.confusion_matrix import ConfusionMatrix
    from tui.opening.system_pair import SystemPair
    from tui.work.bench import Bench
    from tui.work.curves import Curves
    from tui.work.kept_evaluations import KeptEvaluations
    from tui.work.scope import Scope

EVALUATIONS_KEPT = 6
"""Evaluations that are kept for comparisons: of a few models, by text and by video."""

ModelProgressHook: TypeAlias = Callable[[str, Step], None]
"""Gets every step of a comparison, and its model; an empty name stands for both."""


def make_request(bench: Workbench, mode: Mode, scope: Scope) -> RunRequest:
    """The run of a scope: of its query set, else of the dataset's."""
    from engine.keywords.run import RunRequest
    from engine.keywords.workbench import select

    collection = bench.collection(scope.model)
    selection = select(collection.truth, scope.groups, tuple(scope.left_out))
    # A group of which nothing was left out is named by itself: it has all of its keywords.
    touched = {name.partition(":")[0] for name in scope.left_out}
    kept = tuple(str(word) for word in selection.keywords if word.group in touched)
    asked = scope.request or RunRequest(
        ks=bench.dataset.ks, profile=bench.dataset.profile, policies=bench.policies
    )
    return replace(
        asked,
        modes=cast("ModeChoice", mode),  # sets have texts and clips
        groups=selection.groups,
        keywords=kept or None,
        model=scope.model,
        policies=replace(
            asked.policies,
            min_similarity=scope.min_similarity,
            one_per=scope.one_per,
            relevance=scope.relevance,
        ),
    )


def evaluate_set(bench: Workbench, mode: Mode, scope: Scope, report: ProgressHook) -> EvaluatedRun:
    """Carry out the run of a scope; what `report` raises ends it."""
    from engine.keywords.evaluated_run import EvaluatedRun
    from engine.keywords.run import run_request

    return EvaluatedRun.of(run_request(make_request(bench, mode, scope), bench, report))


class ComparisonService:
    """Compares two systems over the same queries, and draws what each of them did."""

    def __init__(self, lanes: LaneGroup, modes: Sequence[Mode] = ("text", "video")) -> None:
        self._deliver = lanes.deliver
        self._comparing = lanes.per_mode("compare", modes)
        self._drawing = lanes.lane("curves")

    def compare(
        self,
        mode: Mode,
        scopes: tuple[Scope, Scope],
        progress: ModelProgressHook,
        done: Callable[[CompareTable], None],
        failed: FailureHook,
        *,
        kept: bool = False,
    ) -> Callable[[], None]:
        """Compare the systems before and after; returns what cancels it. `kept`: evaluations that
        an earlier program has kept will do."""

        def work(ticket: Ticket[CompareTable]) -> CompareTable:
            say = partial(self._report, ticket)
            hear = lambda model: partial(say, partial(progress, model))  # noqa: E731
            return self._compare(mode, scopes, hear, kept)

        return self._comparing[mode].submit(work, done, failed).cancel

    def recall_comparison(
        self,
        mode: Mode,
        scopes: tuple[Scope, Scope],
        done: Callable[[CompareTable | None], None],
        failed: FailureHook,
    ) -> None:
        """The comparison, if both evaluations were kept; None: one was not."""
        done(None)

    def _compare(
        self,
        mode: Mode,
        scopes: tuple[Scope, Scope],
        report_of: Callable[[str], ProgressHook],
        kept: bool,
    ) -> CompareTable:
        """`report_of`: what hears of the steps of a model; an empty name stands for both."""
        raise NotImplementedError

    def _report(self, ticket: Ticket[Any], progress: ProgressHook, step: Step) -> None:
        """Report a step in the UI's thread; ends work that nobody waits for any more."""
        ticket.check()
        self._deliver(lambda: None if ticket.cancelled else progress(step))

    def curves(
        self,
        evaluations: Sequence[EvaluatedRun | SavedSide],
        done: Callable[[tuple[Curves, ...]], None],
        failed: FailureHook,
    ) -> None:
        """What is drawn of some evaluations."""
        from tui.work.curves import compute_curves

        self._drawing.submit(lambda _: tuple(map(compute_curves, evaluations)), done, failed)


class SavedComparisons(ComparisonService):
    """Compares two systems that were read from files; their modes may be any."""

    def __init__(self, pair: SystemPair, lanes: LaneGroup) -> None:
        super().__init__(lanes, pair.modes)
        ways = {old.name: (old, new) for old, new in (pair.systems, pair.systems[::-1])}
        # All modes are compared at once, each a family of its own, and once for all of them.
        self._compared: OnceCache[str, Comparison] = OnceCache(
            lambda before: pair.compare(*ways[before])
        )

    def _compare(
        self,
        mode: Mode,
        scopes: tuple[Scope, Scope],
        report_of: Callable[[str], ProgressHook],
        kept: bool,
    ) -> CompareTable:
        from engine.compare.table import CompareTable

        return CompareTable.of_saved(self._compared[scopes[0].model], mode)


class EvaluationService(ComparisonService):
    """Evaluates the dataset's query set, and compares what two models make of it."""

    def __init__(self, bench: Bench, lanes: LaneGroup, kept: KeptEvaluations | None = None) -> None:
        """`kept`: those of earlier programs; None: there are none."""
        super().__init__(lanes)
        self._bench = bench
        self._earlier = kept
        self._recalling = lanes.per_mode("recall")
        self._writing = lanes.writing
        self._evaluating = lanes.per_mode("evaluate")
        self._counting = lanes.lane("confusion")
        self._lacking = lanes.lane("instead")
        self._kept: RecentCache[object, EvaluatedRun] = RecentCache(EVALUATIONS_KEPT)

    def evaluate(
        self,
        mode: Mode,
        scope: Scope,
        progress: ProgressHook,
        done: Callable[[EvaluatedRun], None],
        failed: FailureHook,
        *,
        kept: bool = False,
    ) -> Callable[[], None]:
        """Evaluate the whole query set; returns what cancels it. `kept`: an evaluation that an
        earlier program has kept will do."""

        def work(ticket: Ticket[EvaluatedRun]) -> EvaluatedRun:
            found = self._recall(mode, scope) if kept else None
            return found or self._evaluate(mode, scope, partial(self._report, ticket, progress))

        return self._evaluating[mode].submit(work, done, failed).cancel

    def recall(
        self,
        mode: Mode,
        scope: Scope,
        done: Callable[[EvaluatedRun | None], None],
        failed: FailureHook,
    ) -> None:
        """What was found by an earlier program with the same files and settings; None: nothing."""
        self._recalling[mode].submit(lambda _: self._recall(mode, scope), done, failed)

    def recall_comparison(
        self,
        mode: Mode,
        scopes: tuple[Scope, Scope],
        done: Callable[[CompareTable | None], None],
        failed: FailureHook,
    ) -> None:
        def work(_: Ticket[CompareTable | None]) -> CompareTable | None:
            from engine.compare.table import CompareTable

            before, after = scopes
            old = self._known(mode, before) or self._recall(mode, before)
            new = old and (self._known(mode, after) or self._recall(mode, after))
            return CompareTable.of(old, new) if old and new else None

        self._recalling[mode].submit(work, done, failed)

    def _compare(
        self,
        mode: Mode,
        scopes: tuple[Scope, Scope],
        report_of: Callable[[str], ProgressHook],
        kept: bool,
    ) -> CompareTable:
        """What was evaluated before is not evaluated again."""
        from engine.compare.table import CompareTable

        old, new = (
            self._known(mode, scope)
            or (self._recall(mode, scope) if kept else None)
            or self._evaluate(mode, scope, report_of(scope.model))
            for scope in scopes
        )
        return CompareTable.of(old, new, report=report_of(""))

    def _known(self, mode: Mode, scope: Scope) -> EvaluatedRun | None:
        """What was evaluated here."""
        return self._kept.get(self._key(mode, scope))

    def _recall(self, mode: Mode, scope: Scope) -> EvaluatedRun | None:
        if self._earlier is None:
            return None
        work = self._bench.work
        found = self._earlier.find(make_request(work, mode, scope), work, mode)
        if found is not None:
            found.truth.label_groups  # noqa: B018 (found here, not when a screen asks for it)
        return found

    def confusion(
        self,
        evaluated: EvaluatedRun,
        group: str,
        rows: Ints,
        done: Callable[[ConfusionMatrix], None],
        failed: FailureHook,
    ) -> None:
        """Which labels of a group the queries of these rows retrieved."""

        def work(_: Ticket[ConfusionMatrix]) -> ConfusionMatrix:
            from engine.labels.confusion_matrix import count_confusions

            return count_confusions(evaluated, group, rows)

        self._counting.submit(work, done, failed)

    def instead(
        self,
        evaluated: EvaluatedRun,
        rows: Ints,
        done: Callable[[tuple[Absence, ...]], None],
        failed: FailureHook,
    ) -> None:
        """What the queries of these rows retrieved instead of each keyword that they ask for."""
        self._lacking.submit(lambda _: evaluated.find_absences(rows), done, failed)

    def _evaluate(self, mode: Mode, scope: Scope, report: ProgressHook) -> EvaluatedRun:
        key, work = self._key(mode, scope), self._bench.work
        keep = self._earlier and self._earlier.begin(make_request(work, mode, scope), work, mode)
        found = evaluate_set(work, mode, scope, report)
        found.truth.label_groups  # noqa: B018 (found here, not when a screen asks for it)
        self._kept.put(key, found)
        if keep:
            write = partial(keep, found)
            self._deliver(lambda: self._write_down(write))
        return found

    def _write_down(self, write: Callable[[], None]) -> None:
        """Keep an evaluation; nothing is lost if it cannot be."""
        self._writing.add(lambda _: write(), lambda _: None, lambda _: None)

    def _key(self, mode: Mode, scope: Scope) -> object:
        """What an evaluation is known by; a query file that was changed since makes another."""
        file = self._bench.dataset.queries_file if mode == "text" else None
        try:
            stat = file.stat() if file else None
        except OSError:  # it is gone: the run says so
            stat = None
        return mode, scope, stat and (stat.st_mtime_ns, stat.st_size)
