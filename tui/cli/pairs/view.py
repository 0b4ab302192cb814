"""Minimal pairs for the eye: how many each group has, and the first of them."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from engine.base.messages import pluralise
from tui.cli.shared.metric_table import build_headline, fixed, make_ruled_table, number
from tui.look.safe import escape

if TYPE_CHECKING:
    from rich.console import RenderableType

    from engine.report.pairs.document import PairSample

_SHOWN = 10
"""Pairs of each kind that are listed."""


def build_pairs_view(sample: PairSample) -> list[RenderableType]:
    """The counts by group, then for each kind its first pairs, and what no pair tests."""
    from rich.text import Text

    title = build_headline(
        sample.dataset, f" · {pluralise(len(sample.truth), 'clip')} · seed {sample.seed}"
    )
    counts = make_ruled_table(fixed("group"), *(number(found.kind) for found in sample.pairs))
    by_kind = sample.count_by_group()
    for group in sample.selection.groups:
        own = (f"{by_kind[found.kind][group]:,}" for found in sample.pairs)
        counts.add_row(escape(group), *own)
    parts: list[RenderableType] = [title, counts]
    for found in sample.pairs:
        parts += _list_first(sample, found.kind, len(found))
    return [*parts, *(Text(escape(note), style="yellow") for note in sample.notes)]


def _list_first(sample: PairSample, kind: str, count: int) -> list[RenderableType]:
    from rich.text import Text

    from engine.report.pairs.document import list_pair_rows

    if not count:
        return []
    table = make_ruled_table("right, not wrong", "asks", "right clip", "wrong clip")
    own = (row for row in list_pair_rows(sample) if row.kind == kind)
    for row in islice(own, _SHOWN):
        swap = f"{row.right_keyword}, not {row.wrong_keyword}"
        table.add_row(*map(escape, (swap, row.anchor, row.right_clip, row.wrong_clip)))
    more = count - _SHOWN
    rest = [Text(f"… and {more:,} more: --out pairs.csv", style="dim")] if more > 0 else []
    return [Text(f"{pluralise(count, 'pair')} of {kind}"), table, *rest]
