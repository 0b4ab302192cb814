"""Signs that plain terminals, fonts and encodings lack, and what stands for each in ASCII.

Only signs are replaced, each by as many cells; letters of any script stay as they are.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import Final

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

_LONGER: Final = {"≥": ">=", "≤": "<="}
"""Signs that one cell cannot say: a formula with "<" in place of "≤" is another."""


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


def draw_in_ascii(text: str) -> str:
    """A text that is laid out already, with its signs in ASCII where that says the same.

    >>> draw_in_ascii("→ 3 · i ≤ 5")
    '> 3 . i ≤ 5'
    """
    if text.isascii():
        return text
    table = build_ascii_table()
    return "".join(one if one in _LONGER else table.get(ord(one), one) for one in text)


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


def replace_unencodable(error: UnicodeError) -> tuple[str, int]:
    """For `codecs.register_error`: a sign that an encoding lacks is drawn in ASCII, and what is no
    sign is "?". So a hit and a miss stay two.

    >>> import codecs
    >>> codecs.register_error("signs", replace_unencodable)
    >>> "✅ ❌ ≤ é 漢".encode("latin-1", "signs")
    b'+  -  <= \\xe9 ?'
    """
    assert isinstance(error, UnicodeEncodeError)
    lacking = error.object[error.start : error.end]
    table = build_ascii_table()
    return "".join(_LONGER.get(sign) or table.get(ord(sign), "?") for sign in lacking), error.end
