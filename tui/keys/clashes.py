"""Two commands on one key: which of them wins where, in words.

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
from tui.keys.names import is_character, name_key
from tui.keys.panes import PANES

KeyTable: TypeAlias = Mapping[str, Sequence[str]]
"""The keys of every command, by its id."""

DEFAULT_KEYS: Final[KeyTable] = {
    command.id: tuple(filter(None, command.keys.split(","))) for command in COMMANDS
}
"""The keys as the table of commands gives them."""

FIXED_KEYS: Final = {"ctrl+q": "app.quit"}
"""Keys that no file can give away, even in a dialog."""

CLASHES_SHOWN: Final = 3
"""Of a long list of keys or commands; how many more there are is said."""


def find_clashes(keys: KeyTable, base: KeyTable) -> tuple[str, ...]:
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
    # Keys by which a command takes the same from the same are named together.
    alike: defaultdict[tuple[str, tuple[str, ...]], list[str]] = defaultdict(list)
    for (key, wins), names in taken.items():
        alike[wins, tuple(names)].append(key)
    lines = []
    for (winner, losing), these in alike.items():
        pane = winner.partition(".")[0]
        where = "" if pane == "app" else f" in {pane}"
        over = _some((f"{name} ({_kept(keys[name], lost[name])})" for name in losing), len(losing))
        lines.append(f"{_quoted(these)}: {winner} wins{where} over {over}")
    return (*lines, *_always_another(keys), *_typed(keys))


def _claims(keys: KeyTable) -> Iterator[tuple[str, list[str]]]:
    """A key and the commands that have it, the winner first, for each pane that has the focus."""
    for screen, widget in list_widgets():
        found: defaultdict[str, list[str]] = defaultdict(list)
        for level in (widget, (screen,), ("app",)):
            for command in _in_order(level, keys):
                for key in keys[command]:
                    found[key].append(command)
        for key, commands in found.items():
            # A character is typed there in any case: nothing is taken from anyone.
            is_typed = is_character(key) and any(PANES[pane].is_field for pane in widget)
            if key not in FIXED_KEYS and not is_typed:
                yield key, commands


def list_widgets() -> Iterator[tuple[str, tuple[str, ...]]]:
    """The screen of each widget that has commands, and the panes that the widget is."""
    having_commands = {command.pane for command in COMMANDS}
    for name, pane in PANES.items():
        if pane.screen and name in having_commands:
            own = () if name == pane.screen else (name,)
            shared = ("table",) if pane.is_list else ()
            if own or shared:
                yield pane.screen, (*own, *shared)


def _in_order(panes: Sequence[str], keys: KeyTable) -> list[str]:
    """The commands of one widget or screen in the order in which Textual asks them."""

    def place(command: Command) -> tuple[bool, bool, bool]:
        # Changed keys come first; of these, what a widget has from the class it is made of.
        unchanged = keys[command.id] == DEFAULT_KEYS[command.id]
        scrolls = PANES[command.pane].is_field and not {"up", "down"}.isdisjoint(
            DEFAULT_KEYS[command.id]
        )
        return unchanged, not unchanged and command.pane != "table", not scrolls

    commands = [command for pane in panes for command in COMMANDS if command.pane == pane]
    return [command.id for command in sorted(commands, key=place)]


def _kept(keys: Sequence[str], lost: Collection[str]) -> str:
    count = len(keys) - len(lost)
    kept = (name_key(key) for key in keys if key not in lost)
    return f"keeps {_some(kept, count)}" if count else "no other key"


def _always_another(keys: KeyTable) -> Iterator[str]:
    for key, owner in FIXED_KEYS.items():
        others = [command for command in keys if key in keys[command] and command != owner]
        if others:
            yield f"{_quoted([key])} is always {owner}, never {_some(iter(others), len(others))}"


def _typed(keys: KeyTable) -> Iterator[str]:
    for command in COMMANDS:
        if PANES[command.pane].is_field and (
            letters := list(filter(is_character, keys[command.id]))
        ):
            verb = "is" if len(letters) == 1 else "are"
            yield f"{_quoted(letters)} of {command.id} {verb} typed into the {command.pane} bar"


def _never_works(key: str, command: Command) -> bool:
    owner = FIXED_KEYS.get(key, command.id)
    return owner != command.id or (PANES[command.pane].is_field and is_character(key))


def _quoted(keys: Collection[str]) -> str:
    return _some((f'"{name_key(key)}"' for key in keys), len(keys))


def _some(names: Iterator[str], count: int) -> str:
    """
    >>> _some(iter("abcde"), 5), _some(iter("abcd"), 4)
    ('a, b, c and 2 more', 'a, b, c, d')
    """
    # "and 1 more" is no shorter than its name.
    shown = CLASHES_SHOWN if count > CLASHES_SHOWN + 1 else count
    start = ", ".join(islice(names, shown))
    return start if shown == count else f"{start} and {count - shown} more"
