"""The table of a report that says how well each keyword is found by itself, at every K."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from engine.metrics import Measure
from engine.report.run.run_report import MOST_SLICES, ModeReport, RunReport
from engine.report.tables.numbers import format_number
from engine.report.tables.report_table import Column, ReportTable, make_table
from engine.results.keywords_at_k import FoundKeyword

_MOST_KS = 8
"""Cut-offs that a page has room for."""


def build_keywords_table(found: RunReport, mode: ModeReport) -> ReportTable | None:
    """Keyword × K, the worst at the largest K first; None: the run does not say it."""
    rows = [one for one in found.run.keywords if one.mode == mode.mode and one.values]
    if not rows:
        return None
    every = [measure for measure, _, _ in rows[0].values]
    places = np.linspace(0, len(every) - 1, min(len(every), _MOST_KS)).round().astype(int)
    measures = [every[place] for place in places.tolist()]
    rows.sort(key=lambda one: one.values[-1][1])
    columns = [
        Column("keyword", "left"),
        *(Column("queries"), Column("clips")),
        *(Column(found.language.label(measure)) for measure in measures),
        Column("chance"),
    ]
    notes = [
        "Results that have the keyword, whatever else a query asks for; chance: what random "
        "rankings would score at the largest K."
    ]
    if len(rows) > MOST_SLICES:
        notes.append(f"{len(rows) - MOST_SLICES:,} more keywords are not shown.")
    ids = ", ".join(map(str, measures))
    caption = f"Each keyword by itself ({ids}) of {mode.mode} queries, worst first"
    cells = (_write_cells(one, measures) for one in rows[:MOST_SLICES])
    return make_table(columns, cells, caption, notes)


def _write_cells(one: FoundKeyword, measures: Sequence[Measure]) -> list[str]:
    group, colon, name = one.keyword.partition(":")
    known = {measure: value for measure, value, _ in one.values}
    values = [known.get(measure, math.nan) for measure in measures]
    called = f"{name} ({group})" if colon else one.keyword
    numbers = map(format_number, (*values, one.values[-1][2]))
    return [called, f"{one.queries:,}", f"{one.clips:,}", *numbers]
