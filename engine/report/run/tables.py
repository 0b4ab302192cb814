"""The tables of a report, as finished texts that every format shows alike."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from engine.compare import Difference, ModeComparison
from engine.compare.slices import SliceKind
from engine.compare.wording import describe_families, describe_intervals, describe_test
from engine.metrics import Measure
from engine.metrics.chance import ALPHA
from engine.report.compare.tables import build_level_cells, format_level
from engine.report.run.run_report import ModeReport, RunReport, SliceSummary
from engine.report.tables.numbers import (
    NO_VALUE,
    format_interval,
    format_number,
    format_p,
    format_percent,
    format_signed,
    format_win_tie_loss,
    format_with_std,
)
from engine.report.tables.report_table import Cell, Column, ReportTable, make_table

SLICE_KINDS: tuple[SliceKind, ...] = ("group", "keyword")

ID_COLUMN = "id"
"""The head of the column with the ids of metrics."""

DIFFERENCE_MARKS = "*†‡abcdefghijklmnopqrstuvwxyz"
"""One per baseline, behind a number that differs from the baseline's beyond chance."""

SIGNIFICANT, FEW = "*", "†"
"""Marks of slices: a difference beyond chance; few queries."""


def build_summary_table(
    found: RunReport, mode: ModeReport, *, formulas: bool = True
) -> ReportTable:
    """Every number of the run in one mode; without `formulas` they stand in the notes."""
    known = any(not math.isnan(one.row.chance) for one in mode.summary)  # by earlier versions not
    rows = [
        (
            one.row.label,
            format_with_std(one.row.mean, one.row.std if one.row.is_mean else float("nan")),
            format_interval(one.interval),
            *((format_number(one.row.chance),) if known else ()),
            f"{one.row.n:,}",
            one.row.id,
            *((one.row.formula,) if formulas else ()),
        )
        for one in mode.summary
    ]
    columns = (
        Column("metric", "left"),
        Column("mean ± std"),
        Column(f"{format_percent(found.settings.level)} CI"),
        *((Column("chance"),) if known else ()),
        Column("n"),
        Column(ID_COLUMN, "left"),
        *((Column("formula", "left"),) if formulas else ()),
    )
    notes = [] if formulas else [_formulas(mode)]
    notes += [_describe_chance(mode)] if known else []
    if any(not one.row.is_mean for one in mode.summary):
        notes.append("Ranks measured by their median have no standard deviation.")
    return make_table(columns, rows, f"{found.name}, {mode.mode} queries", notes)


def _describe_chance(mode: ModeReport) -> str:
    """What the column means, and which numbers are not above it."""
    meaning = "Chance: what a random ranking would score"
    rows = [one.row for one in mode.summary]
    tested = [row for row in rows if row.above_chance is not None]
    if not tested:
        return f"{meaning}."
    below = [
        f"{row.label} ({row.chance_sample})" if row.chance_sample else row.label
        for row in tested
        if not row.above_chance
    ]
    rest = [row.label for row in rows if row.above_chance is None]
    every = "all tested ones are" if rest else "all are"
    verdict = f"not above: {', '.join(below)}" if below else every
    untested = f"; not tested: {', '.join(rest)}" if rest else ""
    rule = f"above chance means p ≤ {ALPHA:g} with shuffled annotations"
    return f"{meaning}; {rule}; {verdict}{untested}."


def build_levels_table(found: RunReport, mode: ModeReport, *, formulas: bool = True) -> ReportTable:
    """The systems side by side: the best in bold, with a mark where the run differs from them."""
    compared = _compared(mode)
    assert found.comparison is not None
    names = found.comparison.names
    formula_of = {one.measure: one.row.formula for one in mode.summary}
    rows = []
    for measure in found.comparison.measures:
        row = [compared.level(name, measure) for name in names]
        marks = "".join(
            mark
            for mark, name in zip(DIFFERENCE_MARKS, found.baseline_names, strict=False)
            if find_difference(compared, name, measure).significant(found.settings.alpha)
        )
        cells = build_level_cells(row, [""] * len(found.baseline_names) + [marks])
        formula = (formula_of.get(measure, ""),) if formulas else ()
        rows.append((found.language.label(measure), *cells, str(measure), *formula))
    columns = (
        Column("metric", "left"),
        *(Column(name) for name in names),
        Column(ID_COLUMN, "left"),
        *((Column("formula", "left"),) if formulas else ()),
    )
    caption = f"{mode.mode.capitalize()} queries: mean ± std over {_shared(compared)}"
    notes = [*_mark_notes(found, rows), *([] if formulas else [_formulas(mode)])]
    return make_table(columns, rows, caption, [*notes, *map(to_sentence, compared.notes)])


