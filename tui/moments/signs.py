"""The error classes as they are shown: a sign, a word and a colour, in this order of importance."""

from __future__ import annotations

from typing import Final, NamedTuple

from engine.moments.classes import CLASSES, MARKS
from tui.glyphs import Glyphs


class Shown(NamedTuple):
    """A class on the screen; signs are two cells wide."""

    name: str
    sign: str
    plain: str
    kind: str

    def word(self, glyphs: Glyphs) -> str:
        """The sign with its name.

        >>> from tui.glyphs import ASCII, UNICODE
        >>> of_class(4).word(UNICODE), of_class(2).word(ASCII)
        ('❌ wrong video', '~  nearly right')
        """
        return f"{self.sign_in(glyphs)} {self.name}"

    def beside(self, glyphs: Glyphs) -> str:
        """The same in a sentence, where nothing has to stand below anything.

        >>> from tui.glyphs import UNICODE
        >>> of_class(2).beside(UNICODE)
        '◐ nearly right'
        """
        return f"{self.sign_in(glyphs).strip()} {self.name}"

    def sign_in(self, glyphs: Glyphs) -> str:
        return self.plain if glyphs.has.isascii() else self.sign


_SIGNS: Final = (
    ("✅", "+ ", "hit"),
    ("▼ ", "v ", "part"),
    ("◐ ", "~ ", "part"),
    ("✗ ", "x ", "miss"),
    ("❌", "- ", "miss"),
    ("· ", ". ", "dim"),
)
SHOWN: Final = tuple(Shown(name, *signs) for name, signs in zip(MARKS, _SIGNS, strict=True))
CLASS_WIDTH: Final = 3 + max(map(len, CLASSES))
WORST_FIRST: Final = tuple(reversed(range(len(CLASSES))))


def of_class(code: int) -> Shown:
    return SHOWN[code]
