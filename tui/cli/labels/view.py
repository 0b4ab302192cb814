"""Label Scores for the eye: the summary, every label beside chance, findings and notes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from rich.padding import Padding
from rich.text import Text

from engine.base.arrays import ROUNDING
from engine.base.messages import format_percentage, pluralise
from engine.base.visible import spell_message
from engine.labels.findings.find_findings import find_label_findings
from engine.labels.findings.label_finding import LabelFinding
from engine.labels.printing import format_score_lines
from engine.labels.scoring.by_label import LabelTable
from engine.report.labels.document import collect_label_notes, write_label_formula
from engine.report.tables.numbers import NO_VALUE, format_number
from engine.report.tables.report_table import Column, ReportTable, make_table
from tui.cli.shared.metric_table import FirstThatFits, build_headline, format_notes
from tui.look.safe import escape

if TYPE_CHECKING:
    from rich.console import RenderableType

    from engine.labels.request import LabelRequest
    from engine.labels.scoring.label_run import LabelRun, LabelScore

MOST_LABELS = 15
LONGEST_LABEL = 32
SHORT_LABEL = 16
_LEFT_OUT = "what is found instead: a wider terminal, or --confusion-csv FILE"
_NO_CHANCE = "chance by label: a wider terminal, or --per-label FILE.csv"


def build_labels_view(request: LabelRequest, run: LabelRun) -> list[RenderableType]:
    """What was scored, the means, the labels at the smallest K, the findings and the notes."""
    parts: list[RenderableType] = [_head(request, run), _formula(run)]
    for level in run.levels:
        scores = run.of_level(level)
        parts += _means(scores, level if len(run.levels) > 1 else "")
        parts += _labels(scores)
    found = find_label_findings(run)
    if found:
        parts += [_bold("Findings"), *_findings(found), Text("")]
    return [*parts, *format_notes(collect_label_notes(run))]


def _head(request: LabelRequest, run: LabelRun) -> Text:
    levels = {score.level.name: len(score.level.names) for score in run.scores}
    described = ", ".join(
        f"{name} ({pluralise(labels, 'label')})" for name, labels in levels.items()
    )
    compared = "cosine" if request.files.normalize else "inner product"
    return build_headline(pluralise(run.items, "item"), f" · {described} · {compared}")


def _formula(run: LabelRun) -> Text:
    policies = run.scores[0].policies
    over = "the queries that count" if policies.no_relevant == "skip" else "all queries"
    text = f"LabelScore@k = {write_label_formula(policies.fewer_than_k)}, the mean over {over}"
    return Text(text, style="dim")


def _means(scores: Sequence[LabelScore], level: str) -> Iterator[RenderableType]:
    if level:
        yield Text(f"\n{escape(level)}", style="bold")
    for score in scores:
        yield Text(f"\n{escape(score.direction.title)}:")
        lines = format_score_lines({k: score.mean(k) for k in score.ks})
        for k, line in zip(score.ks, lines, strict=True):
            rows = LabelTable.of(score, k)
            weighted = rows.weighted
            beside = f"  chance {format_share(weighted.random)}"
            beside += f" · {weighted.lift:.2f}×" if math.isfinite(weighted.lift) else ""
            beside += f" · macro {format_share(rows.macro.score)}"
            yield Text.assemble(line, (beside, "dim"))


def _labels(scores: Sequence[LabelScore]) -> Iterator[RenderableType]:
    """Every label: its support, chance and score in each direction; and what is found instead."""
    k = min(scores[0].ks)
    rows = [LabelTable.of(score, k) for score in scores]
    every = np.flatnonzero(np.sum([one.queries for one in rows], axis=0))
    labels = every
    if len(labels) > MOST_LABELS:
        labels = labels[np.argsort(rows[0].scores[labels], kind="stable")][:MOST_LABELS]
    yield _bold(f"By label at K={k}")
    yield FirstThatFits(_label_table(rows, labels), _label_table(rows, labels, numbered=True))
    if len(labels) < len(every):
        yield from format_notes(
            [
                f"{len(labels)} of {len(every):,} labels, the worst in "
                f"{scores[0].direction.name} first; all of them: --per-label FILE.csv"
            ]
        )
    if any(_wrong(one, label, 1) for one in rows for label in labels.tolist()):
        tables = (_instead_table(rows, labels, most) for most in (2, 1))
        head = _bold(f"Found instead at K={k}")
        yield FirstThatFits(*tables, head=head, otherwise=_LEFT_OUT)


def _label_table(
    rows: Sequence[LabelTable], labels: npt.NDArray[np.int64], *, numbered: bool = False
) -> ReportTable:
    """The labels as a table; directions by number, and no chance, where space is short."""
    names = [row.score.direction.name for row in rows]
    heads = [f"({place})" for place in range(1, len(names) + 1)] if numbered else names
    chance = [] if numbered else [Column(_chance_head(rows, labels))]
    columns = [Column("label", "left"), Column("support"), *chance, *map(Column, heads)]
    longest = SHORT_LABEL if numbered else LONGEST_LABEL
    level = rows[0].score.level
    means = [one.means for one in rows]
    lines = [
        [
            _cut(level.names[label], longest),
            f"{level.support[label]:,}",
            *(format_share(float(rows[0].random[label])) for _ in chance),
            *(format_share(float(one[label])) for one in means),
        ]
        for label in labels.tolist()
    ]
    for kind, of_all in (
        ("macro", [one.macro for one in rows]),
        ("weighted", [one.weighted for one in rows]),
    ):
        shown = [one.score for one in of_all]
        if kind == "weighted":
            shown = [one.mean_of_values for one in rows]
        beside = [format_share(of_all[0].random) for _ in chance]
        lines.append([kind, f"{len(level):,}", *beside, *map(format_share, shown)])
    legend = " · ".join(f"{head} {name}" for head, name in zip(heads, names, strict=True))
    return make_table(columns, lines, notes=[legend, _NO_CHANCE] if numbered else [])


def _chance_head(rows: Sequence[LabelTable], labels: npt.NDArray[np.int64]) -> str:
    """What the column is called: whose chance it is, where directions differ in it."""

    def of(one: LabelTable) -> list[float]:
        return [*one.random[labels].tolist(), one.macro.random, one.weighted.random]

    same = all(np.allclose(of(one), of(rows[0]), atol=1e-12, equal_nan=True) for one in rows)
    return "chance" if same else f"chance, {rows[0].score.direction.name}"


def _instead_table(
    rows: Sequence[LabelTable], labels: npt.NDArray[np.int64], most: int
) -> ReportTable:
    """For every label and direction, the other labels that are found most, with their shares."""
    columns = [Column("label", "left")]
    columns += [Column(row.score.direction.name, "left") for row in rows]
    longest = LONGEST_LABEL if most > 1 else SHORT_LABEL
    names = rows[0].score.level.names
    lines = [
        [
            _cut(names[label], longest),
            *(
                ", ".join(
                    f"{_cut(names[other], longest)} {format_percentage(share)}%"
                    for other, share in _wrong(one, label, most)
                )
                or NO_VALUE
                for one in rows
            ),
        ]
        for label in labels.tolist()
    ]
    return make_table(columns, lines)


def _wrong(rows: LabelTable, label: int, most: int) -> list[tuple[int, float]]:
    """The labels that are found most instead of one, and their shares of its results."""
    table = rows.score.confusion[rows.score.ks.index(rows.k)]
    return [(other, n / table.total(label)) for other, n in table.wrong(label, most)]


def format_share(value: float) -> str:
    """A number from 0 to 1 with three digits; something is never shown as nothing, nor less than
    all as all.

    >>> [format_share(value) for value in (0.0, 0.0004, 0.8275, 0.9995, 1.0)]
    ['0.000', '<0.001', '0.828', '>0.999', '1.000']
    """
    text = format_number(value)
    if text == "0.000" and value > ROUNDING:
        return "<0.001"
    return ">0.999" if text == "1.000" and value < 1 - ROUNDING else text


def _cut(name: str, longest: int) -> str:
    """A label, cut where it would take the table for itself."""
    return name if len(name) <= longest else f"{name[: longest - 1]}…"


def _findings(found: Sequence[LabelFinding]) -> Iterator[RenderableType]:
    """Where and what on one line, its numbers below: readable at any width."""
    for one in found:
        where = f"  {one.level} · {', '.join(one.directions)} · K={one.k}"
        yield Text.assemble((f"  {one.id}", "bold"), (escape(where), "dim"))
        yield Padding(Text(spell_message(one.text)), (0, 0, 0, 4))


def _bold(text: str) -> Text:
    return Text(f"\n{text}", style="bold")
