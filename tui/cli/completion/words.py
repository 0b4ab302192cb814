"""The words of a line that is being typed, and which words may be offered for it at all."""

from __future__ import annotations

import shlex
import unicodedata
from collections.abc import Mapping

_LONGEST = 300
_SIGNS = frozenset(" _-.,:/+@%")


def is_harmless(word: str) -> bool:
    """Whether a word means itself in every shell, quoted or not, blanks apart.

    Names come from files of others, and zsh evaluates what it is told. What has no letters, digits
    or plain signs only can still be typed.

    >>> [is_harmless(one) for one in ("left lane", "urban_1", "Straße", "--json")]
    [True, True, True, True]
    >>> any(map(is_harmless, ("$(date)", "a'b", "a;b", "a\\x1b[2J", "~", "", " a", "\\u202ea")))
    False
    """
    return (
        0 < len(word) <= _LONGEST
        and word == word.strip()
        and all(one in _SIGNS or unicodedata.category(one)[0] in "LNM" for one in word)
    )


def split_line(variables: Mapping[str, str]) -> list[str]:
    """The words behind the name of the program, without quotes; the last is the one that is typed.

    >>> split_line({"COMP_WORDS": "tui-eval\\nrun\\n-d\\nmy\\\\ data\\n--mo", "COMP_CWORD": "4"})
    ['run', '-d', 'my data', '--mo']
    >>> split_line({"_TYPER_COMPLETE_ARGS": "tui-eval run 'my da"}), split_line({})
    (['run', 'my da'], [''])
    >>> split_line({"_TYPER_COMPLETE_ARGS": "tui-eval run "})
    ['run', '']
    """
    if "COMP_WORDS" in variables:
        place = variables.get("COMP_CWORD", "")
        words = variables["COMP_WORDS"].split("\n")[: int(place) + 1 if place.isdecimal() else None]
        return ["".join(_unquote(word)) for word in words[1:]] or [""]
    line = variables.get("_TYPER_COMPLETE_ARGS", "")
    words = _unquote(line)[1:]
    return [*words, ""] if not words or line.endswith(" ") else words


def _unquote(text: str) -> list[str]:
    """Its words; a quote that is still open ends with it."""
    for end in ("", "'", '"', "\\"):
        try:
            return shlex.split(text + end)
        except ValueError:
            continue
    return text.split()
