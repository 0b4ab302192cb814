"""The command palette's source: every command, with its key where it works."""

from __future__ import annotations

from typing import Any

from textual.command import DiscoveryHit, Hit, Hits, Matcher, Provider
from textual.content import Content
from textual.screen import Screen

from tui.keys.active import ActiveCommand, find_active_commands, find_commands_elsewhere
from tui.keys.commands import Command
from tui.keys.names import name_key
from tui.keys.panes import PANES
from tui.keys.remote_commands import RemoteCommand, is_elsewhere, list_remote_commands, name_command
from tui.look.nouns import Nouns, find_nouns

_THERE, _NOT_NOW = 0.9, 0.5
"""How much less a command of another screen is meant than one that works here and fits as well,
and one of this screen that does nothing now."""


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
    found: dict[str, ActiveCommand | RemoteCommand] = {}
    items = [*find_active_commands(screen), *find_commands_elsewhere(screen)]
    items.sort(key=lambda item: item.command.pane == "table")
    every: tuple[ActiveCommand | RemoteCommand, ...] = (*items, *list_remote_commands(screen))
    for item in every:
        found.setdefault(item.command.id, item)
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
