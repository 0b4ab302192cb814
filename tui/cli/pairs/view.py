"""Minimal pairs for the eye: how many each group has, and the first of them."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from engine.base.messages import pluralise
from engine.base.visible import spell_message
from tui.cli.shared.folding import FoldedText
from tui.cli.shared.metric_table import build_headline, fixed, make_ruled_table, number
from tui.look.safe import escape

if TYPE_CHECKING:
    from rich.console import RenderableType

    from engine.report.pairs.document import PairSample

_SHOWN = 10
"""Pairs of each kind that are listed."""

_NEXT = "tui-eval triage --analyses pairs says how often the right one wins"


def build_pairs_view(sample: PairSample, *, is_written: bool = False) -> list[RenderableType]:
    """The counts by group, then for each kind its first pairs, and what no pair tests.

    is_written  whether a file has all of them: then none is offered
    """
    from rich.text import Text

    title = build_headline(
        sample.dataset,
        f" · {pluralise(sum(map(len, sample.pairs)), 'pair')} from "
        f"{pluralise(len(sample.truth), 'clip')} · seed {sample.seed}",
    )
    counts = make_ruled_table(
        fixed("group"), *(number(f"pairs of {found.kind}") for found in sample.pairs)
    )
    by_kind = sample.count_by_group()
    for group in sample.selection.groups:
        own = (f"{by_kind[found.kind][group]:,}" for found in sample.pairs)
        counts.add_row(escape(group), *own)
    parts: list[RenderableType] = [title, counts]
    for found in sample.pairs:
        parts += _list_first(sample, found.kind, len(found), is_written)
    parts += [Text(escape(note), style="yellow") for note in sample.notes]
    if any(map(len, sample.pairs)):
        parts.append(Text(_NEXT, style="dim"))
    return parts


def _list_first(
    sample: PairSample, kind: str, count: int, is_written: bool
) -> list[RenderableType]:
    from rich.text import Text

    from engine.report.pairs.document import list_pair_rows

    if not count:
        return []
    heads = ("right, not wrong", "asks", "right clip", "wrong clip")
    table = make_ruled_table(*heads, padding=(0, 1, 0, 0))
    own = (row for row in list_pair_rows(sample) if row.kind == kind)
    for row in islice(own, _SHOWN):
        swap = f"{row.right_keyword}, not {row.wrong_keyword}"
        cells = (swap, row.anchor, row.right_clip, row.wrong_clip)
        table.add_row(*(FoldedText(spell_message(cell)) for cell in cells))
    more = count - _SHOWN
    offered = "" if is_written else ": --out pairs.csv"
    rest = [Text(f"… and {more:,} more{offered}", style="dim")] if more > 0 else []
    return [Text(f"{pluralise(count, 'pair')} of {kind}"), table, *rest]
