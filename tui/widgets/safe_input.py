"""A text field that never holds what could speak to the terminal."""

from __future__ import annotations

from typing import Any

from textual.widgets import Input

from engine.base.visible import spell_hidden

LONGEST_INPUT = 6_000
"""Characters, more than any query may have; of a longer paste the beginning is taken. Every field
does work for what it holds."""


def make_typable(text: str, longest: int = LONGEST_INPUT) -> str:
    """A text as it may stand in a field."""
    return spell_hidden(text[:longest])[:longest]


class SafeInput(Input):
    """Hidden characters, pasted or from a file, are spelt out and are typed as such.

    A text that it begins with is never cut: what comes back in its place would have lost its end.
    """

    def __init__(self, value: str = "", **more: Any) -> None:
        self._longest = max(LONGEST_INPUT, len(spell_hidden(value)))
        super().__init__(value, **more)

    def on_mount(self) -> None:
        self.cursor_blink = False  # each blink would be sent over the line

    def validate_value(self, value: str) -> str:
        return make_typable(value, self._longest)
