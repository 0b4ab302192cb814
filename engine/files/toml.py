"""TOML from users. The parser is a library's, and what would make it slow is refused before."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from engine.base.errors import InputError
from engine.files.text_cost import TOML_COST

LARGEST_TOML = 32 << 20
"""Characters; settings, keys and phrases are written by hand, and some by programs."""

MOST_PARTS = 64
"""Of a dotted key: the parser keeps every beginning of a key, which grows with their square."""

_PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
_LONG_KEY = re.compile(
    rf"""(?<![\w"'-]){_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{MOST_PARTS}}}""", re.ASCII
)


def parse_toml(text: str, file: Path) -> dict[str, Any]:
    """The table that a text is; whatever is wrong with it names the file.

    >>> parse_toml("a.b = 1", Path("x.toml"))
    {'a': {'b': 1}}
    """
    if len(text) > LARGEST_TOML:
        raise InputError(f"has more than {LARGEST_TOML >> 20} MB of TOML", file, hint="split it")
    TOML_COST.require(text, file)
    if found := _LONG_KEY.search(text):
        line = text.count("\n", 0, found.start()) + 1
        raise InputError(f"line {line:,} has a key of more than {MOST_PARTS} parts", file)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"is not valid TOML: {error}", file) from error
    except RecursionError as error:
        line = _find_deepest_line(text)
        message = f"is not valid TOML: nested too deeply (at line {line:,})"
        raise InputError(message, file, hint="take out brackets") from error
    except ValueError as error:
        message = "is not valid TOML: a number has thousands of digits"
        raise InputError(message, file, hint="write it shorter, or in quotes") from error


def _find_deepest_line(text: str) -> int:
    """The line on which most brackets are open; those in quotes are counted too."""
    depth, deepest = 0, (0, 1)
    for number, line in enumerate(text.split("\n"), start=1):
        opened = line.count("[") + line.count("{")
        deepest = max(deepest, (depth + opened, number))
        depth += opened - line.count("]") - line.count("}")
    return deepest[1]
