"""Comparisons as the tables of a paper: mean ± std, the best in bold, what is sure marked."""

from __future__ import annotations

from collections.abc import Sequence

from engine.compare import Comparison, ModeComparison, SystemLevel
from engine.compare.wording import describe_families, describe_test
from engine.metrics import Measure
from engine.report.tables.numbers import format_with_std
from engine.report.tables.report_table import (
    Cell,
    Column,
    ReportTable,
    find_best_places,
    make_table,
)

FEW_METRICS = 8
"""Up to so many metrics a table has a row per system; with more, a row per metric."""


def build_paper_tables(found: Comparison) -> list[ReportTable]:
    """One table per mode: mean ± std, the best in bold, what differs from the baseline marked."""
    labels = [found.language.label(measure) for measure in found.measures]
    names = [_system_name(found, place) for place in range(len(found.names))]
    tables = []
    for mode in found.modes:
        cells: list[Sequence[Cell]] = [_cells(found, mode, m) for m in found.measures]
        kind, titles, heads = "metric", labels, names
        if len(labels) <= FEW_METRICS:
            cells = list(zip(*cells, strict=True))
            kind, titles, heads = "system", names, labels
        rows = [[Cell(title), *own] for title, own in zip(titles, cells, strict=True)]
        columns = [Column(kind, "left"), *map(Column, heads)]
        tables.append(make_table(columns, rows, _caption(mode), _paper_notes(found, mode)))
    return tables


def _system_name(found: Comparison, place: int) -> str:
    """With every pair compared, a letter by which marks name the system."""
    return f"{_letter(place)} {found.names[place]}" if _lettered(found) else found.names[place]


def _lettered(found: Comparison) -> bool:
    return any(old > 0 for old, _ in found.pairs)


def _letter(place: int) -> str:
    return chr(ord("a") + place) if place < 26 else str(place)


def _cells(found: Comparison, mode: ModeComparison, measure: Measure) -> list[Cell]:
    """Every system on one measure."""
    marks = [_mark(found, mode, place, measure) for place in range(len(found.names))]
    return build_level_cells([mode.level(name, measure) for name in found.names], marks)


def build_level_cells(levels: Sequence[SystemLevel], marks: Sequence[str] = ()) -> list[Cell]:
    """Systems on one measure, the best standing out, each with its mark."""
    lower = levels[0].measure.lower_is_better
    best = find_best_places([level.value for level in levels], lower_is_better=lower)
    return [
        Cell(format_level(level), place in best, marks[place] if marks else "")
        for place, level in enumerate(levels)
    ]


def format_level(level: SystemLevel) -> str:
    """Mean ± std; beside a median, the deviation from the mean would mislead."""
    is_mean = level.measure.aggregate == "mean"
    return format_with_std(level.value, level.std if is_mean else float("nan"))


def _mark(found: Comparison, mode: ModeComparison, place: int, measure: Measure) -> str:
    """* if it differs from the baseline; with every pair compared, the letters of those that it is
    better than."""
    name, alpha, marks = found.names[place], found.settings.alpha, ""
    for difference in mode.differences:
        if difference.measure != measure or not difference.significant(alpha):
            continue
        old, new = difference.baseline, difference.system
        if not _lettered(found):
            marks += "*" if new == name else ""
        elif (new == name and difference.gain > 0) or (old == name and difference.gain < 0):
            marks += _letter(found.names.index(old if new == name else new))
    return marks


def _caption(mode: ModeComparison) -> str:
    counts = sorted({level.n for level in mode.levels})
    n = f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"
    return f"{mode.mode.capitalize()} queries: mean ± std over {n} queries"


def _paper_notes(found: Comparison, mode: ModeComparison) -> list[str]:
    if _lettered(found):
        meaning = "better than the system of that letter"
    else:
        meaning = f"differs from {found.names[0]}"
    formulas = "; ".join(
        f"{found.language.label(measure)} = {found.formula(measure)}" for measure in found.measures
    )
    letter = "Letters" if _lettered(found) else "*"
    return [
        f"{letter}: {meaning}, p < {found.settings.alpha:.2g}. Bold: best.",
        describe_test(found.settings),
        describe_families(found.language.label(found.main), len(found.others), len(found.pairs)),
        f"{formulas}.",
        *(f"{note}." for note in mode.notes),
    ]
