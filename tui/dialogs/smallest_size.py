"""The smallest terminal in which the screens can be used, and what comes in a smaller one."""

from __future__ import annotations

from typing import Any, Final

from textual.app import App
from textual.geometry import Size

SMALLEST_TERMINAL: Final = Size(60, 20)


def is_too_small(size: Size) -> bool:
    """
    >>> is_too_small(Size(59, 40)), is_too_small(Size(60, 20))
    (True, False)
    """
    return size.width < SMALLEST_TERMINAL.width or size.height < SMALLEST_TERMINAL.height


def watch_size(app: App[Any], size: Size | None = None) -> None:
    """To be called by the app's `on_mount` and `on_resize`; the screen goes away by itself."""
    if not is_too_small(size or app.size):
        return
    from tui.dialogs.too_small import TooSmallScreen

    if not any(isinstance(screen, TooSmallScreen) for screen in app.screen_stack):
        app.push_screen(TooSmallScreen())
