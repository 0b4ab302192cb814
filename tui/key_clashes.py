"""Two commands on one key: which of them wins where, told in words.

The focused pane is asked first, then its screen, then the app. Where the shipped keys use that on
purpose nothing is reported; a key that newly hides another command is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from tui.commands import COMMANDS, Command
from tui.key_names import key_name, typed

Keys: TypeAlias = Mapping[str, Sequence[str]]
"""The keys of every command, by its id."""

DEFAULT: Final[Keys] = {
    command.id: tuple(filter(None, command.keys.split(","))) for command in COMMANDS
}
"""The keys as the table of commands gives them."""

SCREENS: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    "inspect": (("results", "table"), ("picker", "table"), ("query",), ("keywords",)),
    "evaluate": (("table",),),
    "sessions": (("table",),),
}
"""The widgets of each screen; a widget may be several panes at once."""

TEXT_FIELDS: Final = frozenset({"query"})
"""Panes in which a character is typed, whatever it is bound to."""

ALWAYS: Final = {"ctrl+q": "app.quit"}
"""Keys that Textual itself asks first, even in a dialog."""


@dataclass(frozen=True, slots=True)
class Clash:
    """`wins` takes the key from `loses` while one of `panes` has the focus."""

    key: str
    wins: Command
    loses: Command
    panes: tuple[str, ...]
    sure: bool = True


def clashes(keys: Keys, base: Keys) -> tuple[str, ...]:
    """What a person should know about their keys, given the shipped keys they started from."""
    meant = {(item.key, item.wins.id, item.loses.id) for item in _clashes(base)}
    found: dict[tuple[str, str, str], Clash] = {}
    for item in _clashes(keys):
        name = (item.key, item.wins.id, item.loses.id)
        if name not in meant:
            found.setdefault(name, item)
    return (*(_told(item, keys) for item in found.values()), *_never_works(keys))


def _clashes(keys: Keys) -> Iterator[Clash]:
    for screen, widgets in SCREENS.items():
        for widget in widgets:
            levels = [_of(widget), _of((screen,)), _of(("app",))]
            for depth, level in enumerate(levels):
                yield from _within(level, keys, widget)
                for inner in levels[:depth]:
                    yield from _across(inner, level, keys, widget)


def _of(panes: Sequence[str]) -> list[Command]:
    return [command for pane in panes for command in COMMANDS if command.pane == pane]


def _within(level: list[Command], keys: Keys, widget: tuple[str, ...]) -> Iterator[Clash]:
    """Commands of one widget: Textual lets a changed key take the place of a shipped one."""
    for place, first in enumerate(level):
        for second in level[place + 1 :]:
            for key in keys[first.id]:
                if key in keys[second.id]:
                    changed = [keys[item.id] != DEFAULT[item.id] for item in (first, second)]
                    wins, loses = (second, first) if changed == [False, True] else (first, second)
                    sure = changed[0] != changed[1] or first.pane == second.pane
                    yield Clash(key, wins, loses, widget, sure)


def _across(
    inner: list[Command], outer: list[Command], keys: Keys, widget: tuple[str, ...]
) -> Iterator[Clash]:
    for wins in inner:
        for loses in outer:
            for key in keys[wins.id]:
                # A character is typed there in any case: nothing is taken from anyone.
                if key in keys[loses.id] and not (TEXT_FIELDS & set(widget) and typed(key)):
                    yield Clash(key, wins, loses, widget)


def _told(clash: Clash, keys: Keys) -> str:
    wins, loses = clash.wins.id, clash.loses.id
    start = f'"{key_name(clash.key)}" is {wins} and {loses}'
    if not clash.sure:
        return f"{start}: only one of them works in {clash.panes[0]}"
    kept = [key_name(key) for key in keys[loses] if key != clash.key]
    rest = f"it keeps {', '.join(kept)}" if kept else "it has no other key"
    where = "" if clash.wins.pane == "app" else f" in {clash.wins.pane}"
    return f"{start}: {wins} wins{where} over {loses}; {rest}"


def _never_works(keys: Keys) -> Iterator[str]:
    for command in COMMANDS:
        for key in keys[command.id]:
            owner = ALWAYS.get(key, command.id)
            if owner != command.id:
                yield f'"{key_name(key)}" of {command.id} is always {owner}'
            elif command.pane in TEXT_FIELDS and typed(key):
                yield f'"{key_name(key)}" of {command.id} is typed into the {command.pane} bar'
