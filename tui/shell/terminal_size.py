"""The size of the terminal: what a screen is told of it, and what is said where it is too small."""

from __future__ import annotations

from typing import Any

from textual.app import App
from textual.geometry import Size
from textual.screen import Screen

from tui.dialogs.smallest_size import is_too_small


def fit_to_size(screen: Screen[Any], app: App[Any]) -> None:
    """Give a new screen the classes of the terminal's size before it is laid out: Textual would lay
    it out without, and then all of it again."""
    for cells, own, usual in (
        (app.size.width, screen.HORIZONTAL_BREAKPOINTS, app.HORIZONTAL_BREAKPOINTS),
        (app.size.height, screen.VERTICAL_BREAKPOINTS, app.VERTICAL_BREAKPOINTS),
    ):
        sizes = sorted((usual if own is None else own) or ())
        fitting = [name for least, name in sizes if least <= cells]
        screen.add_class(*fitting[-1:], update=False)


def watch_size(app: App[Any], size: Size | None = None) -> None:
    """Where the terminal is too small, say so; what says it goes away by itself.

    To be called by the app's `on_mount` and `on_resize`.
    """
    if not is_too_small(size or app.size):
        return
    from tui.dialogs.too_small import TooSmallScreen

    if not any(isinstance(screen, TooSmallScreen) for screen in app.screen_stack):
        app.push_screen(TooSmallScreen())
