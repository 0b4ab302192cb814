"""`tui-eval moments`: official numbers of moment retrieval, and why queries fail."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from engine.base.errors import InputError
from engine.base.json_text import as_json
from tui.cli.completion.values import complete_typed_commands
from tui.cli.moments import options as m
from tui.cli.moments.validate import validate_submission
from tui.cli.shared.console import show_spinner
from tui.cli.shared.groups import DefaultCommand, argument, make_app, option, takes_groups
from tui.cli.shared.look_options import INSPECT, PlainLookOptions
from tui.cli.shared.output import Verbatim

if TYPE_CHECKING:
    from engine.moments.moments_source import MomentsRequest
    from engine.moments.tasks import HitRule

app = make_app(cls=DefaultCommand, invoke_without_command=True)
app.command("validate")(validate_submission)

_WHOLE = 130
"""Columns in which every table of the summary is whole."""


@app.callback()
@takes_groups
def moments(
    *,
    predictions: Path | None = argument(
        "PREDICTIONS",
        "A TVR submission (.json) or predictions for QVHighlights (.jsonl). Without it and "
        "--gt: the sample.",
        None,
        autocompletion=complete_typed_commands,
    ),
    gt: Path | None = option("The ground truth, JSON lines."),
    benchmark: m.BenchmarkChoice = m.BENCHMARK("auto"),
    scored: m.ScoredOptions,
    why: m.WhyOptions,
    output: m.MomentsOutput,
    inspect: bool = INSPECT(False),
    looks: PlainLookOptions,
) -> None:
    """Score moment retrieval as TVR and QVHighlights do, and say why queries fail.

    Examples:
    tui-eval moments
    tui-eval moments submission.json --gt tvr_val_release.jsonl
    tui-eval moments submission.json --gt val.jsonl --out official.json
    tui-eval moments submission.json --gt val.jsonl --at 0.7-r10 --per-query q.csv
    tui-eval moments submission.json --gt val.jsonl --nms 0.5
    tui-eval moments submission.json --gt val.jsonl --show 90200 --predictions 50
    tui-eval moments submission.json --gt val.jsonl --tasks SVMR --inspect
    tui-eval moments predictions.jsonl --gt highlight_val_release.jsonl
    tui-eval moments validate submission.zip --gt tvr_val_release.jsonl
    """
    request = scored.request(predictions, gt, benchmark)
    at = why.rule(request.most)
    if inspect:
        raise typer.Exit(_inspect(request, at, why.near, looks))
    if why.show:
        from tui.cli.moments.show import show_moments

        output.check_showing()
        show_moments(request, why, output, looks.ascii)
        return
    if why.listed is not None:
        raise InputError(
            "--predictions was given without --show", hint="name a query with --show ID"
        )
    output.check()
    _score(request, why, output, looks.ascii)


def _inspect(
    request: MomentsRequest, at: HitRule | None, near: float | None, looks: PlainLookOptions
) -> int:
    """Show on the moment screen what would be printed."""
    from engine.moments.early_checks import refuse_early
    from engine.moments.moments_source import choose_hit_rule
    from engine.moments.tasks import TASKS
    from tui.cli.shared.start import run_moments
    from tui.opening.moments_start import MomentsStart

    first = next((name for name in TASKS if name in request.tasks[:1]), None)
    timed = at is not None and at.iou is not None
    m.check_near(near, at if at is not None and timed else choose_hit_rule(request))
    refuse_early(request, first)
    return run_moments(MomentsStart(request, first, at, near, **looks.for_app()))


def _score(
    request: MomentsRequest, why: m.WhyOptions, output: m.MomentsOutput, ascii: bool
) -> None:
    from engine.moments.failures.task_analysis import analyse_tasks
    from engine.moments.open_files import open_moments
    from engine.report.moments.document import build_moments_document, collect_moment_notes
    from engine.report.moments.numbers import collect_official_numbers, format_numbers_csv
    from engine.report.moments.per_query import write_moments_per_query
    from engine.report.moments.tables import format_moments_markdown
    from tui.cli.moments.view import build_moments_view

    numbers_alone = {output.shape, output.printed or "json"} <= {"json", "csv"}
    with show_spinner("reading predictions …"):
        source = open_moments(request)
        at, near = why.values_for(source)
        explained = not numbers_alone or output.per_query is not None
        found = analyse_tasks(source, at, near) if explained else ()
        official = source.official()
        is_thinned = request.nms is not None and {output.shape, output.printed} - {"json", ""}
        whole = source.whole.official() if is_thinned else None
    collect = partial(collect_official_numbers, benchmark=source.benchmark, truth=source.truth)
    failures = [one.failures for one in found]
    output.write_per_query(
        lambda path: write_moments_per_query(
            failures, source.benchmark, request.ious, request.ks, path
        )
    )
    output.write(
        {
            "summary": lambda: build_moments_view(source, official, found, ascii, whole),
            # To the letter as the official scripts write it; they spell what is undefined NaN, and
            # end their files without a line feed.
            "json": lambda: Verbatim(json.dumps(official, indent=4)),
            "csv": lambda: format_numbers_csv(
                collect(official), None if whole is None else collect(whole)
            ),
            "markdown": lambda: format_moments_markdown(source, official, found, whole),
            "document": lambda: as_json(build_moments_document(source, official, found, whole)),
        },
        notes=collect_moment_notes(source),
        bare=("json", "csv"),
        width=_WHOLE,
        ascii=ascii,
    )
