"""The screen below 60×20: what is needed, until the terminal grows. Nothing below it is lost."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Size
from textual.widgets import Static

from tui.dialogs.dialog import OneAnswerScreen

SMALLEST_TERMINAL: Final = Size(60, 20)


def is_too_small(size: Size) -> bool:
    """
    >>> is_too_small(Size(59, 40)), is_too_small(Size(60, 20))
    (True, False)
    """
    return size.width < SMALLEST_TERMINAL.width or size.height < SMALLEST_TERMINAL.height


def watch_size(app: App[Any], size: Size | None = None) -> None:
    """To be called by the app's `on_mount` and `on_resize`; the screen goes away by itself."""
    if is_too_small(size or app.size) and not any(
        isinstance(screen, TooSmallScreen) for screen in app.screen_stack
    ):
        app.push_screen(TooSmallScreen())


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
