"""The command palette's source: every command, with its key where it works."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from textual.app import App
from textual.command import DiscoveryHit, Hit, Hits, Matcher, Provider
from textual.content import Content
from textual.dom import DOMNode
from textual.screen import Screen

from tui.keys.active import (
    ActiveCommand,
    find_active_commands,
    find_bound_panes,
    find_commands_elsewhere,
    list_offered_commands,
    walk_focus_chain,
)
from tui.keys.commands import Command
from tui.keys.names import name_key
from tui.keys.order import find_first_focus, wait_for_keys
from tui.keys.panes import PANES
from tui.look.nouns import Nouns, find_nouns

_THERE, _NOT_NOW = 0.9, 0.5
"""How much less a command of another screen is meant than one that works here and fits as well,
and one of this screen that does nothing now."""


@dataclass(frozen=True, slots=True, eq=False)
class RemoteCommand:
    """A command that does nothing where the focus is; it may do something elsewhere.

    To run it is to go to its screen, and to its pane there, first.
    """

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


class CommandProvider(Provider):
    """Offers what works in the focused pane, its screen and the app; then what does elsewhere."""

    async def discover(self) -> Hits:
        for item in list_every_command(self.screen):
            name = self._nouns.spell(name_command(item.command))
            line = self._line(Content(name), item)
            yield DiscoveryHit(line, item.run, name, _about(item.command, self._nouns))

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for item in list_every_command(self.screen):
            score = _score(matcher, item.command, self._nouns) * self._weight(item)
            if score > 0:
                name = self._nouns.spell(name_command(item.command))
                line = self._line(matcher.highlight(name), item)
                yield Hit(score, line, item.run, name, _about(item.command, self._nouns))

    @property
    def _nouns(self) -> Nouns:
        return find_nouns(self.app)

    def _weight(self, item: ActiveCommand | RemoteCommand) -> float:
        if isinstance(item, ActiveCommand):
            return 1.0
        return _THERE if is_elsewhere(item.command, self.screen) else _NOT_NOW

    def _line(self, name: Content, item: ActiveCommand | RemoteCommand) -> Content:
        if isinstance(item, ActiveCommand):
            quiet = "  ".join(map(name_key, item.keys))
        else:
            quiet = _where(item.command, self.screen)
        return Content.assemble(name, "  ", (quiet, "$quiet")) if quiet else name


def list_every_command(screen: Screen[Any]) -> tuple[ActiveCommand | RemoteCommand, ...]:
    """Each command once: of the focused pane, of the others here, and of the other screens.

    What every list does comes after what only this screen does: its keys are known best.
    """
    items = [*find_active_commands(screen), *find_commands_elsewhere(screen)]
    items.sort(key=lambda item: item.command.pane == "table")
    found: dict[str, ActiveCommand | RemoteCommand] = {}
    for item in items:
        found.setdefault(item.command.id, item)
    # What does nothing here: of the other screens first, without a look at these.
    others = list_offered_commands(screen.app)
    for command in sorted(others, key=lambda one: not is_elsewhere(one, screen)):
        found.setdefault(command.id, RemoteCommand(command, screen.app))
    return tuple(found.values())


def _score(matcher: Matcher, command: Command, nouns: Nouns) -> float:
    """What a command is called counts most; a word of the explanation finds it too."""
    name = nouns.spell(name_command(command))
    # The colon need not be typed.
    called = (nouns.spell(command.title), name, name.replace(":", ""))
    return max(*map(matcher.match, called), matcher.match(nouns.spell(command.about)) / 2)


def _where(command: Command, screen: Screen[Any]) -> str:
    """The screen that a command leads to, if the name of the command does not say so."""
    place = PANES[command.pane].screen
    is_named = place == command.pane or not is_elsewhere(command, screen)
    return "" if is_named else f"in {PANES[place].title}"


def _about(command: Command, nouns: Nouns) -> str:
    # Textual reads this as markup and dims it; it is text, and dim is too dark on some terminals.
    return Content.styled(nouns.spell(command.about), "$quiet not dim").markup


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
