"""LaTeX of texts that nobody vouches for: every character says what it is, and commands nothing."""

from __future__ import annotations

import unicodedata

_SPELT = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",  # the straight one is in few fonts
    "[": r"{[}",  # after \\ a bracket would begin an argument
    "]": r"{]}",
    # What formulas and tables use; in the fonts that every engine has.
    "−": r"$-$",
    "±": r"$\pm$",
    "·": r"$\cdot$",
    "×": r"$\times$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "≠": r"$\neq$",
    "Σ": r"$\Sigma$",
    "Δ": r"$\Delta$",
    "δ": r"$\delta$",
    "α": r"$\alpha$",
    "ε": r"$\varepsilon$",
    "π": r"$\pi$",
    "σ": r"$\sigma$",
    "∞": r"$\infty$",
    "√": r"$\surd$",
    "→": r"$\rightarrow$",
    "←": r"$\leftarrow$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "†": r"\dag{}",
    "‡": r"\ddag{}",
    "*": r"{*}",  # after \\ a star would be part of the command
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "“": "``",
    "”": "''",
    "’": "'",
    "\u00a0": "~",
}

_LETTERS = "ßæÆøØåÅœŒłŁı"
_ACCENTS = "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0327"
"""Grave, acute, circumflex, tilde, macron, breve, dot, diaeresis, ring, double acute, caron,
cedilla."""


def escape_latex(text: str) -> str:
    r"""A text as LaTeX that prints just that, on one line.

    pdfLaTeX has no glyph for most of Unicode: what lies beyond Latin is spelt as its code point.

    >>> print(escape_latex("50 % of a_b & {c} ≥ 0.5"))
    50 \% of a\_b \& \{c\} $\geq$ 0.5
    >>> print(escape_latex("日 \x1b"))
    U+65E5 U+001B
    """
    spelt = ("".join(map(_spelt, part)) for part in " ".join(text.splitlines()).split("--"))
    return "-{}-".join(spelt)  # two hyphens on end would become a dash


def _spelt(character: str) -> str:
    if character in _SPELT:
        return _SPELT[character]
    if character.isascii() and character.isprintable():
        return character
    return character if _in_every_font(character) else f"U+{ord(character):04X}"


def _in_every_font(character: str) -> bool:
    """Whether it is a Latin letter, plain or accented, that LaTeX composes in any encoding."""
    if character in _LETTERS or character > "ž":
        return character in _LETTERS
    letter, *accents = list(unicodedata.normalize("NFD", character))
    return letter.isascii() and letter.isalpha() and len(accents) == 1 and accents[0] in _ACCENTS
