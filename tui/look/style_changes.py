"""Colours and styles on the line: each is sent when it changes, and not with every piece of text.

Textual sends with every piece all that it looks like, and after it that nothing of this holds any
more: some forty bytes, of which a change of one colour needs eighteen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_STYLE = re.compile(r"\x1b\[([0-9;]*)m")
_MOVES = re.compile(r"(?:\x1b\[[0-9]*;[0-9]*H|\r|\n)*")
"""What leaves no cell in the style that holds; nothing that is painted ever scrolls the screen."""

_FLAGS: Final = frozenset("1 2 3 4 5 6 7 8 9 21 51 52 53".split())
"""What is switched on by itself: bold, italic, underlined …"""

_NO_INK, _NO_GROUND = "39", "49"

_TAKE: Final = "\x1b[?1049h"
"""With this the terminal is taken, at the start and after a stop."""


class _Style(NamedTuple):
    """What text looks like, in the terminal's numbers."""

    flags: frozenset[str] = frozenset()
    ink: str = _NO_INK
    ground: str = _NO_GROUND


_PLAIN: Final = _Style()


class StyleChanges:
    """What is sent to one terminal, one piece after the other."""

    def __init__(self) -> None:
        self._sent: _Style | None = _PLAIN
        """What the terminal has been told; None: that is not known."""

    def shorten(self, text: str) -> str:
        """The same cells in the same styles, in fewer bytes.

        >>> shorten = StyleChanges().shorten
        >>> shorten("\\x1b[1;31;40ma\\x1b[0m\\x1b[31;40mb\\x1b[0m\\x1b[32;40mc\\x1b[0m")
        '\\x1b[1;31;40ma\\x1b[0;31;40mb\\x1b[32mc\\x1b[0m'
        """
        if "\x1b[" not in text:
            return text
        if text == _TAKE:  # whoever had it may have left it in any style
            self._sent = _PLAIN
            return f"{text}\x1b[0m"
        wanted = self._sent
        parts: list[str] = []
        plain, *styled = _STYLE.split(text)
        parts.append(plain)
        for numbers, shown in zip(styled[::2], styled[1::2], strict=True):
            style = _read(numbers, wanted)
            if style is None:  # no more is known than the terminal knows itself
                parts += [self._change_to(wanted), f"\x1b[{numbers}m"]
                self._sent = None
            wanted = style
            if not _MOVES.fullmatch(shown):
                parts.append(self._change_to(wanted))
            parts.append(shown)
        parts.append(self._change_to(wanted))
        return "".join(parts)

    def _change_to(self, wanted: _Style | None) -> str:
        sent, self._sent = self._sent, wanted
        if wanted is None or wanted == sent:
            return ""
        return f"\x1b[{';'.join(_list_changes(sent, wanted))}m"


def _list_changes(sent: _Style | None, wanted: _Style) -> Iterator[str]:
    if sent is None or sent.flags - wanted.flags or wanted == _PLAIN:
        yield "0"  # a flag is taken back together with all the rest
        sent = _PLAIN
    yield from sorted(wanted.flags - sent.flags, key=int)
    if wanted.ink != sent.ink:
        yield wanted.ink
    if wanted.ground != sent.ground:
        yield wanted.ground


def _read(numbers: str, before: _Style | None) -> _Style | None:
    """What holds after a sequence of numbers; None: that cannot be told."""
    flags, ink, ground = before or (None, "", "")
    rest = iter(numbers.split(";"))
    for number in rest:
        if number in ("", "0"):
            flags, ink, ground = _PLAIN
        elif flags is None:
            return None
        elif number in _FLAGS:
            flags |= {number}
        elif number in ("38", "48"):
            kind = next(rest, "")
            colour = [number, kind, *(next(rest, "") for _ in range(3 if kind == "2" else 1))]
            if kind not in ("2", "5") or not all(colour):
                return None
            ink, ground = (";".join(colour), ground) if number == "38" else (ink, ";".join(colour))
        elif re.fullmatch("3[0-79]|9[0-7]", number):
            ink = number
        elif re.fullmatch("4[0-79]|10[0-7]", number):
            ground = number
        else:
            return None
    return None if flags is None else _Style(flags, ink, ground)
