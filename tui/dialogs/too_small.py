"""The screen below 60×20: what is needed, until the terminal grows. Nothing below it is lost."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Size
from textual.widgets import Static

from tui.dialogs.dialog import OneAnswerScreen
from tui.dialogs.smallest_size import SMALLEST_TERMINAL, is_too_small


class TooSmallScreen(OneAnswerScreen[None]):
    """Says how large the terminal is and how large it should be."""

    CSS_PATH = "too_small.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("q", "app.quit", "Quit")]

    def compose(self) -> ComposeResult:
        yield Static(self._text(self.app.size))

    def on_resize(self, event: events.Resize) -> None:
        self._check(event.size)

    def on_screen_resume(self) -> None:
        self._check(self.app.size)

    def _check(self, size: Size) -> None:
        if not self.is_active:
            return  # below a dialog: looked at again when that is closed
        if is_too_small(size):
            for text in self.query(Static):  # none while the app is being left
                text.update(self._text(size))
        else:
            self.dismiss()

    @staticmethod
    def _text(size: Size) -> Content:
        now = f"{size.width}×{size.height}"
        return Content.assemble(
            ("A little more room, please", "bold"),
            f"\n\nThis terminal is "
            f"{now}.\n{SMALLEST_TERMINAL.width}×{SMALLEST_TERMINAL.height} is needed.\n\n"
            "Nothing is lost: make it\nlarger and go on.\n\n",
            ("q", "bold"),
            " quits",
        )
