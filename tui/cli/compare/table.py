"""A comparison for the eye: levels, differences, slices and regressions, mode by mode."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.table import Column
from rich.text import Text

from engine.base.messages import pluralise
from engine.base.visible import spell_hidden
from engine.report.tables.numbers import (
    NO_VALUE,
    format_interval,
    format_number,
    format_p,
    format_signed,
)
from tui.cli.shared.metric_table import build_headline, fixed, folded, make_ruled_table, number
from tui.look.safe import escape

if TYPE_CHECKING:
    from engine.compare import (
        Comparison,
        Difference,
        ModeComparison,
        QueryChange,
        SliceDifference,
        SystemLevel,
    )

_WIDE = 130
"""Columns from which on an interval stands beside its number, not below it."""


def build_comparison_table(
    found: Comparison, width: int, worst: int, tests: bool
) -> list[RenderableType]:
    """Everything that is shown, top to bottom."""
    parts: list[RenderableType] = []
    for mode in found.modes:
        for old, new in found.pairs:
            parts += _pair(found, mode, (old, new), width, worst, tests)
        parts += [Text(spell_hidden(f"· {note}"), style="yellow") for note in mode.notes]
        parts.append(Text(""))
    parts.append(_how(found))
    return parts


def _pair(
    found: Comparison,
    mode: ModeComparison,
    pair: tuple[int, int],
    width: int,
    worst: int,
    tests: bool,
) -> list[RenderableType]:
    old, new = (found.names[place] for place in pair)
    differences = mode.of_pair(old, new)
    asked = f"{mode.mode} queries: {new} against {old}"
    head = build_headline(asked, f"  {_counts(mode, differences)}")
    parts: list[RenderableType] = [head, _differences(found, mode, differences, width)]
    if tests:
        parts.append(_tests(found, differences))
    if worst:
        parts += _slices(found, mode, (old, new), width, worst)
        parts += _regressions(found, mode, pair, worst)
    return parts


def _counts(mode: ModeComparison, differences: tuple[Difference, ...]) -> str:
    counts = sorted({difference.n for difference in differences})
    few = f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"
    return f"{few} of {pluralise(len(mode.part.keys), 'common query')} count"


_table = partial(make_ruled_table, collapse_padding=True)


def _differences(
    found: Comparison, mode: ModeComparison, differences: tuple[Difference, ...], width: int
) -> RenderableType:
    wide = width >= _WIDE
    names = differences[0].baseline, differences[0].system
    table = _table(
        fixed("metric"),
        *(folded(escape(name), justify="right", min_width=12) for name in names),
        number("difference"),
        *_name_sureness(wide, "win/tie/loss" if wide else "w/t/l"),
    )
    for difference in differences:
        levels = (mode.level(name, difference.measure) for name in names)
        counts = difference.counts
        counted = f"{counts.wins}/{counts.ties}/{counts.losses}"
        is_main = difference.measure == found.main
        table.add_row(
            Text(found.language.label(difference.measure), style="bold" if is_main else ""),
            *(_level(level, wide) for level in levels),
            _difference(difference, wide),
            *_sureness(difference, found.settings.alpha, wide, counted),
        )
    return table


def _level(level: SystemLevel, wide: bool) -> str:
    if math.isnan(level.interval.low):
        return format_number(level.value)
    if wide:
        return f"{format_number(level.value)} {format_interval(level.interval)}"
    return f"{format_number(level.value)}\n[{level.interval.low:.2f}, {level.interval.high:.2f}]"


def _difference(difference: Difference, wide: bool) -> Text:
    text = Text(format_signed(difference.value), style="bold")
    shown = format_interval(difference.interval, signs=True)
    if shown == NO_VALUE:
        return text
    return text.append(" " if wide else "\n").append(shown, style="not bold")


def _name_sureness(wide: bool, *more: str) -> list[Column]:
    """The columns of what `_sureness` says."""
    if wide:
        return [number("p"), fixed("verdict"), *map(number, more)]
    return [folded("\n".join(["  ".join(("p", *more)), "verdict"]), justify="right")]


def _sureness(difference: Difference, alpha: float, wide: bool, *more: str) -> list[Text]:
    """p, the verdict, and what is said besides: side by side, or the verdict below the others."""
    p, verdict = format_p(difference.holm), _verdict(difference, alpha)
    if wide:
        return [Text(p), verdict, *map(Text, more)]
    return [Text("\n").join((Text("  ".join((p, *more))), verdict))]


def _verdict(difference: Difference, alpha: float) -> Text:
    word = difference.verdict(alpha)
    return Text(word, style={"better": "green", "worse": "red"}.get(word, "dim"))


def _tests(found: Comparison, differences: tuple[Difference, ...]) -> RenderableType:
    heads = ("t", "Wilcoxon", "permut.", "Holm", "BH", "d_z", "rank-bis.")
    table = _table(fixed("metric"), *map(number, heads))
    for d in differences:
        p = map(format_p, (d.t.p, d.wilcoxon.p, d.permutation.p, d.holm, d.bh))
        effects = map(format_signed, (d.effect, d.rank_effect))
        table.add_row(found.language.label(d.measure), *p, *effects)
    return table


def _slices(
    found: Comparison, mode: ModeComparison, names: tuple[str, str], width: int, worst: int
) -> list[RenderableType]:
    rows = [row for row in mode.slices if (row.difference.baseline, row.difference.system) == names]
    least = f"fewer than {pluralise(found.settings.least_queries, 'query')}"
    few = f"{pluralise(mode.few_slices, 'slice')} with {least}" if mode.few_slices else ""
    if not rows:
        return [Text(f"No slice is wide enough: {few}.", style="bold"), Text("")] if few else []
    label = found.language.label(found.main)
    shown = f"worst {min(worst, len(rows))} of {pluralise(len(rows), 'slice')}"
    shown += f" (and {few})" if few else ""
    wide = width >= _WIDE
    table = _table(
        folded("queries with", min_width=24 if wide else 16),
        *map(number, ("n", "before", "after", "difference")),
        *_name_sureness(wide),
    )
    for row in rows[:worst]:
        gap = row.difference
        table.add_row(
            Text(escape(_slice_name(row))),
            f"{gap.n:,}",
            *(format_number(level.value) for level in row.levels),
            _difference(gap, wide),
            *_sureness(gap, found.settings.alpha, wide),
        )
    return [Text(f"{label} by slice, {shown}", style="bold"), table]


def _slice_name(row: SliceDifference) -> str:
    group, _, keyword = row.slice.name.partition(":")
    return f"any {group}" if row.slice.kind == "group" else f"{keyword or group}"


def _regressions(
    found: Comparison, mode: ModeComparison, pair: tuple[int, int], worst: int
) -> list[RenderableType]:
    label = found.language.label(found.main)
    every = [change for change in mode.changes(pair, found.main) if change.change < 0]
    if not every:
        return [Text(f"No query lost {label}.", style="bold"), Text("")]
    shown = f"{min(worst, len(every))} of {pluralise(len(every), 'query')} that lost {label}"
    texts = folded("query"), folded("hits that fell", style="dim")
    table = _table(number("before"), number("after"), *texts)
    for change in every[:worst]:
        query = Text(escape(change.key.query))
        if change.keywords:
            words = ", ".join(word.partition(":")[2] or word for word in change.keywords)
            query.append("\n").append(escape(words), style="dim")
        table.add_row(
            format_number(change.before), format_number(change.after), query, _fallen(change)
        )
    return [Text(f"Worst regressions: {shown}", style="bold"), table]


def _fallen(change: QueryChange) -> Text:
    """The hits that stand lower than before: their old rank, and the new one if they are kept."""
    lost = [
        f for f in change.flips if f.gain > 0 and f.before and (not f.after or f.after > f.before)
    ]
    shown = (f"#{f.before} → {f'#{f.after}' if f.after else 'out'} {f.id}" for f in lost)
    return Text(escape(", ".join(shown)))


def _how(found: Comparison) -> RenderableType:
    from engine.compare.wording import (
        SLICE_FAMILY,
        describe_families,
        describe_intervals,
        describe_test,
    )

    settings = found.settings
    formulas = " · ".join(
        f"{found.language.label(measure)} = {found.formula(measure)}" for measure in found.measures
    )
    label = found.language.label(found.main)
    families = describe_families(label, len(found.others), len(found.pairs))
    return Text(
        f"{formulas}\n\n{families} {describe_test(settings)} {describe_intervals(settings)} "
        f"Intervals of means: {100 * settings.level:g} % bootstrap ({settings.method}). "
        f"{SLICE_FAMILY}",
        style="dim",
    )
