"""`tui-eval map test`: how often a text becomes the right keywords, and why not."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from engine.base.json_text import as_json
from tui.cli.map.labelled import open_labelled
from tui.cli.map.options import KeywordOptions
from tui.cli.shared import options as o
from tui.cli.shared.console import show_spinner
from tui.cli.shared.groups import argument, takes_groups
from tui.cli.shared.output import ListOutput
from tui.look.safe import escape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType
    from rich.table import Table

    from engine.text.learning.trial import MapperTrial
    from engine.text.mapping.accuracy import Accuracy
    from engine.text.mapping.calibration import ReliabilityBin


@takes_groups
def test_mapper(
    *,
    queries: Path = argument(
        "QUERIES",
        "Queries with the keywords they mean: CSV (query,keywords) or JSON lines "
        '({"q": …, "groups": \\[…], "kw": \\[…]}).',
    ),
    groups: str | None = o.groups(
        "those a query names, else the dataset's default groups, or all of a vocabulary."
    ),
    known: KeywordOptions,
    encoder: str | None = o.ENCODER(),
    output: ListOutput,
) -> None:
    """Map queries whose keywords are known, and show how many are right and why others are not.

    Counts exact keyword sets, precision, recall and F1, also by kind of evidence; checks whether
    the probabilities mean what they say; and lists every keyword that is missing or wrong, with
    the reason.

    Examples:
    tui-eval map test queries.csv
    tui-eval map test queries.jsonl --vocabulary vocabulary.json --json
    tui-eval map test queries.csv --dataset path/to/dataset --threshold 0.7
    """
    from engine.report.map.document import build_trial_document
    from engine.text.learning.trial import try_mapper

    output.check()
    with open_labelled(queries, known, groups, encoder) as given:
        asked = given.labelled.queries
        with show_spinner(f"mapping {len(asked):,} queries"):
            trial = try_mapper(given.mapper, asked)
    unlabelled = given.labelled.unlabelled
    output.write(
        {
            "table": lambda: _build_view(trial, given.notes),
            "json": lambda: as_json(
                build_trial_document(trial, unlabelled, given.files, given.notes)
            ),
        },
        notes=given.notes,
    )


def _build_view(trial: MapperTrial, notes: Sequence[str]) -> list[RenderableType]:
    from rich.text import Text

    from engine.keywords.not_understood import describe_share
    from engine.text.mapping.mapper import NEAR_FLOOR
    from tui.cli.shared.metric_table import build_headline, format_notes

    found = trial.accuracy
    head = build_headline(
        f"{found.exact} of {found.queries} keyword sets exact ({found.exact_share:.1%})",
        f" · precision {_number(found.precision)} · recall {_number(found.recall)} · "
        f"F1 {_number(found.micro_f1)} · threshold {trial.threshold:g}",
    )
    unexplained = []
    if trial.unexplained.queries:
        unexplained = [Text(escape(describe_share(trial.unexplained)), "yellow")]
    return [
        head,
        Text(""),
        _by_kind(trial.by_kind),
        _reliability(trial.bins),
        Text(
            f"expected calibration error {_number(trial.error)}, "
            f"of probabilities from {NEAR_FLOOR:g} on {_number(trial.error_near)}"
        ),
        *_faults(trial),
        *unexplained,
        *format_notes(notes),
    ]


def _by_kind(found: dict[str, Accuracy]) -> Table:
    from tui.cli.shared.metric_table import fixed, make_ruled_table, number

    heads = ("right", "false", "missed", "precision", "recall", "F1")
    table = make_ruled_table(fixed("evidence"), *map(number, heads))
    for kind, one in found.items():
        table.add_row(
            kind,
            *(f"{n:,}" for n in (one.true_positives, one.false_positives, one.false_negatives)),
            *map(_number, (one.precision, one.recall, one.micro_f1)),
        )
    return table


def _reliability(bins: Sequence[ReliabilityBin]) -> Table:
    from tui.cli.shared.metric_table import fixed, make_ruled_table, number

    heads = map(number, ("keywords", "mean", "meant"))
    table = make_ruled_table(fixed("probability"), *heads)
    for one in bins:
        if one.count:
            means = map(_number, (one.mean_probability, one.share_meant))
            table.add_row(f"{one.least:.1f} to {one.most:.1f}", f"{one.count:,}", *means)
    return table


def _faults(trial: MapperTrial) -> list[RenderableType]:
    from rich.text import Text

    from engine.report.map.wording import describe_fault
    from tui.cli.shared.metric_table import fixed, folded, make_ruled_table

    if not trial.faults:
        return [Text("No keyword was missed, and none is false.", style="green")]
    table = make_ruled_table(folded("query"), fixed(""), folded("keyword"), folded("reason"))
    for fault in trial.faults:
        table.add_row(
            escape(fault.query),
            Text("missed", "yellow") if fault.missed else Text("false", "red"),
            escape(fault.keyword.name),
            escape(describe_fault(fault, trial.threshold)),
        )
    return [table]


def _number(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.3f}"
