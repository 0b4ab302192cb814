"""Definition: one metric as an id pattern, a formula to print, and a function on a whole batch."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from engine.base.arrays import Floats, Ints
from engine.base.choices import ShortListPolicy
from engine.metrics.tally import Tally

Aggregate: TypeAlias = Literal["mean", "median", "pooled"]
"""How a batch of queries becomes one number; pooled: the median rank of all relevant items."""

Params: TypeAlias = tuple[tuple[str, str], ...]

SYMBOLS = (
    ("hits@k", "relevant results among the first k"),
    ("R", "relevant items in the collection"),
    ("n", "results returned"),
    ("N", "items in the collection"),
    ("rel_i", "1 if the result at rank i is relevant, else 0"),
    ("g_i", "gain of the result at rank i"),
)
"""The symbols that formulas use."""

_ID = re.compile(
    r"(?P<name>[^@()\s]+)"
    r"(?:\((?P<early>[^()]*)\))?"
    r"(?:@(?P<cutoff>[^@()\s]+))?"
    r"(?:\((?P<late>[^()]*)\))?"
)


@dataclass(frozen=True, slots=True)
class IdParts:
    """An id taken apart; nothing is checked against the registry yet."""

    name: str
    cutoff: str | None
    params: Params


def split_id(text: str) -> IdParts | None:
    """Take an id apart, or None if it has no such form.

    >>> split_id("nDCG@10(gain=exp)")
    IdParts(name='nDCG', cutoff='10', params=(('gain', 'exp'),))
    """
    match = _ID.fullmatch(text.strip())
    if match is None or (match["early"] is not None and match["late"] is not None):
        return None
    written = match["late"] if match["early"] is None else match["early"]
    return IdParts(match["name"], match["cutoff"], _split_params(written or ""))


def _split_params(written: str) -> Params:
    pairs = (part.partition("=") for part in written.split(",") if part.strip())
    return tuple(sorted((key.strip(), value.strip()) for key, _, value in pairs))


@dataclass(frozen=True, slots=True)
class Definition:
    """One line of the registry.

    pattern          the id with the letter k for the cutoff: "AP@k(norm=min)"
    formula          text in which {k} is the cutoff and {size} the denominator that stands for it
    compute          (tally, k) → one value per query; k is the list's depth for uncut measures
    aggregate        how the values of many queries become one number
    bounds           per query, how many ranks in its value are lower bounds
    implied          a parameter that may be written but is the default: "norm=R"
    lower_is_better  ranks and errors
    needs_truth      False if the value follows from the results alone
    leads_at         which of several cutoffs speaks for the measure; the smallest where the value
                     falls with k whatever the ranking
    """

    pattern: str
    formula: str
    compute: Callable[[Tally, int], Floats]
    aggregate: Aggregate = "mean"
    bounds: Callable[[Tally], Ints] | None = None
    implied: str = ""
    lower_is_better: bool = False
    needs_truth: bool = True
    leads_at: Literal["largest", "smallest"] = "largest"

    @property
    def parts(self) -> IdParts:
        parts = split_id(self.pattern)
        if parts is None:
            raise ValueError(f"{self.pattern!r} is no id pattern")
        return parts

    def formula_at(self, k: int | str, short: ShortListPolicy = "fixed") -> str:
        """The formula with its k, or a letter for it, as the policy for short lists makes it."""
        size = f"min({k}, n)" if short == "adaptive" else str(k)
        return self.formula.replace("{size}", size).replace("{k}", str(k))
