"""What was just done, as the title of a screen says it: for a while, and how it is taken back."""

from __future__ import annotations

from time import monotonic
from typing import Protocol, runtime_checkable

from rich.cells import cell_len

from tui.keys.keymap import Keymap
from tui.look.glyphs import Glyphs
from tui.widgets.line_layout import fit

SAID_FOR = 15.0
"""Seconds for which a title says what was just done."""


@runtime_checkable
class SaysDone(Protocol):
    """A screen whose title says what was just done."""

    def say_done(self, text: str, *, undone: bool = False) -> None:
        """Say it, and by which key it is undone, or redone if it is `undone`."""


class JustDone:
    """What was just done, as long as it is worth saying.

    way_back  by which key it is taken back
    standing  how things stood right after it: with anything else it is not the last any more
    """

    def __init__(
        self, said: str = "", way_back: str = "", standing: tuple[object, ...] = ()
    ) -> None:
        self._said, self._way_back, self._standing = said, way_back, standing
        self._until = monotonic() + SAID_FOR

    def describe(self, standing: tuple[object, ...], room: int, glyphs: Glyphs) -> str:
        """It in so many columns: a long text is cut, the key is not. Empty: nothing is to be said
        as things stand now.

        >>> from tui.look.glyphs import UNICODE
        >>> JustDone("the note on clip_7", "u undoes").describe((), 24, UNICODE)
        'the note on… · u undoes'
        """
        if standing != self._standing or monotonic() >= self._until:
            self._said = ""  # for good: after an undo and another change it may look as it did
        if not self._said:
            return ""
        end = f" {glyphs.dot} {self._way_back}"
        room -= cell_len(end)
        is_long = cell_len(self._said) > room
        return (fit(self._said, max(1, room)).rstrip() if is_long else self._said) + end


def name_way_back(keymap: Keymap, *, undone: bool) -> str:
    """By which key something is taken back that was done, or undone."""
    return f"{keymap.say('app.redo')} redoes" if undone else f"{keymap.say('app.undo')} undoes"
