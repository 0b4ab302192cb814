"""`tui-eval summary`: what a dataset holds and how each of its models does, at a glance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.base.messages import pluralise
from engine.base.visible import spell_hidden
from tui.cli.shared.console import make_progress_bars, open_workbench, show
from tui.cli.shared.dataset_options import DatasetArgument
from tui.cli.shared.groups import takes_groups
from tui.look.safe import escape
from tui.opening.source import open_from_options

if TYPE_CHECKING:
    from rich.console import RenderableType

    from engine.dataset.dataset import Dataset
    from engine.keywords.run import Run

_SHOWN_KEYWORDS = 6
_SHOWN_METRICS = ("Recall@1", "Recall@3", "Recall@5")


@takes_groups
def summary(*, dataset: DatasetArgument = None) -> None:
    """What a dataset holds, and how each of its models does.

    Examples:
    tui-eval summary
    tui-eval summary DATASET
    """
    summarise(dataset)


def summarise(dataset: str | None) -> None:
    """Print the dataset's contents and, per model, Recall@K of text and video queries."""
    from dataclasses import replace

    from rich.text import Text

    from engine.keywords.evaluate import WrongEncoderError
    from engine.keywords.run import RunRequest, run_request

    opened = open_from_options(dataset)
    show(*_contents(opened))
    runs, notes = [], []
    with open_workbench(opened) as bench, make_progress_bars() as report:
        for model in opened.models:
            request = RunRequest(model=model, metrics=_SHOWN_METRICS)
            try:
                runs.append(run_request(request, bench, report))
            except WrongEncoderError as error:
                notes.append(f"{model}: no text queries: {error}")
                runs.append(run_request(replace(request, modes="video"), bench, report))
    if runs:
        show(*_results(runs))
    show(*(Text(spell_hidden(note), style="yellow") for note in notes), *_next_steps(dataset))


def _contents(dataset: Dataset) -> list[RenderableType]:
    from rich.table import Column
    from rich.text import Text

    from tui.cli.shared.metric_table import build_headline, fixed, make_ruled_table

    truth, words = dataset.truth, dataset.truth.words
    title = build_headline(
        dataset.name,
        f" · {pluralise(len(truth), 'clip')} · {pluralise(len(words.keywords), 'keyword')} in "
        f"{pluralise(len(words.groups), 'group')} · {pluralise(len(dataset.models), 'model')}",
    )
    table = make_ruled_table(
        fixed("group"), Column("keywords", justify="right"), "most frequent (clips)"
    )
    for group in words.groups:
        own = words.of([group])
        ranked = [(int(truth.counts[words.column_of[word]]), word.name) for word in own]
        ranked.sort(key=lambda item: (-item[0], item[1]))
        shown = ", ".join(f"{name} {count:,}" for count, name in ranked[:_SHOWN_KEYWORDS])
        more = len(ranked) - _SHOWN_KEYWORDS
        tail = f", and {more} more" if more > 0 else ""
        table.add_row(escape(group), str(len(own)), escape(shown) + tail)
    about = [Text(escape(dataset.description), style="dim")] if dataset.description else []
    return [title, *about, table]


def _results(runs: list[Run]) -> list[RenderableType]:
    from rich.table import Column
    from rich.text import Text

    from engine.report.run.document import collect_metric_rows
    from tui.cli.shared.metric_table import build_headline, fixed, make_ruled_table, number

    first = runs[0]
    groups = ", ".join(first.selection.groups)
    heading = build_headline("Evaluation", f" · {groups} · a hit has ALL query keywords")
    models = [
        Text(
            escape(f"{run.collection.model.name}: {run.collection.model.description}"), style="dim"
        )
        for run in runs
        if run.collection.model.description
    ]
    rows = collect_metric_rows(first.evaluations[0], first.profile)
    table = make_ruled_table(
        *map(fixed, ("model", "queries")),
        *(number(f"{row.label}\n{row.id}\n{row.formula}") for row in rows),
        *(Column(head, justify="right") for head in ("n", "left\nout")),
    )
    for run in runs:
        for evaluation in run.evaluations:
            rows = collect_metric_rows(evaluation, run.profile)
            table.add_row(
                escape(run.collection.model.name),
                f"{evaluation.mode} to video",
                *(f"{row.mean:.3f}" for row in rows),
                f"{evaluation.scores.n:,}",
                f"{sum(evaluation.skipped.values()):,}",
            )
    return [heading, *models, table]


def _next_steps(given: str | None) -> list[RenderableType]:
    from rich.text import Text

    place = f" {given}" if given else ""
    option = f" --dataset {given}" if given else ""
    steps = [
        (f"tui-eval{option}", "the inspector, on a terminal"),
        (f"tui-eval run{place} --model NAME", "all metrics of a model"),
        (f'tui-eval search{option} "cyclist entering ego lane"', "why each result was returned"),
        (f"tui-eval validate{place}", "check a dataset"),
        ("tui-eval --help", "everything else"),
    ]
    width = max(len(command) for command, _ in steps)
    return [
        Text("Next", style="bold"),
        *(Text(escape(f"  {command:<{width}}  {what}")) for command, what in steps),
    ]
