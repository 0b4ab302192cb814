"""A text field that never holds what could speak to the terminal."""

from __future__ import annotations

import re
from typing import Any

from textual import events
from textual.widgets import Input

from engine.base.visible import is_hidden, spell_hidden

LONGEST_INPUT = 6_000
"""Characters, more than any query may have; of a longer paste the beginning is taken. Every field
does work for what it holds."""

_LINE_ENDS = re.compile(r"[\r\n]+")


def make_typable(text: str, longest: int = LONGEST_INPUT) -> str:
    """A text as it may stand in a field."""
    return spell_hidden(text[:longest])[:longest]


def join_lines(text: str) -> str:
    """A text as it may stand on one line.

    >>> join_lines(" one line\\n"), join_lines("two\\r\\n\\r\\n  lines")
    (' one line', 'two lines')
    """
    lines = _LINE_ENDS.split(text.strip("\r\n"))
    return " ".join(map(str.strip, lines)) if len(lines) > 1 else lines[0]


class SafeInput(Input):
    """Hidden characters, pasted or from a file, are spelt out and are typed as such.

    A text that it begins with is never cut: what comes back in its place would have lost its end.
    To any other no more can be added than `longest` characters; of a paste its beginning is.
    """

    def __init__(self, value: str = "", *, longest: int = LONGEST_INPUT, **more: Any) -> None:
        self._longest = longest
        self._most = max(longest, len(spell_hidden(value)))
        self._spelt: dict[str, str] = {}
        super().__init__(value, **more)

    @property
    def meant(self) -> str:
        """The text with the hidden characters themselves: only where it is shown are they spelt."""
        text = self.value
        for spelling, character in self._spelt.items():
            text = text.replace(spelling, character)
        return text

    def on_mount(self) -> None:
        self.cursor_blink = False  # each blink would be sent over the line

    def validate_value(self, value: str) -> str:
        self._note_spellings(value)
        return make_typable(value, self._most)

    def _note_spellings(self, text: str) -> None:
        """Of what will be spelt; not where the text itself has that spelling already."""
        for character in filter(is_hidden, {*text}):
            spelling = spell_hidden(character)
            if spelling not in text:
                self._spelt.setdefault(spelling, character)

    def _on_paste(self, event: events.Paste) -> None:
        event.prevent_default()  # Textual takes the first line, and nothing where not all fits
        event.stop()
        self.replace(event.text, *self.selection)

    def replace(self, text: str, start: int, end: int) -> None:
        """Put a text between two places; of one that does not fit, the beginning."""
        line = join_lines(text)
        self._note_spellings(self.value + line)
        spelt = spell_hidden(line)
        start, end = sorted((max(0, start), min(len(self.value), end)))
        fitting = spelt[: max(0, self._longest - len(self.value) + end - start)]
        if fitting != spelt:
            self._say_cut(len(fitting), is_pasted=len(text) > 1)
        if fitting or not spelt:
            super().replace(fitting, start, end)

    def _say_cut(self, taken: int, is_pasted: bool) -> None:
        if not is_pasted:  # a key, which may be held down
            self.restricted()
            return
        which = f"Only its first {taken:,} characters were" if taken else "Nothing of it was"
        said = f"The paste is too long: {self._longest:,} characters fit here. {which} taken."
        self.notify(said, severity="warning", markup=False)
