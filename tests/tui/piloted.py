"""An inspector under a Pilot: keys in, what stands on the screen out."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from textual.pilot import Pilot
from textual.screen import Screen

from tui.keys.clashes import DEFAULT_KEYS
from tui.keys.footer import collect_hints
from tui.shell.base_app import BaseApp

LIMIT = 120.0
"""Seconds after which something that does not happen is said not to happen, on a busy machine."""


def screen_text(screen: Screen[Any]) -> str:
    """A screen as lines of text, with whatever lies on top of it."""
    strips = screen._compositor.render_strips(screen.app.size)
    return "\n".join(strip.text.rstrip() for strip in strips)


class Piloted:
    """What every inspector has: keys, a screen, toasts, a footer, a focus."""

    app: BaseApp

    def __init__(self, app: BaseApp, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def do(self, *commands: str) -> None:
        """Press the key of each command, wherever that key is by now."""
        await self.press(*(DEFAULT_KEYS[command][0] for command in commands))

    async def until(self, condition: Callable[[], object], what: str = "") -> None:
        """Wait for something that comes from the background."""
        end = time.monotonic() + LIMIT
        while not condition():
            assert self.app._exception is None, "the app ended with an error"
            if time.monotonic() > end:
                raise AssertionError(
                    f"never: {what or condition}\n{self.screen_text}\n{self.toasts}"
                )
            await self.pilot.pause(0.02)

    async def says(self, text: str) -> None:
        """Wait until a text stands on the screen, or in a toast (a Pilot shows none)."""
        here = lambda: text in "\n".join([self.screen_text, *self.toasts])  # noqa: E731
        await self.until(here, f"{text!r} on the screen or in {self.toasts}")

    @property
    def screen_text(self) -> str:
        """Every line of the terminal as it is now."""
        return screen_text(self.app.screen)

    @property
    def toasts(self) -> list[str]:
        return [str(toast.message) for toast in self.app._notifications]

    @property
    def footer(self) -> dict[str, str]:
        """What the footer offers: title of the command → its key."""
        return {hint.title: hint.label for hint in collect_hints(self.app.screen)}

    @property
    def focused(self) -> str:
        """The id of the pane that has the focus."""
        node = self.app.screen.focused
        return "" if node is None else node.id or type(node).__name__
