"""The Compare screen over two systems that were read from files. Wiring only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from textual.screen import Screen

from engine.base.choices import Mode
from engine.sessions import TableView
from tui.compare.screen import CompareScreen
from tui.opening.compare_start import CompareStart
from tui.opening.system_pair import SystemPair
from tui.shell.base_app import BaseApp
from tui.work.evaluations import SavedComparisons
from tui.work.lanes import LaneGroup
from tui.work.recorder import Recorder
from tui.work.scope import Scope
from tui.work.services import SavedServices


class SavedHost:
    """What the Compare screen asks for, of two systems that were read from files.

    open_compared  opens a query in Inspect
    show_inspect   goes there
    recorder       the session to judge in; None: files without a dataset have none
    """

    dataset_name = "saved results"

    def __init__(
        self,
        pair: SystemPair,
        lanes: LaneGroup,
        open_compared: Callable[[tuple[str, str], Mode, str, tuple[str, ...]], None],
        show_inspect: Callable[[], None] = lambda: None,
        recorder: Recorder | None = None,
    ) -> None:
        self._pair = pair
        self.recorder = recorder
        self.models = tuple(system.name for system in pair.systems)
        self.evaluation_scope = Scope(self.models[0], ())
        self.services = SavedServices(SavedComparisons(pair, lanes))
        self.open_compared, self.show_inspect = open_compared, show_inspect

    @property
    def screen_settings(self) -> tuple[Mode, Sequence[Mode], Sequence[Mode], SavedHost]:
        """What the screen is made with: every mode is compared as soon as it is looked at."""
        modes = self._pair.modes
        return modes[0], modes, modes, self

    def remember_table(self, table: TableView) -> None:
        """Files are opened again by naming them."""

    def other_model(self, model: str) -> str | None:
        return next(name for name in self.models if name != model)

    def choose_model(self, title: str, now: str, chosen: Callable[[str | None], None]) -> None:
        """There are two: they are swapped, never chosen."""


class CompareApp(BaseApp):
    """Two systems over the queries that both answered."""

    CSS_PATH = Path(__file__).parents[1] / "compare" / "compare.tcss"
    places = ("compare",)

    def __init__(self, start: CompareStart) -> None:
        super().__init__(start)
        self._host = SavedHost(start.pair, self.lanes, self._cannot_open)

    def get_default_screen(self) -> Screen[None]:
        return self.installed("compare", CompareScreen, *self._host.screen_settings)

    def _cannot_open(self, *query: object) -> None:
        """Results alone hold no clips to look at."""
        text = "Saved results cannot be opened in Inspect: it needs the dataset that they are of."
        self.notify(text, markup=False)
