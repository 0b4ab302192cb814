"""Values that nobody expects: of every type that JSON, TOML or a cell can hold."""

from __future__ import annotations

import json
from random import Random
from typing import Any

DEEP = (500, 2_000, 100_000)
"""Levels of nesting: what a parser takes, what breaks it, what breaks those that count on."""

ODD_TEXTS = (
    "", " ", "\0", "\ud800", "a\udfffb", "\u202eabc\u202c", "\u200b", "\ufeff", "\u2028",
    "\x1b]0;x\x07",
    "\x9b31m", "=1+1", "'", '"', "a,b", "a;b", "a\nb", "a\r\nb", "-", "nan", "NaN", "inf",
    "-Infinity",
    "null", "true", "1e999", "9" * 400, "0x10", "1_000", "٣", "é", "e\u0301", "ＡＢ", "🚲" * 50,
    "[]", "{}",
    "../..", "/dev/zero", "~", "%s%n", "{0}", "$(id)", "[red]", "x" * 300, "y" * 70_000,
    "\U0010ffff",
)  # fmt: skip

ODD_NUMBERS = (0, -0.0, -1, 1.5, 1e-320, 1e308, -1e308, 1e16, 2**31, 2**53 + 1, 2**63, -(2**63) - 1,
               2**64, 10**30, 10**400, -(10**400), float("nan"), float("inf"),
               float("-inf"))  # fmt: skip


def choose_value(rng: Random, depth: int = 0) -> Any:
    """Any value of JSON, odd ones above all; also NaN and numbers that no machine word holds."""
    kind = rng.randrange(8 if depth < 2 else 6)
    if kind == 0:
        return rng.choice((None, True, False))
    if kind in (1, 2):
        return rng.choice(ODD_NUMBERS)
    if kind in (3, 4):
        return rng.choice(ODD_TEXTS)
    if kind == 5:
        return rng.choice(([], {}, [[]], [{}], {"": None}, [None]))
    size = rng.randrange(1, 4)
    if kind == 6:
        return [choose_value(rng, depth + 1) for _ in range(size)]
    return {str(rng.choice(ODD_TEXTS))[:50]: choose_value(rng, depth + 1) for _ in range(size)}


def nest(rng: Random) -> str:
    """JSON that is nested deeply: closed, or left open."""
    levels = rng.choice(DEEP)
    opening, closing = rng.choice((("[", "]"), ('{"a":', "}"), ('[{"a":', "}]")))
    end = "1" + closing * levels if rng.random() < 0.7 else ""
    return opening * levels + end


class Raw(str):
    """A text that stands in JSON as it is, without quotes."""

    __slots__ = ()


def dump_json(value: Any, rng: Random) -> str:
    """JSON as somebody might write it; `Raw` texts as they are, integers of any length."""
    marks: dict[str, str] = {}

    def prepare(value: Any) -> Any:
        if isinstance(value, Raw) or (isinstance(value, int) and abs(value) > 10**300):
            mark = f"@raw{len(marks)}@"
            marks[f'"{mark}"'] = str(value) if isinstance(value, Raw) else _digits(value)
            return mark
        if isinstance(value, dict):
            return {key: prepare(one) for key, one in value.items()}
        return [prepare(one) for one in value] if isinstance(value, list) else value

    text = json.dumps(prepare(value), ensure_ascii=rng.random() < 0.5)
    for mark, raw in marks.items():
        text = text.replace(mark, raw)
    return text


def _digits(number: int) -> str:
    """Python refuses to spell numbers of more than some thousand digits; these have hundreds."""
    return str(number)
