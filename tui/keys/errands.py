"""Commands of other places: to run one is to go to its screen, and to its pane there, first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from textual.app import App
from textual.dom import DOMNode
from textual.screen import Screen

from tui.keys.active import Offer, bound_panes, chain
from tui.keys.commands import Command
from tui.keys.offered import offered
from tui.keys.order import first_to_focus, takes_keys
from tui.keys.panes import PANES


@dataclass(frozen=True, slots=True, eq=False)
class Errand:
    """A command that does nothing where the focus is; it may do something elsewhere."""

    command: Command
    app: App[Any]

    async def run(self) -> None:
        where = "there" if await self._went() else "here"
        node = _doer(self.command, self.app.screen)
        if node is not None:
            await Offer(self.command, node, ()).run()
        else:
            told = f"{name_of(self.command)} does nothing {where} now."
            self.app.notify(told, severity="warning", markup=False)

    async def _went(self) -> bool:
        """Go to the screen of the command; False: it is here."""
        if not is_elsewhere(self.command, self.app.screen):
            return False
        await self.app.run_action(f"show_{PANES[self.command.pane].screen}")
        await takes_keys(self.app)
        return True


def errands(screen: Screen[Any]) -> tuple[Errand, ...]:
    """Every command of the app: those of other screens first, without a look at these."""
    commands = offered(screen.app)
    here = [command for command in commands if not is_elsewhere(command, screen)]
    there = [command for command in commands if is_elsewhere(command, screen)]
    return tuple(Errand(command, screen.app) for command in (*there, *here))


def is_elsewhere(command: Command, screen: Screen[Any]) -> bool:
    """Whether the command is one of another screen."""
    place = PANES[command.pane].screen
    return bool(place) and place not in bound_panes(screen)


def name_of(command: Command) -> str:
    """A command by its pane and title.

    >>> from tui.keys.commands import COMMANDS
    >>> name_of(COMMANDS[0])
    'Everywhere: Inspect'
    """
    return f"{PANES[command.pane].title}: {command.title}"


def _doer(command: Command, screen: Screen[Any]) -> DOMNode | None:
    """Who can do it now on this screen: what has the focus, or what the focus can be given to."""
    home, before = first_to_focus(screen), screen.focused
    nodes: list[DOMNode] = [*chain(screen), *([home] if home else []), *screen.query("*")]
    doers = [node for node in nodes if command.pane in bound_panes(node)]
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
