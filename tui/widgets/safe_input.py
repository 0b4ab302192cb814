"""A text field that never holds what could speak to the terminal."""

from __future__ import annotations

from textual.widgets import Input

from engine.base.visible import spell_hidden


class SafeInput(Input):
    """Hidden characters, pasted or from a file, are spelt out and are typed as such."""

    def on_mount(self) -> None:
        self.cursor_blink = False  # each blink would be sent over the line

    def validate_value(self, value: str) -> str:
        return spell_hidden(value)
