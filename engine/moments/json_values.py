"""Values of a user's JSON: numbers and rows of numbers, what is wrong with them, and how a
message shows them. The reader refuses the first that is wrong, the check of a submission all."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from engine.base.messages import pluralise


def shorten(value: Any, longest: int = 60) -> str:
    """A value from the user's file, short and on one line.

    >>> shorten("12.0"), shorten(None), shorten([1, 2])
    ('"12.0"', 'null', '[1, 2]')
    """
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        text = "{…}" if isinstance(value, dict) else "[…]"
    return text if len(text) <= longest else text[: longest - 1] + "…"


def as_number(value: Any) -> float | None:
    """A number of JSON, finite or not, infinite where it is too large; None for all that is none.

    >>> as_number(3), as_number("3"), as_number(True), as_number(-(10**400))
    (3.0, None, None, -inf)
    """
    if type(value) not in (int, float):
        return None
    try:
        return float(value)
    except OverflowError:  # an integer of hundreds of digits
        return math.inf if value > 0 else -math.inf


class RowProblem(NamedTuple):
    """Why a row cannot be used; `of_size`: all is a number, but one of them is not finite."""

    message: str
    of_size: bool = False


def find_row_problem(row: Any, names: Sequence[str], needs: str) -> RowProblem | None:
    """Why a row does not begin with finite numbers of these names; None if it does.

    >>> find_row_problem([1, None], ["start", "end"], "start and end").message
    'the end is null, not a number'
    """
    if not isinstance(row, list):
        return RowProblem(f"is {shorten(row)}, not a list")
    if len(row) < len(names):
        return RowProblem(f"has {pluralise(len(row), 'value')}, needs {needs}")
    for name, value in zip(names, row, strict=False):
        number = as_number(value)
        if number is None:
            return RowProblem(f"the {name} is {shorten(value)}, not a number")
        if not math.isfinite(number):
            return RowProblem(f"the {name} is {shorten(value)}", of_size=True)
    return None
