"""Which commands an app has: the registry is one, but not every app has every screen."""

from __future__ import annotations

from typing import Any

from textual.app import App

from tui.commands import COMMANDS, Command, commands_of
from tui.panes import PANES


def offered(app: App[Any], pane: str | None = None) -> tuple[Command, ...]:
    """The commands of an app, or of one of its panes, in the order of the table.

    An app without `places` has all screens.
    """
    places = getattr(app, "places", ())
    return tuple(
        command
        for command in (COMMANDS if pane is None else commands_of(pane))
        if _is_in(PANES[command.pane].screen, places)
        and (command.pane != "app" or does(app, command.action))
    )


def does(app: App[Any], action: str) -> bool:
    """Whether an app can do something at all."""
    return hasattr(app, f"action_{action}")


def _is_in(screen: str, places: tuple[str, ...]) -> bool:
    return not screen or not places or screen in places
