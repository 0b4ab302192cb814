"""Commands of other places: to run one is to go to its screen, and to its pane there, first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from textual.app import App
from textual.dom import DOMNode
from textual.screen import Screen

from tui.keys.active import ActiveCommand, find_bound_panes, list_offered_commands, walk_focus_chain
from tui.keys.commands import Command
from tui.keys.order import find_first_focus, wait_for_keys
from tui.keys.panes import PANES


@dataclass(frozen=True, slots=True, eq=False)
class RemoteCommand:
    """A command that does nothing where the focus is; it may do something elsewhere."""

    command: Command
    app: App[Any]

    async def run(self) -> None:
        where = "there" if await self._go_there() else "here"
        node = _doer(self.command, self.app.screen)
        if node is not None:
            await ActiveCommand(self.command, node, ()).run()
        else:
            message = f"{name_command(self.command)} does nothing {where} now."
            self.app.notify(message, severity="warning", markup=False)

    async def _go_there(self) -> bool:
        """Go to the screen of the command; False: it is here."""
        if not is_elsewhere(self.command, self.app.screen):
            return False
        await self.app.run_action(f"show_{PANES[self.command.pane].screen}")
        await wait_for_keys(self.app)
        return True


def list_remote_commands(screen: Screen[Any]) -> tuple[RemoteCommand, ...]:
    """Every command of the app: those of other screens first, without a look at these."""
    commands = list_offered_commands(screen.app)
    here = [command for command in commands if not is_elsewhere(command, screen)]
    there = [command for command in commands if is_elsewhere(command, screen)]
    return tuple(RemoteCommand(command, screen.app) for command in (*there, *here))


def is_elsewhere(command: Command, screen: Screen[Any]) -> bool:
    """Whether the command is one of another screen."""
    place = PANES[command.pane].screen
    return bool(place) and place not in find_bound_panes(screen)


def name_command(command: Command) -> str:
    """A command by its pane and title.

    >>> from tui.keys.commands import COMMANDS
    >>> name_command(COMMANDS[0])
    'Everywhere: Inspect'
    """
    return f"{PANES[command.pane].title}: {command.title}"


def _doer(command: Command, screen: Screen[Any]) -> DOMNode | None:
    """Who can do it now on this screen: what has the focus, or what the focus can be given to."""
    home, before = find_first_focus(screen), screen.focused
    nodes: list[DOMNode] = [
        *walk_focus_chain(screen),
        *([home] if home else []),
        *screen.query("*"),
    ]
    doers = [node for node in nodes if command.pane in find_bound_panes(node)]
    for node in doers:
        if node.check_action(command.action, ()):
            return node
    # A screen may have no use for it while the focus is in one pane, and some in another.
    if screen in doers and home is not None and home is not before:
        screen.set_focus(home)
        if screen.check_action(command.action, ()):
            return screen
        screen.set_focus(before)
    return None
