"""The Compare screen over two systems that were read from files. Wiring only."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, cast

from textual.screen import Screen

from engine.base.mode import Mode
from tui.compare.screen import CompareScreen
from tui.opening.starts import CompareStart
from tui.shell.base_app import BaseApp
from tui.work.evaluations import SavedComparisons
from tui.work.scope import Scope
from tui.work.services import SavedServices


class CompareApp(BaseApp):
    """Two systems over the queries that both answered."""

    CSS_PATH = Path(__file__).parents[1] / "compare" / "compare.tcss"
    places: ClassVar[tuple[str, ...]] = ("compare",)

    def __init__(self, start: CompareStart) -> None:
        super().__init__(start)
        self._start = start
        compares = SavedComparisons(start.systems, start.compare, self.lanes)
        self.services = SavedServices(compares)

    def get_default_screen(self) -> Screen[None]:
        old, new = self._start.systems
        modes = tuple(cast(Mode, mode) for mode in old.modes if mode in new.modes)
        screen = CompareScreen(modes[0], modes, at_once=modes)
        self.install_screen(screen, "compare")
        return screen

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
