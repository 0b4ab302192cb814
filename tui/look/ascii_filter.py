"""For terminals and fonts without drawing characters: lines, blocks and arrows become ASCII.

Only signs are replaced, each by as many cells; letters of any script stay as they are.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import Final

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

_SIGNS: Final = {
    **dict.fromkeys("▔▀", "-"),
    **dict.fromkeys("▁▂", "_"),
    **dict.fromkeys("▃▄▅", "="),
    **dict.fromkeys("▆▇█▓▪▮", "#"),
    **dict.fromkeys("▉▊▋▌▍▎▏▐▕🮇🮈🮉🮊🮋", "|"),
    **dict.fromkeys("▖▗▘▙▚▛▜▝▞▟▦▩◆◈⬤●◉✚✎", "*"),
    **dict.fromkeys("□▢▫▯◇○◌☐", "o"),
    **dict.fromkeys("░·∙⋅•", "."),
    **dict.fromkeys("▒", ":"),
    **dict.fromkeys("←◀◂◁◃‹⏴❮", "<"),
    **dict.fromkeys("→▶▸▷▹›⏵❯", ">"),
    **dict.fromkeys("↑▲▴△▵⏶", "^"),
    **dict.fromkeys("↓▼▾▽▿⏷", "v"),
    **dict.fromkeys("✓✔☑", "y"),
    **dict.fromkeys("✗✘", "n"),
    **dict.fromkeys("◐◑◒◓", "~"),
    "▣": "/",
    "⚑": "!",
    **dict.fromkeys("✕✖×☒■", "x"),
    **dict.fromkeys("–—−‐‑―", "-"),
    **dict.fromkeys("…≈∼", "~"),
    **dict.fromkeys("‘’‚′", "'"),
    **dict.fromkeys("“”„″", '"'),
    "≥": ">",
    "≤": "<",
    "⏎": "<",
    "↵": "<",
    "⌫": "<",
    "\u00a0": " ",
    "🔎": "? ",
    "✅": "+ ",
    "❌": "- ",
}


@cache
def build_ascii_table() -> dict[int, str]:
    """Every sign that is replaced; a replacement is as wide as the sign.

    >>> "╭─ rank ─╮ é 漢 ▌✅".translate(build_ascii_table())
    '+- rank -+ é 漢 |+ '
    """
    table = {code: _line(unicodedata.name(chr(code))) for code in range(0x2500, 0x2580)}
    table |= dict.fromkeys(range(0x2190, 0x2200), ">")  # arrows that have no sign of their own
    table |= dict.fromkeys(range(0x2800, 0x2900), "*")  # Braille: spinners
    table[0x2800] = " "
    return table | {ord(sign): plain for sign, plain in _SIGNS.items()}


def _line(name: str) -> str:
    """A box-drawing character by its name, such as BOX DRAWINGS LIGHT DOWN AND RIGHT."""
    if "DIAGONAL" in name:
        return {"UPPER RIGHT TO LOWER LEFT": "/", "UPPER LEFT TO LOWER RIGHT": "\\"}.get(
            name.partition("DIAGONAL ")[2], "x"
        )
    across = any(word in name for word in ("HORIZONTAL", "LEFT", "RIGHT"))
    along = any(word in name for word in ("VERTICAL", "UP", "DOWN"))
    if across and along:
        return "+"
    if along:
        return "|"
    return "=" if "DOUBLE" in name else "-"


class AsciiFilter(LineFilter):
    """The last step before the terminal: add one instance to `App.get_line_filters`."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [
            segment
            if segment.control or segment.text.isascii()
            else Segment(segment.text.translate(build_ascii_table()), segment.style)
            for segment in segments
        ]
