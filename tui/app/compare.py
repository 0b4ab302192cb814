"""The Compare screen over two systems that were read from files. Wiring only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast

from textual.screen import Screen

from engine.base.mode import Mode
from tui.compare.screen import CompareScreen
from tui.opening.starts import CompareStart
from tui.shell.base_app import BaseApp
from tui.work.lanes import DeliveryHook, LaneGroup
from tui.work.scope import Scope

if TYPE_CHECKING:
    from engine.compare import Comparison
    from engine.compare.saved_side import SavedSide
    from engine.compare.table import CompareTable
    from engine.keywords.evaluated_run import EvaluatedRun
    from tui.work.evaluations import Curves, ModelProgressHook
    from tui.work.lanes import FailureHook


class SavedComparisons:
    """Compares systems that were read already, as `EvaluationService` does models of a dataset."""

    def __init__(self, start: CompareStart, lanes: LaneGroup) -> None:
        self._start = start
        self._comparing = lanes.lane("compare")
        self._drawing = lanes.lane("curves")
        self._found: dict[str, Comparison] = {}
        """By the system before."""

    def compare(
        self,
        mode: Mode,
        scopes: tuple[Scope, Scope],
        progress: ModelProgressHook,
        done: Callable[[CompareTable], None],
        failed: FailureHook,
    ) -> Callable[[], None]:
        def work(_: object) -> CompareTable:
            from engine.compare.table import CompareTable

            return CompareTable.of_saved(self._compared(scopes[0].model), mode)

        return self._comparing.submit(work, done, failed).cancel

    def _compared(self, before: str) -> Comparison:
        """All modes are compared at once: their p-values are corrected together."""
        if before not in self._found:
            old, new = self._start.systems
            pair = (old, new) if before == old.name else (new, old)
            self._found[before] = self._start.compare(*pair)
        return self._found[before]

    def curves(
        self,
        evaluations: Sequence[EvaluatedRun | SavedSide],
        done: Callable[[tuple[Curves, ...]], None],
        failed: FailureHook,
    ) -> None:
        def work(_: object) -> tuple[Curves, ...]:
            from tui.work.evaluations import compute_curves

            return tuple(map(compute_curves, evaluations))

        self._drawing.submit(work, done, failed)


class SavedServices:
    """The engine as the Compare screen sees it where there is no dataset."""

    encoder_state = "ready"

    def __init__(self, start: CompareStart, deliver: DeliveryHook) -> None:
        self._lanes = LaneGroup(deliver)
        self.evaluations = SavedComparisons(start, self._lanes)

    def close(self) -> None:
        self._lanes.close()


class CompareApp(BaseApp):
    """Two systems over the queries that both answered."""

    CSS_PATH = Path(__file__).parents[1] / "compare" / "compare.tcss"
    places: ClassVar[tuple[str, ...]] = ("compare",)

    def __init__(self, start: CompareStart) -> None:
        super().__init__(start.theme, start.keymap, ascii=start.ascii)
        self._start = start
        self.services = SavedServices(start, self.soon)

    def get_default_screen(self) -> Screen[None]:
        old, new = self._start.systems
        modes = tuple(cast(Mode, mode) for mode in old.modes if mode in new.modes)
        screen = CompareScreen(modes[0], modes, at_once=modes)
        self.install_screen(screen, "compare")
        return screen

    def end_services(self) -> None:
        self.services.close()

    # What the screen asks for

    @property
    def models(self) -> tuple[str, ...]:
        old, new = self._start.systems
        return old.name, new.name

    def other_model(self, model: str) -> str | None:
        return next(name for name in self.models if name != model)

    @property
    def evaluation_scope(self) -> Scope:
        return Scope(self.models[0], ())

    @property
    def dataset_name(self) -> str:
        return "saved results"

    def open_compared(
        self, models: tuple[str, str], mode: Mode, query: str, keywords: tuple[str, ...]
    ) -> None:
        """Results alone hold no clips to look at."""
        text = "Saved results cannot be opened in Inspect: tui-eval inspect opens their dataset."
        self.notify(text, markup=False)

    def choose_model(self, title: str, now: str, chosen: Callable[[str | None], None]) -> None:
        """There are two: they are swapped, never chosen."""

    def show_inspect(self) -> None:
        """Nothing lies behind this screen."""
