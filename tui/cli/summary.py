"""`tui-eval summary`: what a dataset holds and how each of its models does, at a glance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from heapq import nsmallest
from typing import TYPE_CHECKING

from engine.base.messages import pluralise
from engine.base.progress import Step
from engine.base.visible import spell_message
from tui.cli.shared.console import make_progress_bars, open_workbench, show, show_spinner
from tui.cli.shared.dataset_options import DatasetChoice
from tui.cli.shared.groups import takes_groups
from tui.look.safe import escape
from tui.opening.source import open_from_options

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from rich.console import RenderableType

    from engine.base.choices import Mode
    from engine.base.progress import ProgressHook
    from engine.dataset.dataset import Dataset
    from engine.keywords.run import Run, SharedTexts
    from engine.keywords.workbench import Workbench
    from engine.results.results import MetricRow

_SHOWN_KEYWORDS = 6
_SHOWN_METRICS = ("Recall@1", "Recall@3", "Recall@5")


@takes_groups
def summary(*, dataset: DatasetChoice) -> None:
    """What a dataset holds, and how each of its models does.

    Examples:
    tui-eval summary
    tui-eval summary DATASET
    """
    summarise(dataset.named)


def summarise(dataset: str | None) -> None:
    """Print the dataset's contents and, per model, Recall@K of text and video queries."""
    from rich.text import Text

    opened = open_from_options(dataset)
    with show_spinner("reading the annotations"):
        contents = _contents(opened)
    show(*contents)
    by_name = _evaluate(opened)
    evaluated = [by_name[name] for name in opened.models]
    if evaluated:
        show(*_results(evaluated))
    notes = [f"{one.name}: no text queries: {one.note}" for one in evaluated if one.note]
    show(
        *(Text(spell_message(note), style="yellow") for note in notes),
        *_next_steps(dataset, opened),
    )


@dataclass(frozen=True)
class _EvaluatedModel:
    """What is shown of a model; its clips are not kept.

    modes  per kind of query: its metrics, how many queries counted, how many were left out
    note   why it has no text queries
    """

    name: str
    description: str
    groups: tuple[str, ...]
    modes: tuple[tuple[Mode, list[MetricRow], int, int], ...]
    note: str = ""

    @classmethod
    def of(cls, run: Run, note: str) -> _EvaluatedModel:
        from engine.report.run.document import collect_metric_rows

        model = run.collection.model
        modes = [
            (
                evaluation.mode,
                collect_metric_rows(evaluation, run.profile),
                evaluation.scores.n,
                sum(evaluation.skipped.values()),
            )
            for evaluation in run.evaluations
        ]
        return cls(model.name, model.description, run.selection.groups, tuple(modes), note)


def _evaluate(dataset: Dataset) -> dict[str, _EvaluatedModel]:
    """All models by name. Texts are read and mapped once for all of them, and what models share is
    read once; only what models to come share as well is kept."""
    from engine.keywords.run import SharedTexts

    same: dict[Hashable, list[str]] = {}
    for spec in dataset.models.values():
        same.setdefault(spec.searched, []).append(spec.name)
    done: dict[str, _EvaluatedModel] = {}
    texts = SharedTexts()
    with open_workbench(dataset) as bench, make_progress_bars() as report:
        for names in same.values():
            for name in names:
                done[name] = _evaluate_model(name, bench, report, texts)
                report(Step("", "models", len(done), len(dataset.models)))
            for name in names:
                bench.release(name)
    return done


def _evaluate_model(
    name: str, bench: Workbench, report: ProgressHook, texts: SharedTexts
) -> _EvaluatedModel:
    from engine.keywords.run import RunRequest, run_request
    from engine.keywords.searching import WrongEncoderError

    request = RunRequest(model=name, metrics=_SHOWN_METRICS)
    try:
        return _EvaluatedModel.of(run_request(request, bench, report, texts), "")
    except WrongEncoderError as error:
        only_videos = replace(request, modes="video")
        return _EvaluatedModel.of(run_request(only_videos, bench, report), str(error))


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
        own = words.columns([group])
        ranked = nsmallest(
            _SHOWN_KEYWORDS, ((-truth.counts[n], words.keywords[n].name) for n in own)
        )
        shown = ", ".join(f"{name} {-count:,}" for count, name in ranked)
        more = len(own) - _SHOWN_KEYWORDS
        tail = f", and {more} more" if more > 0 else ""
        table.add_row(escape(group), str(len(own)), escape(shown) + tail)
    about = [Text(escape(dataset.description), style="dim")] if dataset.description else []
    return [title, *about, table]


def _results(models: Sequence[_EvaluatedModel]) -> list[RenderableType]:
    from rich.table import Column
    from rich.text import Text

    from tui.cli.shared.metric_table import build_headline, fixed, make_ruled_table, number

    first = models[0]
    groups = ", ".join(first.groups)
    heading = build_headline("Evaluation", f" · {groups} · a hit has ALL query keywords")
    described = [
        Text(escape(f"{model.name}: {model.description}"), style="dim")
        for model in models
        if model.description
    ]
    _, rows, _, _ = first.modes[0]
    table = make_ruled_table(
        *map(fixed, ("model", "queries")),
        *(number(f"{row.label}\n{row.id}\n{row.formula}") for row in rows),
        *(Column(head, justify="right") for head in ("n", "left\nout")),
    )
    for model in models:
        for mode, rows, counted, left_out in model.modes:
            means = (f"{row.mean:.3f}" for row in rows)
            name = escape(model.name)
            table.add_row(name, f"{mode} to video", *means, f"{counted:,}", f"{left_out:,}")
    return [heading, *described, table]


def _next_steps(given: str | None, dataset: Dataset) -> list[RenderableType]:
    from rich.text import Text

    from engine.dataset.examples import find_examples

    place = f" {given}" if given else ""
    option = f" --dataset {given}" if given else ""
    truth = dataset.truth
    example = find_examples(truth, dataset.default_groups or truth.words.groups).text or "TEXT"
    steps = [
        (f"tui-eval{option}", "the inspector, on a terminal"),
        (f"tui-eval run{place} --model NAME", "all metrics of a model"),
        (f'tui-eval search{option} "{example}"', "why each result was returned"),
        (f"tui-eval validate{place}", "check a dataset"),
        ("tui-eval --help", "everything else"),
    ]
    width = max(len(command) for command, _ in steps)
    return [
        Text("Next", style="bold"),
        *(Text(escape(f"  {command:<{width}}  {what}")) for command, what in steps),
    ]
