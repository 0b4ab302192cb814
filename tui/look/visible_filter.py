"""The gate in front of a screen: of what is painted, only what can be seen gets to the terminal.

What comes from users is spelt out where a widget lays it out, for there it has the room. This is
the net below: a widget that forgets to cannot be made to speak to the terminal, to turn the writing
around, or to show two texts alike.
"""

from __future__ import annotations

from typing import Final

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from engine.base.visible import is_hidden, spell_hidden

_PICTURE: Final = "".join(
    [
        "\U0010eeee",  # of one that kitty has been sent; where nothing was sent, it is a box
        *map(chr, range(0x1CD00, 0x1CDE6)),  # octants, of which this Python may not know yet
        "\U0001cea0\U0001cea3\U0001cea8\U0001ceab\U0001fbe6\U0001fbe7",
    ]
)
"""Cells of a picture."""

_STRANGE: Final = "\ufffd"


def cover_hidden(text: str) -> str:
    """The text with a sign in each cell of a hidden character, as wide as it was.

    What has no cell is left out.

    >>> cover_hidden("a\\x1b[2J"), cover_hidden("a\\u00a0b\\u202e"), cover_hidden("é 漢")
    ('a[2J', 'a�b', 'é 漢')
    """
    if spell_hidden(text, keep=_PICTURE) == text:
        return text
    covered = "".join(
        _STRANGE * cell_len(one) if is_hidden(one) and one not in _PICTURE else one for one in text
    )
    # What joins two characters changes their width, and is gone.
    return set_cell_size(covered, cell_len(text))


class VisibleFilter(LineFilter):
    """For every line that is painted: add one instance to `App.get_line_filters`."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        painted = "".join([text for text, _, control in segments if not control])
        if cover_hidden(painted) == painted:  # as nearly all lines
            return segments
        return [
            segment if segment.control else Segment(cover_hidden(segment.text), segment.style)
            for segment in segments
        ]
