"""What the help says of commands and terms: as a sheet in columns, or of those that are found, in
sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from tui.keys.commands import Command
from tui.keys.keymap import Keymap
from tui.look.nouns import Nouns

_GAP: Final = 2
_LONGEST_KEYS: Final = 15
"""Cells of a column of keys; more keys than fit go on below."""
_SENTENCES_FROM: Final = 112
_TERM: Final = 16


@dataclass(frozen=True, slots=True)
class HelpEntry:
    """A command, or a term, as it is shown and found.

    keys   what is pressed; of a term, the term
    title  in a word or two; a term has none
    """

    keys: tuple[str, ...]
    title: str
    about: str

    @property
    def name(self) -> str:
        return "  ".join(self.keys) or "(palette)"

    @property
    def short_name(self) -> str:
        return " ".join(self.keys[:2]) or "(palette)"

    def is_found(self, typed: str) -> bool:
        """Whether it is what someone looks for: one character is a key, more are words.

        >>> entry = HelpEntry(("b",), "Bias", "Mark a bias case and choose why.")
        >>> [entry.is_found(typed) for typed in ("b", "B", "a", "bias why", "relevant", "")]
        [True, False, False, True, False, True]
        """
        if len(typed) == 1:
            return typed in self.keys
        text = " ".join((*self.keys, self.title, self.about)).casefold()
        return all(word in text for word in typed.casefold().split())


def list_command_entries(
    commands: Sequence[Command], keymap: Keymap, nouns: Nouns
) -> list[HelpEntry]:
    """Commands with the keys that they have now, in the words of the dataset."""
    return [
        HelpEntry(keymap.named(one.id), nouns.spell(one.title), nouns.spell(one.about))
        for one in commands
    ]


def has_sentences(width: int) -> bool:
    """Whether there is room for two columns of sentences."""
    return width >= _SENTENCES_FROM


def draw_entries(entries: Sequence[HelpEntry], width: int, *, in_full: bool) -> Table:
    """In sentences where there is room for two columns, or if that is asked for; else in words."""
    if in_full or has_sentences(width):
        names = min(_LONGEST_KEYS, max((cell_len(one.name) for one in entries), default=0))
        rows = [(one.name, one.about) for one in entries]
        return _draw_columns(rows, width, 2 if has_sentences(width) else 1, names)
    rows = [(one.short_name, one.title) for one in entries]
    names = max(cell_len(name) for name, _ in rows)
    titles = max(cell_len(title) for _, title in rows)
    count = max(1, width // (names + titles + 2 * _GAP))
    return _draw_columns(rows, width, count, names)


def draw_terms(entries: Sequence[HelpEntry], width: int) -> Table:
    """Terms with what they mean."""
    rows = [(one.name, one.about) for one in entries]
    return _draw_columns(rows, width, 2 if has_sentences(width) else 1, _TERM + _GAP)


def _draw_columns(rows: Sequence[tuple[str, str]], width: int, count: int, names: int) -> Table:
    """Pairs in so many columns of the same width, one column after the other."""
    grid = Table.grid(padding=(0, _GAP, 0, 0))
    each = width // count - names - 2 * _GAP
    for _ in range(count):
        grid.add_column(width=names, style="bold")
        grid.add_column(width=max(each, 1))
    lines = -(-len(rows) // count)
    for line in range(lines):
        cells = rows[line::lines]
        grid.add_row(*(Text(text) for pair in cells for text in pair))
    return grid
