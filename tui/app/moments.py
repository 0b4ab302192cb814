"""The moment inspector: the app around the moment screen. Wiring only."""

from __future__ import annotations

from pathlib import Path

from textual.screen import Screen

from tui.moments.screen import MomentsScreen
from tui.opening.moments_start import MomentsStart
from tui.shell.base_app import BaseApp
from tui.work.moments import MomentsService


class MomentsApp(BaseApp):
    """Predicted moments over one ground truth."""

    CSS_PATH = Path(__file__).parents[1] / "moments" / "moments.tcss"
    places = ("moments",)
    warning_seconds = 4.0  # on a small screen a message lies on the time line

    def __init__(self, start: MomentsStart) -> None:
        super().__init__(start)
        service = MomentsService(start.request, start.near, self.lanes)
        self.moments_screen = MomentsScreen(service, start.task, start.at)

    @property
    def terms(self) -> tuple[tuple[str, str], ...]:
        from tui.keys.terms import TERMS_OF_MOMENTS

        return TERMS_OF_MOMENTS

    def get_default_screen(self) -> Screen[None]:
        self.install_screen(self.moments_screen, "moments")
        return self.moments_screen

    def begin(self) -> None:
        self.moments_screen.read()
