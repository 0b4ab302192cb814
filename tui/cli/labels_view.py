"""Label Scores for the eye: the summary, every label beside chance, findings and notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt

from engine.labels.by_label import ByLabel
from engine.labels.findings import Finding, findings
from engine.labels.printing import score_lines
from engine.report.labels import run_notes
from engine.report.numbers import NONE, number
from engine.report.tabular import Column, Tabular, tabular
from tui.cli.metric_table import FirstThatFits, note_lines
from tui.safe import safe
from tui.words import counted

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from engine.labels.request import LabelRequest
    from engine.labels.scoring import LabelRun, LabelScore

MOST_LABELS = 15
LONGEST_LABEL = 32
SHORT_LABEL = 16
_INSTEAD = 2
Cells = TypeVar("Cells")


def summary_view(request: LabelRequest, run: LabelRun) -> list[RenderableType]:
    """What was scored, the means, the labels at the smallest K, the findings and the notes."""
    from rich.text import Text

    parts: list[RenderableType] = [_head(request, run), _formula(run)]
    for level in run.levels:
        scores = run.of_level(level)
        parts += _means(scores, level if len(run.levels) > 1 else "")
        parts += _labels(scores)
    found = findings(run)
    if found:
        parts += [_bold("Findings"), *_findings(found), Text("")]
    return [*parts, *note_lines(run_notes(run))]


def _head(request: LabelRequest, run: LabelRun) -> Text:
    from rich.text import Text

    levels = {score.level.name: len(score.level.names) for score in run.scores}
    told = ", ".join(f"{name} ({counted(labels, 'label')})" for name, labels in levels.items())
    compared = "cosine" if request.files.normalize else "inner product"
    return Text.assemble((f"{counted(run.items, 'item')}", "bold"), safe(f" · {told} · {compared}"))


def _formula(run: LabelRun) -> Text:
    from rich.text import Text

    from engine.metrics import Measure

    definition = Measure.parse("LabelScore@10").definition
    formula = definition.formula_at("k", run.scores[0].policies.fewer_than_k)
    text = f"LabelScore@k = {formula}, the mean over all queries"
    return Text(text, style="dim")


def _means(scores: Sequence[LabelScore], level: str) -> Iterator[RenderableType]:
    from rich.text import Text

    if level:
        yield Text(f"\n{safe(level)}", style="bold")
    for score in scores:
        yield Text(f"\n{safe(score.direction.title)}:")
        lines = score_lines({k: score.mean(k) for k in score.ks})
        for k, line in zip(score.ks, lines, strict=True):
            rows = ByLabel.of(score, k)
            weighted = rows.weighted
            beside = f"  chance {number(weighted.random)}"
            beside += f" · {weighted.lift:.2f}×" if weighted.random else ""
            beside += f" · macro {number(rows.macro.score)}"
            yield Text.assemble(line, (beside, "dim"))


def _labels(scores: Sequence[LabelScore]) -> Iterator[RenderableType]:
    """Every label: its support, chance and score in each direction, and what is found instead."""
    k = min(scores[0].ks)
    rows = [ByLabel.of(score, k) for score in scores]
    first = rows[0]
    labels = first.counted
    if len(labels) > MOST_LABELS:
        labels = labels[np.argsort(first.scores[labels], kind="stable")][:MOST_LABELS]
    yield _bold(f"By label at K={k}")
    yield FirstThatFits(
        _label_table(rows, labels, instead=True),
        _label_table(rows, labels),
        _label_table(rows, labels, numbered=True),
    )
    if len(labels) < len(first.counted):
        yield from note_lines(
            [
                f"{len(labels)} of {len(first.counted):,} labels, the worst in "
                f"{scores[0].direction.name} first; all of them: --per-label FILE.csv"
            ]
        )


def _label_table(
    rows: Sequence[ByLabel],
    labels: npt.NDArray[np.int64],
    *,
    instead: bool = False,
    numbered: bool = False,
) -> Tabular:
    """The labels as a table: with what is found instead, or directions by number, as space is."""
    names = [row.score.direction.name for row in rows]
    heads = [f"({place})" for place in range(1, len(names) + 1)] if numbered else names
    columns = [Column("label", "left"), Column("support"), Column("chance"), *map(Column, heads)]
    longest = SHORT_LABEL if numbered else LONGEST_LABEL
    lines = [
        [
            _cut(rows[0].score.level.names[label], longest),
            f"{rows[0].score.level.support[label]:,}",
            number(float(rows[0].random[label])),
            *(number(float(one.scores[label])) for one in rows),
        ]
        for label in labels.tolist()
    ]
    for kind in ("macro", "weighted"):
        means = [one.macro if kind == "macro" else one.weighted for one in rows]
        total = f"{len(rows[0].score.level):,}"
        lines.append([kind, total, number(means[0].random), *(number(m.score) for m in means)])
    if numbered:  # chance stands beside the means already
        columns, lines = _without(columns, 2), [_without(line, 2) for line in lines]
    if instead:
        columns.append(Column(f"found instead, {names[0]}", "left"))
        found = [*(_instead(rows[0], label) for label in labels.tolist()), "", ""]
        lines = [[*line, other] for line, other in zip(lines, found, strict=True)]
    legend = " · ".join(f"{head} {name}" for head, name in zip(heads, names, strict=True))
    return tabular(columns, lines, notes=[legend] if numbered else [])


def _without(cells: list[Cells], place: int) -> list[Cells]:
    return [*cells[:place], *cells[place + 1 :]]


def _cut(name: str, longest: int) -> str:
    """A label, cut where it would take the table for itself."""
    return name if len(name) <= longest else f"{name[: longest - 1]}…"


def _instead(rows: ByLabel, label: int) -> str:
    score = rows.score
    table = score.confusion[score.ks.index(rows.k)]
    total = table.total(label)
    found = (
        f"{_cut(score.level.names[other], LONGEST_LABEL)} {times / total:.0%}"
        for other, times in table.wrong(label, _INSTEAD)
    )
    return ", ".join(found) or NONE


def _findings(found: Sequence[Finding]) -> Iterator[RenderableType]:
    """Where and what on one line, its numbers below: readable at any width."""
    from rich.padding import Padding
    from rich.text import Text

    for one in found:
        where = f"  {one.level} · {', '.join(one.directions)} · K={one.k}"
        yield Text.assemble((f"  {one.id}", "bold"), (safe(where), "dim"))
        yield Padding(Text(safe(one.text)), (0, 0, 0, 4))


def _bold(text: str) -> Text:
    from rich.text import Text

    return Text(f"\n{text}", style="bold")
