"""What can be done here and now: the commands of the focused pane, its screen and the app."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from textual.app import App
from textual.binding import ActiveBinding, Binding
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widget import Widget

from tui.keys.commands import COMMANDS, Command, list_commands
from tui.keys.names import find_character, is_key
from tui.keys.panes import PANES


@dataclass(frozen=True, slots=True, eq=False)
class ActiveCommand:
    """A command that works now, the node that does it, and the keys that reach it."""

    command: Command
    node: DOMNode
    keys: tuple[str, ...]

    async def run(self) -> None:
        if isinstance(self.node, Widget) and self.node.can_focus and not self.node.has_focus:
            self.node.screen.set_focus(self.node)
        await self.node.app.run_action(self.command.action, default_namespace=self.node)


def find_active_commands(screen: Screen[Any]) -> tuple[ActiveCommand, ...]:
    """Every command that works now: the focused pane's first, then the screen's and the app's."""
    keys = find_pressable_keys(screen)
    return tuple(
        ActiveCommand(
            command,
            node,
            tuple(
                key
                for key, active in keys.items()
                if active.binding.id == command.id and active.node is node
            ),
        )
        for node in walk_focus_chain(screen)
        for pane in find_bound_panes(node)
        for command in list_offered_commands(screen.app, pane)
        if node.check_action(command.action, ())
    )


def find_commands_elsewhere(screen: Screen[Any]) -> tuple[ActiveCommand, ...]:
    """Commands of the other panes of the screen: what they need first is the focus."""
    here = set(walk_focus_chain(screen))
    return tuple(
        ActiveCommand(command, node, ())
        for node in screen.query("*")
        if node not in here and node.can_focus
        for pane in find_bound_panes(node)
        if pane != "table"
        for command in list_offered_commands(screen.app, pane)
        if node.check_action(command.action, ())
    )


def find_pressable_keys(screen: Screen[Any]) -> dict[str, ActiveBinding]:
    """The keys that do something; a character that a focused text field takes is none of them."""
    focused = screen.focused
    return {
        key: active
        for key, active in screen.active_bindings.items()
        if is_key(key)
        and not (focused is not None and focused.check_consume_key(key, find_character(key)))
    }


def walk_focus_chain(screen: Screen[Any]) -> Iterator[DOMNode]:
    """Who is asked about a key, in this order."""
    for node in (screen.focused or screen).ancestors_with_self:
        yield node
        if node.is_modal:
            return


def find_bound_panes(node: DOMNode) -> tuple[str, ...]:
    """The panes whose commands a widget or screen does itself."""
    ids = (
        binding.id
        for kind in type(node).__mro__
        for binding in kind.__dict__.get("BINDINGS", ())
        if isinstance(binding, Binding) and binding.id
    )
    panes = dict.fromkeys(name.partition(".")[0] for name in ids)
    return tuple(sorted((pane for pane in panes if pane in PANES), key="table".__eq__))


def find_active_panes(screen: Screen[Any]) -> tuple[str, ...]:
    """The panes that the focus is in, from the inside out; what all lists share comes after the
    pane that a list is."""
    return tuple(
        dict.fromkeys(
            pane
            for node in walk_focus_chain(screen)
            for pane in (getattr(node, "pane", ""), *find_bound_panes(node))
            if pane in PANES
        )
    )


def list_offered_commands(app: App[Any], pane: str | None = None) -> tuple[Command, ...]:
    """The commands of an app, or of one of its panes, in the order of the table.

    An app that does not say which `places` it has is taken to have all of them.
    """
    commands = COMMANDS if pane is None else list_commands(pane)
    places: tuple[str, ...] = getattr(app, "places", ())
    if not places:
        return commands
    return tuple(
        command
        for command in commands
        if PANES[command.pane].screen in ("", *places)
        and (command.pane != "app" or can_do(app, command.action))
    )


def can_do(app: App[Any], action: str) -> bool:
    """Whether an app can do something at all, and has a use for it."""
    return hasattr(app, f"action_{action}") and action not in getattr(app, "quiet_actions", ())
