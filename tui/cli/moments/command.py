"""`tui-eval moments`: official numbers of moment retrieval, and why queries fail."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.base.errors import InputError
from engine.base.json_text import as_json
from tui.cli.moments import options as m
from tui.cli.moments.validate import validate_submission
from tui.cli.shared.console import say, telling_what_takes_long
from tui.cli.shared.groups import DefaultCommand, given_options, named, option, takes_groups
from tui.cli.shared.look_options import INSPECT, PlainLookOptions, check_looking
from tui.cli.shared.output import Verbatim, write_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.moments.failures.task_analysis import TaskAnalysis
    from engine.moments.moments_source import MomentsRequest, MomentsSource
    from engine.moments.tasks import HitRule

app = typer.Typer(
    cls=DefaultCommand,
    invoke_without_command=True,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command("validate")(validate_submission)

_WHOLE = 130
"""Columns in which every table of the summary is whole."""


@app.callback()
@takes_groups
def moments(
    *,
    predictions: Annotated[
        Path | None,
        typer.Argument(
            metavar="PREDICTIONS",
            help="A TVR submission (.json) or predictions of QVHighlights (.jsonl). The sample if "
            "left out together with --gt.",
        ),
    ] = None,
    gt: Path | None = option("The ground truth, JSON lines."),
    benchmark: m.BenchmarkChoice = m.BENCHMARK("auto"),
    scored: m.ScoredOptions,
    why: m.WhyOptions,
    output: m.MomentsOutput,
    inspect: bool = INSPECT(False),
    looks: PlainLookOptions,
) -> None:
    """Score moment retrieval as TVR and QVHighlights do, and say why queries fail.

    [bold]Examples[/bold]

    tui-eval moments

    tui-eval moments submission.json --gt tvr_val_release.jsonl

    tui-eval moments submission.json --gt tvr_val_release.jsonl --out official.json

    tui-eval moments submission.json --gt tvr_val_release.jsonl --at 0.7-r10 --per-query why.csv

    tui-eval moments submission.json --gt tvr_val_release.jsonl --show 90200 --predictions 50

    tui-eval moments submission.json --gt tvr_val_release.jsonl --tasks SVMR --at 0.7-r5 --inspect

    tui-eval moments predictions.jsonl --gt highlight_val_release.jsonl

    tui-eval moments validate submission.zip --gt tvr_val_release.jsonl
    """
    alone = {"--show": why.show, "--predictions": why.listed}
    check_looking(inspect, looks, [*given_options(output), *named(alone)])
    request = scored.request(predictions, gt, benchmark)
    at = m.parse_at(why.at, request.most)
    if inspect:
        raise typer.Exit(_inspect(request, at, why.near, looks))
    explained = m.FailureOptions(at, why.near)
    if why.show:
        from tui.cli.moments.show import show_moments

        _refuse_scores(output)
        show_moments(request, explained, why.show, why.listed, output, looks.ascii)
        return
    if why.listed is not None:
        raise InputError(
            "--predictions was given without --show", hint="name a query with --show ID"
        )
    inputs = request.predictions, request.truth
    output.check(inputs, output.document, per_query=output.per_query)
    _score(request, explained, output, looks.ascii)


def _inspect(
    request: MomentsRequest, at: HitRule | None, near: float | None, looks: PlainLookOptions
) -> int:
    """Show on the moment screen what would be printed."""
    from engine.moments.early_checks import refuse_early
    from engine.moments.moments_source import choose_hit_rule
    from engine.moments.tasks import TASKS
    from tui.cli.shared.start import run_moments
    from tui.opening.starts import MomentsStart

    first = next((name for name in TASKS if name in request.tasks[:1]), None)
    timed = at is not None and at.iou is not None
    m.check_near(near, at if at is not None and timed else choose_hit_rule(request))
    refuse_early(request, first)
    return run_moments(MomentsStart(request, first, at, near, **looks.for_app()))


def _refuse_scores(output: m.MomentsOutput) -> None:
    beside = ("--per-query", "--document")
    for name in given_options(output):
        if name in beside:
            raise InputError(
                f"--show and {name} were given", hint="ask for the scores without --show"
            )


def _score(
    request: MomentsRequest, explained: m.FailureOptions, output: m.MomentsOutput, ascii: bool
) -> None:
    from engine.moments.failures.task_analysis import analyse_tasks
    from engine.moments.open_files import open_moments
    from engine.report.moments.document import note_moments
    from engine.report.moments.numbers import collect_official_numbers, format_numbers_csv
    from engine.report.moments.tables import format_moments_markdown
    from tui.cli.moments.view import summary_view

    numbers_alone = output.shape == "json" and output.out is None
    with telling_what_takes_long("reading predictions …"):
        source = open_moments(request)
        at, near = explained.values_for(source)
        why = not numbers_alone or output.per_query is not None or output.document is not None
        found = analyse_tasks(source, at, near) if why else ()
        official = source.official()
    if output.per_query is not None:
        _write_per_query(source, found, output.per_query)
    if output.document is not None:
        _write_document(source, official, found, output.document)
    output.write(
        {
            "summary": lambda: summary_view(source, official, found, ascii),
            "json": lambda: _official_text(official),
            "csv": lambda: format_numbers_csv(
                collect_official_numbers(official, source.benchmark, source.truth)
            ),
            "markdown": lambda: format_moments_markdown(source, official, found),
        },
        echoed=True,
        width=_WHOLE,
    )
    if numbers_alone:
        for note in note_moments(source):
            say(f"note: {note}")


def _official_text(official: dict[str, Any]) -> str:
    """To the letter as the official scripts write it; they spell what is undefined NaN, and end
    their files without a line feed."""
    import json

    return Verbatim(json.dumps(official, indent=4))


def _write_per_query(source: MomentsSource, found: Sequence[TaskAnalysis], path: Path) -> None:
    from engine.report.moments.per_query import write_moments_per_query

    failures = [one.failures for one in found]
    request = source.request
    write_moments_per_query(failures, source.benchmark, request.ious, request.ks, path)
    say(f"wrote {path}")


def _write_document(
    source: MomentsSource,
    official: dict[str, Any],
    found: Sequence[TaskAnalysis],
    path: Path,
) -> None:
    from engine.report.moments.document import build_moments_document

    made = build_moments_document(source, official, found)
    write_file(as_json(made), path)
