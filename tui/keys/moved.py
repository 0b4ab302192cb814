"""Which keys were others before: what a person is told whose key file is older than the keys.

A file says by `version` for which table of keys it was written. What it names keeps the keys that
it gives; the rest has the keys of today.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

from tui.keys.clashes import KeyTable
from tui.keys.commands import COMMANDS
from tui.keys.names import name_key

KEY_FILE_VERSION: Final = 2
"""1, or none: one key did different things on different screens. 2: one verb, one key."""

MOVES_SHOWN: Final = 4

KEYS_BEFORE: Final[Mapping[str, Mapping[str, str]]] = {
    "default": {
        "results.mark_relevant": "r",
        "results.mark_not_relevant": "x",
        "results.clear_mark": "delete,backspace",
        "inspect.toggle_missed": "t",
        "inspect.least_similarity": "s",
        "inspect.toggle_frames": "f",
        "inspect.run": "",
        "keywords.add": "a,plus,enter",
        "keywords.previous": "left,h",
        "keywords.next": "right,l",
        "picker.fold": "left,right,h,l",
        "evaluate.plots": "p",
        "compare.plots": "p",
        "compare.swap": "x",
        "sessions.new": "n",
        "sessions.rename": "r",
        "sessions.export": "e",
        "sessions.delete": "d,delete",
        "moments.next_k": "r",
        "moments.next_iou": "i",
        "moments.choose_class": "c",
        "moments.type_metric": "a",
        "moments.report": "p",
        "moments.read": "R",
    },
    "vim": {
        "results.clear_mark": "d,delete,backspace",
        "keywords.drop": "x,d,delete,backspace",
        "keywords.add": "a,o,plus,enter",
        "picker.fold": "left,right,h,l,z",
        "sessions.new": "n,o",
        "sessions.delete": "d,x,delete",
        "inspect.least_similarity": "s",
    },
}
"""The keys of version 1 that are others now, those that are pressed most first; those of vim where
they were not the default ones."""


class KeyMove(NamedTuple):
    """A command whose keys are others than they were."""

    command: str
    title: str
    was: tuple[str, ...]
    now: tuple[str, ...]

    @property
    def named_before(self) -> list[str]:
        return list(map(name_key, self.was))

    def __str__(self) -> str:
        now = " ".join(map(name_key, self.now)) or "no key"
        was = " ".join(self.named_before)
        return f"{now} (was {was})" if was else f"{now} (new)"


def list_moves(base: str, keys: KeyTable, named: Collection[str]) -> tuple[KeyMove, ...]:
    """What moved under a file of version 1 with this base; what it `named` did not move."""
    titles = {command.id: command.title for command in COMMANDS}
    before = {**KEYS_BEFORE["default"], **KEYS_BEFORE.get(base, {})}
    moves = (
        KeyMove(command, titles[command], tuple(filter(None, old.split(","))), tuple(keys[command]))
        for command, old in before.items()
        if command not in named
    )
    # A key that came on top takes nothing away from anyone's fingers.
    return tuple(move for move in moves if not move.was or not set(move.was) <= set(move.now))


def describe_moves(moves: Collection[KeyMove], file: str) -> str:
    """One sentence for the start: the first of them, how many more, and how to end it."""
    first = list(moves)[:MOVES_SHOWN]
    named = ", ".join(f"{move.title} {move}" for move in first)
    more = len(moves) - len(first)
    rest = f" and {more} more (`tui-eval keys` lists them)" if more else ""
    return (
        f"Some keys have changed since {file} was written: {named}{rest}. "
        f"version = {KEY_FILE_VERSION} in that file ends this notice."
    )
