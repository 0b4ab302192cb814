"""A picture of TP, FP, FN and TN at K: what was found, what was missed, and in which share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text

from tui.cli.shared.options import CONFUSION_COUNTS

if TYPE_CHECKING:
    from engine.results.results import MetricRow

_BAR = 10
_FULL_AND_EMPTY = {True: ("#", "."), False: ("█", "░")}
_GAP = "   "


@dataclass(frozen=True, slots=True)
class Confusion:
    """The four counts at K, of one query or as means over several; `mode` is a title, or ""."""

    k: int
    tp: float
    fp: float
    fn: float
    tn: float
    queries: int = 1
    mode: str = ""


def find_confusions(rows: Sequence[MetricRow]) -> list[Confusion]:
    """Every mode and K for which all four counts are among the rows, in order."""
    several = len({row.mode for row in rows}) > 1
    found: dict[tuple[str, str], dict[str, MetricRow]] = {}
    for row in rows:
        name, _, cutoff = row.id.partition("@")
        if name in CONFUSION_COUNTS and not math.isnan(row.mean):
            found.setdefault((row.mode, cutoff), {})[name] = row
    return [
        Confusion(
            k=int(cutoff),
            tp=own["TP"].mean,
            fp=own["FP"].mean,
            fn=own["FN"].mean,
            tn=own["TN"].mean,
            queries=own["TP"].n,
            mode=mode if several else "",
        )
        for (mode, cutoff), own in found.items()
        if len(own) == len(CONFUSION_COUNTS)
    ]


def draw_confusions(rows: Sequence[MetricRow], *, ascii: bool = False) -> list[RenderableType]:
    """The pictures of all complete counts among the rows, each after an empty line."""
    pictures: list[RenderableType] = []
    for confusion in find_confusions(rows):
        pictures += [Text(""), draw_confusion(confusion, ascii=ascii)]
    return pictures


def draw_confusion(confusion: Confusion, *, ascii: bool = False) -> Text:
    """One picture, at most 80 columns wide.

    >>> print(draw_confusion(Confusion(5, 3, 2, 1, 278), ascii=True))
    Confusion at K = 5
              relevant   not relevant
      top 5   TP     3   FP         2   P@5 0.600 ######....
      below   FN     1   TN       278
              R@5 0.750 ########..
      P@5 = TP / 5, R@5 = TP / (TP + FN)
    """

    c, digits = confusion, _digits(confusion)
    left = _column("relevant", ("TP", c.tp), ("FN", c.fn), digits)
    right = _column("not relevant", ("FP", c.fp), ("TN", c.tn), digits)
    labels = _padded("", f"top {c.k}", "below")
    precision, recall = _precision(c), _recall(c)
    of_mode = f" ({c.mode})" if c.mode else ""
    over = f", mean over {c.queries:,} queries" if c.queries > 1 else ""
    lines = (
        Text.assemble((f"Confusion at K = {c.k}{of_mode}", "bold"), over),
        Text.assemble(_GAP.join((f"  {labels[0]}", left[0], right[0]))),
        Text.assemble(
            f"  {labels[1]}{_GAP}", (left[1], "green"), _GAP, (right[1], "red"), _GAP
        ).append_text(precision.picture(ascii)),
        Text.assemble(f"  {labels[2]}{_GAP}", (left[2], "yellow"), _GAP, (right[2], "dim")),
        Text(f"  {labels[0]}{_GAP}").append_text(recall.picture(ascii)),
        Text(f"  {precision.definition}, {recall.definition}", style="dim"),
    )
    return Text("\n").join(lines)


@dataclass(frozen=True, slots=True)
class _Share:
    """A part of a whole with a name and a formula."""

    name: str
    formula: str
    part: float
    whole: float

    @property
    def definition(self) -> str:
        return f"{self.name} = {self.formula}"

    def picture(self, ascii: bool) -> Text:
        if self.whole <= 0:
            return Text(f"{self.name} undefined", style="dim")
        full, empty = _FULL_AND_EMPTY[ascii]
        share = self.part / self.whole
        filled = round(_BAR * share)
        return Text.assemble(
            (f"{self.name} {share:.3f} ", "bold"),
            (full * filled, "green"),
            (empty * (_BAR - filled), "dim"),
        )


def _precision(c: Confusion) -> _Share:
    if math.isclose(c.tp + c.fp, c.k):
        return _Share(f"P@{c.k}", f"TP / {c.k}", c.tp, c.k)
    # With fewer than K results, P@k depends on the policy for them: this is not it.
    return _Share(f"{_pooled(c)}precision", "TP / (TP + FP)", c.tp, c.tp + c.fp)


def _recall(c: Confusion) -> _Share:
    return _Share(f"{_pooled(c)}R@{c.k}", "TP / (TP + FN)", c.tp, c.tp + c.fn)


def _pooled(c: Confusion) -> str:
    """The share of mean counts is not the mean of shares, and must not be called so."""
    return "pooled " if c.queries > 1 else ""


def _digits(c: Confusion) -> int:
    """Counts of one query are whole, unless they are expected values over ties."""
    whole = all(float(value).is_integer() for value in (c.tp, c.fp, c.fn, c.tn))
    return 0 if whole and c.queries == 1 else 1


def _column(
    head: str, above: tuple[str, float], below: tuple[str, float], digits: int
) -> tuple[str, str, str]:
    """A head and two named numbers, equally wide; the names to the left, the numbers right."""
    cells = [(name, f"{value:,.{digits}f}") for name, value in (above, below)]
    width = max(len(head), *(len(name) + 1 + len(number) for name, number in cells))
    first, second = (f"{name}{number:>{width - len(name)}}" for name, number in cells)
    return f"{head:>{width}}", first, second


def _padded(*texts: str) -> tuple[str, ...]:
    width = max(map(len, texts))
    return tuple(f"{text:<{width}}" for text in texts)