def build_difference_table(
    found: RunReport,
    mode: ModeReport,
    baseline: str,
    *,
    with_levels: bool = False,
    narrow: bool = False,
) -> ReportTable:
    """The run − a baseline: how much, how sure, and in a word. Without ids if it is `narrow`."""
    compared = _compared(mode)
    rows = []
    for one in compared.of_pair(baseline, found.name):
        pair = [compared.level(name, one.measure) for name in (baseline, found.name)]
        rows.append(
            (
                found.language.label(one.measure),
                *(build_level_cells(pair) if with_levels else ()),
                format_signed(one.value),
                format_interval(one.interval, signs=True),
                format_p(one.holm),
                format_win_tie_loss(one.counts),
                one.verdict(found.settings.alpha),
                *(() if narrow else (str(one.measure),)),
            )
        )
    columns = (
        Column("metric", "left"),
        *((Column(baseline), Column(found.name)) if with_levels else ()),
        Column("difference"),
        Column("interval"),
        Column("p"),
        Column("W / T / L"),
        Column("verdict", "left"),
        *(() if narrow else (Column(ID_COLUMN, "left"),)),
    )
    caption = (
        f"{mode.mode.capitalize()} queries: {found.name} minus {baseline}, over {_shared(compared)}"
    )
    return make_table(columns, rows, caption, describe_tests(found))


def build_slices_table(
    found: RunReport, mode: ModeReport, kind: SliceKind, *, narrow: bool = False
) -> ReportTable:
    """The main metric by keyword or by group, worst first.

    A `narrow` one has marks and notes in place of remarks, and with a baseline no interval of the
    level itself.
    """
    rows = [row for row in mode.slices if row.slice.kind == kind]
    names = _short_names(rows) if narrow else list(map(name_slice, rows))
    several = len(found.baseline_names) > 1
    columns = [Column(kind, "left"), Column("n"), Column("mean ± std")]
    if not narrow or not found.comparison:
        columns.append(Column(f"{format_percent(found.settings.level)} CI"))
    for name in found.baseline_names:
        versus = f" ({name})" if several else ""
        heads = ("difference", "interval", "p")
        columns += [Column(f"{head}{versus}") for head in heads]
    if not narrow:
        columns.append(Column("remark", "left"))
    label = found.language.label(found.main)
    first = ", largest loss first" if found.comparison else ", worst first"
    caption = f"{label} ({found.main}) of {mode.mode} queries by {kind}{first}"
    cells = [_slice_cells(found, row, name, narrow) for row, name in zip(rows, names, strict=True)]
    return make_table(columns, cells, caption, _slice_notes(found, cells) if narrow else ())


def has_same_counts(mode: ModeReport) -> bool:
    """Whether the run's numbers over the compared queries are those over all its queries."""
    own = {one.measure: one.row.n for one in mode.summary}
    return all(own[level.measure] == level.n for level in _compared(mode).levels)


def name_slice(row: SliceSummary) -> str:
    """A group's name, or a keyword as "name (group)".

    "group:name" is how files write it; for a reader the name comes first.
    """
    group, colon, name = row.slice.name.partition(":")
    return f"{name} ({group})" if row.slice.kind == "keyword" and colon else row.slice.name


def remark_on_slice(found: RunReport, row: SliceSummary) -> str:
    """What to think of a slice's numbers, in words."""
    if row.whole:
        return "every query"
    if row.few:
        return f"few queries (< {found.settings.least_queries})"
    words = []
    for one in row.differences:
        verdict = one.verdict(found.settings.alpha)
        several = len(row.differences) > 1
        words.append(f"{verdict} ({one.baseline})" if several else verdict)
        if one.n != row.level.n:
            words.append(f"difference over {one.n:,} queries")
    return ", ".join(words)


