"""Two commands on one key: which of them wins where, told in words.

The focused pane is asked first, then its screen, then the app. Where the shipped keys use that on
purpose nothing is reported; a key that newly hides another command is. However bad a file is, the
report is short: a line says what one command takes from all others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, TypeAlias

from tui.keys.commands import COMMANDS, Command
from tui.keys.names import key_name, typed

Keys: TypeAlias = Mapping[str, Sequence[str]]
"""The keys of every command, by its id."""

DEFAULT: Final[Keys] = {
    command.id: tuple(filter(None, command.keys.split(","))) for command in COMMANDS
}
"""The keys as the table of commands gives them."""

SCREENS: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    "inspect": (("results", "table"), ("picker", "table"), ("query",), ("keywords",)),
    "evaluate": (("table",),),
    "compare": (("table",),),
    "sessions": (("table",),),
    "moments": (("table",), ("moment", "table")),
}
"""The widgets of each screen; a widget may be several panes at once."""

TEXT_FIELDS: Final = frozenset({"query"})
"""Panes in which a character is typed, whatever it is bound to."""

ALWAYS: Final = {"ctrl+q": "app.quit"}
"""Keys that no file can give away, even in a dialog."""

SHOWN: Final = 3
"""Of a long list of keys or commands; how many more there are is said."""


def clashes(keys: Keys, base: Keys) -> tuple[str, ...]:
    """What a person should know about their keys, given the shipped keys they started from."""
    meant = {
        (key, wins, loses)
        for key, claims in _claims(base)
        for place, wins in enumerate(claims)
        for loses in claims[place + 1 :]
    }
    taken: defaultdict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    lost = {item.id: {key for key in keys[item.id] if _never_works(key, item)} for item in COMMANDS}
    for key, (wins, *others) in _claims(keys):
        for loses in others:
            if (key, wins, loses) not in meant:
                taken[key, wins][loses] = None
                lost[loses].add(key)
    # Keys by which a command takes the same from the same are told together.
    alike: defaultdict[tuple[str, tuple[str, ...]], list[str]] = defaultdict(list)
    for (key, wins), names in taken.items():
        alike[wins, tuple(names)].append(key)
    told = []
    for (winner, losing), these in alike.items():
        pane = winner.partition(".")[0]
        where = "" if pane == "app" else f" in {pane}"
        over = _some((f"{name} ({_kept(keys[name], lost[name])})" for name in losing), len(losing))
        told.append(f"{_quoted(these)}: {winner} wins{where} over {over}")
    return (*told, *_always_another(keys), *_typed(keys))


def _claims(keys: Keys) -> Iterator[tuple[str, list[str]]]:
    """A key and the commands that have it, the winner first, for each pane that has the focus."""
    for screen, widgets in SCREENS.items():
        for widget in widgets:
            found: defaultdict[str, list[str]] = defaultdict(list)
            for level in (widget, (screen,), ("app",)):
                for command in _in_order(level, keys):
                    for key in keys[command]:
                        found[key].append(command)
            for key, commands in found.items():
                # A character is typed there in any case: nothing is taken from anyone.
                if key not in ALWAYS and not (TEXT_FIELDS & set(widget) and typed(key)):
                    yield key, commands


def _in_order(panes: Sequence[str], keys: Keys) -> list[str]:
    """The commands of one widget or screen in the order in which Textual asks them."""

    def place(command: Command) -> tuple[bool, bool, bool]:
        # Changed keys come first; of these, what a widget has from the class it is made of.
        unchanged = keys[command.id] == DEFAULT[command.id]
        scrolls = command.pane in TEXT_FIELDS and not {"up", "down"}.isdisjoint(DEFAULT[command.id])
        return unchanged, not unchanged and command.pane != "table", not scrolls

    commands = [command for pane in panes for command in COMMANDS if command.pane == pane]
    return [command.id for command in sorted(commands, key=place)]


def _kept(keys: Sequence[str], lost: Collection[str]) -> str:
    count = len(keys) - len(lost)
    kept = (key_name(key) for key in keys if key not in lost)
    return f"keeps {_some(kept, count)}" if count else "no other key"


def _always_another(keys: Keys) -> Iterator[str]:
    for key, owner in ALWAYS.items():
        others = [command for command in keys if key in keys[command] and command != owner]
        if others:
            yield f"{_quoted([key])} is always {owner}, never {_some(iter(others), len(others))}"


def _typed(keys: Keys) -> Iterator[str]:
    for command in COMMANDS:
        if command.pane in TEXT_FIELDS and (letters := list(filter(typed, keys[command.id]))):
            verb = "is" if len(letters) == 1 else "are"
            yield f"{_quoted(letters)} of {command.id} {verb} typed into the {command.pane} bar"


def _never_works(key: str, command: Command) -> bool:
    owner = ALWAYS.get(key, command.id)
    return owner != command.id or (command.pane in TEXT_FIELDS and typed(key))


def _quoted(keys: Collection[str]) -> str:
    return _some((f'"{key_name(key)}"' for key in keys), len(keys))


def _some(names: Iterator[str], count: int) -> str:
    """
    >>> _some(iter("abcde"), 5), _some(iter("abcd"), 4)
    ('a, b, c and 2 more', 'a, b, c, d')
    """
    shown = SHOWN if count > SHOWN + 1 else count  # "and 1 more" is no shorter than its name
    start = ", ".join(islice(names, shown))
    return start if shown == count else f"{start} and {count - shown} more"
