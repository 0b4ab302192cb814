"""`tui-eval` alone: what a dataset holds and how each of its models does, at a glance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.cli.console import progress_bars, safe, stdout_console, tell_that_the_encoder_starts
from tui.cli.options import open_from_options

if TYPE_CHECKING:
    from rich.console import RenderableType

    from engine.dataset import Dataset
    from engine.report.run import Run

_SHOWN_KEYWORDS = 6


def summarise(dataset: str | None) -> None:
    """Print the dataset's contents and, per model, Recall@K of text and video queries."""
    from engine.encoder import SentenceEncoder
    from engine.run import RunRequest, carry_out

    opened = open_from_options(dataset)
    console = stdout_console()
    for part in _contents(opened):
        console.print(part)
    runs = []
    with SentenceEncoder(on_start=tell_that_the_encoder_starts) as speaker, progress_bars() as bars:
        for model in opened.models:
            request = RunRequest(model=model, metrics=("Recall@1", "Recall@3", "Recall@5"))
            runs.append(carry_out(request, opened, speaker, bars))
    if runs:
        for part in _results(runs):
            console.print(part)
    for part in _next_steps(opened, dataset):
        console.print(part)


def _contents(dataset: Dataset) -> list[RenderableType]:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    truth = dataset.truth
    title = Text(safe(dataset.name), style="bold")
    title.append(
        f" · {len(truth):,} clips · {len(truth.words.keywords)} keywords in "
        f"{len(truth.groups)} groups · {len(dataset.models)} models",
        style="not bold",
    )
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("group", no_wrap=True)
    table.add_column("keywords", justify="right")
    table.add_column("most frequent (clips)")
    for group in truth.groups:
        words = truth.vocabulary([group])
        counted = [(int(truth.counts[truth.words.column_of[word]]), word.name) for word in words]
        counted.sort(key=lambda item: (-item[0], item[1]))
        shown = ", ".join(f"{name} {count:,}" for count, name in counted[:_SHOWN_KEYWORDS])
        more = len(counted) - _SHOWN_KEYWORDS
        tail = f", and {more} more" if more > 0 else ""
        table.add_row(safe(group), str(len(words)), safe(shown) + tail)
    return [title, Text(safe(dataset.description), style="dim"), table]


def _results(runs: list[Run]) -> list[RenderableType]:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    first = runs[0]
    heading = Text("Evaluation", style="bold")
    heading.append(
        safe(f" · {', '.join(first.selection.groups)} · a hit has ALL query keywords"),
        style="not bold",
    )
    models = Text("", style="dim")
    for run in runs:
        if run.collection.model.description:
            models.append(
                safe(f"{run.collection.model.name}: {run.collection.model.description}\n")
            )
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("model", no_wrap=True)
    table.add_column("queries", no_wrap=True)
    for row in first.metrics[: len(first.metrics) // len(first.evaluations)]:
        table.add_column(f"{row.label}\n{row.formula}", justify="right", no_wrap=True)
    table.add_column("n", justify="right")
    table.add_column("left\nout", justify="right")
    for run in runs:
        for evaluation in run.evaluations:
            rows = [row for row in run.metrics if row.mode == evaluation.mode]
            table.add_row(
                safe(run.collection.model.name),
                f"{evaluation.mode} to video",
                *(f"{row.mean:.3f}" for row in rows),
                f"{evaluation.scores.n:,}",
                f"{sum(evaluation.skipped.values()):,}",
            )
    models.rstrip()
    return [heading, *([models] if models.plain else []), table]


def _next_steps(dataset: Dataset, given: str | None) -> list[RenderableType]:
    from rich.text import Text

    place = f" {given}" if given else ""
    option = f" --dataset {given}" if given else ""
    steps = [
        (f"tui-eval run{place} --model NAME", "all metrics of a model"),
        (f'tui-eval search{option} "cyclist entering ego lane"', "why each result was returned"),
        (f"tui-eval validate{place}", "check a dataset"),
        ("tui-eval --help", "everything else"),
    ]
    width = max(len(command) for command, _ in steps)
    return [
        Text("Next", style="bold"),
        *(Text(safe(f"  {command:<{width}}  {what}")) for command, what in steps),
    ]