def describe_tests(found: RunReport) -> list[str]:
    """What the columns of differences mean, one sentence each."""
    settings, compared = found.settings, found.comparison
    assert compared is not None
    label = found.language.label(found.main)
    return [
        describe_families(label, len(compared.others), len(compared.pairs)),
        describe_test(settings),
        describe_intervals(settings),
        f"W / T / L (wins, ties, losses): queries on which {found.name} has the better, the same, "
        "or the worse value.",
    ]


def find_difference(compared: ModeComparison, baseline: str, measure: Measure) -> Difference:
    """The run − a baseline on one measure."""
    return next(d for d in compared.differences if (d.baseline, d.measure) == (baseline, measure))


def to_sentence(note: str) -> str:
    """A note that begins large and ends with a full stop.

    >>> to_sentence("3 slices have fewer than 10 queries"), to_sentence("all is well.")
    ('3 slices have fewer than 10 queries.', 'All is well.')
    """
    return note[:1].upper() + note[1:] + ("" if note.endswith(".") else ".")


def _compared(mode: ModeReport) -> ModeComparison:
    assert mode.compared is not None
    return mode.compared


def _shared(compared: ModeComparison) -> str:
    n = {level.n for level in compared.levels}
    return f"{max(n):,} queries that count for all" if n else "no query"


def _short_names(rows: Sequence[SliceSummary]) -> list[str]:
    """Keywords without their group, where the name alone says which is meant."""
    bare = [row.slice.name.partition(":")[2] or row.slice.name for row in rows]
    return [
        name if bare.count(name) == 1 else name_slice(row)
        for name, row in zip(bare, rows, strict=True)
    ]


def _slice_cells(found: RunReport, row: SliceSummary, name: str, narrow: bool) -> list[str | Cell]:
    cells: list[str | Cell] = [
        name,
        Cell(f"{row.level.n:,}", mark=FEW if narrow and row.few else ""),
        format_level(row.level),
    ]
    if not narrow or not found.comparison:
        cells.append(format_interval(row.level.interval))
    by_baseline = {one.baseline: one for one in row.differences}
    for baseline in found.baseline_names:
        one = by_baseline.get(baseline)
        if one is None:
            cells += [NO_VALUE] * 3
            continue
        mark = SIGNIFICANT if narrow and one.significant(found.settings.alpha) else ""
        cells.append(Cell(format_signed(one.value), mark=mark))
        cells += [format_interval(one.interval, signs=True), format_p(one.holm)]
    return cells if narrow else [*cells, remark_on_slice(found, row)]


def _slice_notes(found: RunReport, rows: Sequence[Sequence[str | Cell]]) -> list[str]:
    """What the marks of a narrow table mean, those that occur."""
    p = f"p < {found.settings.alpha:.3g}."
    meanings = {
        SIGNIFICANT: f"better or worse: permutation test, Holm over the slices of the mode, {p}",
        FEW: f"fewer than {found.settings.least_queries} queries.",
    }
    return _explain_marks(rows, meanings)


def _mark_notes(found: RunReport, rows: Sequence[Sequence[str | Cell]]) -> list[str]:
    alpha = f"{found.settings.alpha:.3g}"
    test = f"permutation test, p < {alpha}."
    marked = zip(DIFFERENCE_MARKS, found.baseline_names, strict=False)
    notes = _explain_marks(rows, {mark: f"differs from {name}: {test}" for mark, name in marked})
    return notes or [f"No difference found from any baseline (permutation test, p < {alpha})."]


def _explain_marks(rows: Sequence[Sequence[str | Cell]], meanings: Mapping[str, str]) -> list[str]:
    used = "".join(cell.mark for row in rows for cell in row if isinstance(cell, Cell))
    return [f"{mark} {meaning}" for mark, meaning in meanings.items() if mark in used]


def _formulas(mode: ModeReport) -> str:
    listed = (f"{one.row.label} ({one.row.id}) = {one.row.formula}" for one in mode.summary)
    return f"Formulas: {'; '.join(listed)}."
