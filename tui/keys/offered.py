"""Which commands an app has: the registry is one, but not every app has every screen."""

from __future__ import annotations

from typing import Any

from textual.app import App

from tui.keys.commands import COMMANDS, Command, commands_of
from tui.keys.panes import PANES


def offered(app: App[Any], pane: str | None = None) -> tuple[Command, ...]:
    """The commands of an app, or of one of its panes, in the order of the table.

    An app that does not say which `places` it has is taken to have all of them.
    """
    commands = COMMANDS if pane is None else commands_of(pane)
    places: tuple[str, ...] = getattr(app, "places", ())
    if not places:
        return commands
    return tuple(
        command
        for command in commands
        if PANES[command.pane].screen in ("", *places)
        and (command.pane != "app" or does(app, command.action))
    )


def does(app: App[Any], action: str) -> bool:
    """Whether an app can do something at all."""
    return hasattr(app, f"action_{action}")
