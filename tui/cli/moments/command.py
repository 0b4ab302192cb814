"""`tui-eval moments`: official numbers of moment retrieval, and why queries fail."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import typer

from engine.base.errors import InputError
from engine.base.json_text import as_json
from tui.cli.moments import options as m
from tui.cli.moments.validate import validate_submission
from tui.cli.shared.console import (
    as_text,
    check_writable,
    emit,
    say,
    telling_what_takes_long,
    write_out,
)
from tui.cli.shared.console import (
    show as print_parts,
)
from tui.cli.shared.default_command import DefaultCommand
from tui.cli.shared.options import AsciiOption, split_list
from tui.opening.arguments import parse_ks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.moments.failures.task_findings import TaskFindings
    from engine.moments.source import MomentsRequest, MomentsSource

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
def moments(
    predictions: m.PredictionsArgument = None,
    gt: m.GtOption = None,
    format: m.MomentsFormatOption = "auto",
    tasks: m.TasksOption = None,
    iou: m.IouOption = "0.5,0.7",
    k: m.MomentsKOption = "1,5,10,100",
    nms: m.NmsOption = None,
    max_predictions: m.MostOption = 100,
    no_types: m.NoTypesOption = False,
    at: m.AtOption = None,
    near: m.NearOption = None,
    show: m.ShowMomentsOption = None,
    listed: m.ListedOption = None,
    json: m.MomentsJsonOption = False,
    out: m.MomentsOutOption = None,
    per_query: m.MomentsPerQueryOption = None,
    document: m.DocumentOption = None,
    ascii: AsciiOption = False,
) -> None:
    """Score moment retrieval as TVR and QVHighlights do, and say why queries fail.

    [bold]Examples[/bold]

    tui-eval moments

    tui-eval moments submission.json --gt tvr_val_release.jsonl

    tui-eval moments submission.json --gt tvr_val_release.jsonl --json --out official.json

    tui-eval moments submission.json --gt tvr_val_release.jsonl --at 0.7-r10 --per-query why.csv

    tui-eval moments submission.json --gt tvr_val_release.jsonl --show 90200 --predictions 50

    tui-eval moments predictions.jsonl --gt highlight_val_release.jsonl

    tui-eval moments validate submission.zip --gt tvr_val_release.jsonl
    """
    from engine.moments.source import MomentsRequest

    ious, ks = m.parse_ious(iou), parse_ks(k)
    m.check_numbers(ks, max_predictions, nms)
    explained = m.Explained(m.parse_counted_at(at, max_predictions), near)
    found_file, truth_file = _files(predictions, gt)
    request = MomentsRequest(
        predictions=found_file,
        truth=truth_file,
        format=format,
        tasks=m.parse_tasks(split_list(tasks), format),
        ious=ious,
        ks=ks,
        nms=nms,
        most=max_predictions,
        types=not no_types,
    )
    if show:
        from tui.cli.moments.show import show_moments

        _refuse_scores(per_query, document)
        show_moments(request, explained, show, listed, json, out, ascii)
        return
    if listed is not None:
        raise InputError(
            "--predictions was given without --show", hint="name a query with --show ID"
        )
    _check_outputs(request, out, document, per_query)
    _score(request, explained, json, out, per_query, document, ascii)


def _files(predictions: Path | None, gt: Path | None) -> tuple[Path, Path]:
    """Both files, or both of the sample."""
    if predictions is not None and gt is not None:
        return predictions, gt
    if predictions is not None:
        raise InputError("--gt is missing", hint="name the ground truth with --gt FILE")
    if gt is not None:
        raise InputError(
            "PREDICTIONS is missing", hint="name the predictions: tui-eval moments FILE --gt FILE"
        )
    from sample_data import folder

    sample = folder() / "moments"
    return sample / "submission.json", sample / "ground_truth.jsonl"


def _refuse_scores(per_query: Path | None, document: Path | None) -> None:
    for option, path in (("--per-query", per_query), ("--document", document)):
        if path is not None:
            raise InputError(
                f"--show and {option} were given", hint="ask for the scores without --show"
            )


def _check_outputs(request: MomentsRequest, *outputs: Path | None) -> None:
    """Refuse, before any work, to write where it cannot be written or something else lies."""
    for place, path in enumerate(outputs):
        check_writable(path, request.predictions, request.truth, *outputs[:place])
    if outputs[-1] is not None:
        from engine.report.per_query.write import check_per_query_path

        check_per_query_path(outputs[-1])


def _score(
    request: MomentsRequest,
    explained: m.Explained,
    json: bool,
    out: Path | None,
    per_query: Path | None,
    document: Path | None,
    ascii: bool,
) -> None:
    from engine.moments.failures.task_findings import find_out
    from engine.moments.opening import open_moments
    from engine.report.moments.document import moments_notes

    shape = None if out is None else _shape(out)
    with telling_what_takes_long("reading predictions …"):
        source = open_moments(request)
        at, near = explained.values_for(source)
        explains = shape in ("summary", "markdown")
        why = not json or explains or per_query is not None or document is not None
        found = find_out(source, at, near) if why else ()
        official = source.official()
    if per_query is not None:
        _write_per_query(source, found, per_query)
    if document is not None:
        _write_document(source, official, found, document)
    if out is not None and shape is not None:
        _write(source, official, found, shape, out, ascii)
    if json:
        write_out(_official_text(official))
        for note in moments_notes(source):
            say(f"note: {note}")
    else:
        from tui.cli.moments.view import summary_view

        print_parts(*summary_view(source, official, found, ascii))


Shape: TypeAlias = Literal["json", "csv", "summary", "markdown"]


def _shape(out: Path) -> Shape:
    """What is written, by the name of the file; the official JSON under any other name.

    >>> _shape(Path("scores")), _shape(Path("scores.MD"))
    ('json', 'markdown')
    """
    shapes: dict[str, Shape] = {".csv": "csv", ".txt": "summary", ".md": "markdown"}
    return shapes.get(out.suffix.lower(), "json")


def _official_text(official: dict[str, Any]) -> str:
    """To the letter as the official scripts write it; they spell what is undefined NaN."""
    import json

    return json.dumps(official, indent=4)


def _write(
    source: MomentsSource,
    official: dict[str, Any],
    found: Sequence[TaskFindings],
    shape: Shape,
    out: Path,
    ascii: bool,
) -> None:
    if shape == "json":
        from engine.files.atomic import write_whole

        write_whole(_official_text(official), out)  # no line feed ends the official file
        say(f"wrote {out}")
    elif shape == "csv":
        from engine.report.moments.numbers import numbers_csv, official_numbers

        emit(numbers_csv(official_numbers(official, source.format, source.truth)), out)
    elif shape == "markdown":
        from engine.report.moments.tables import moments_markdown

        emit(moments_markdown(source, official, found), out)
    else:
        from tui.cli.moments.view import summary_view

        view = summary_view(source, official, found, ascii)
        emit(as_text(*view, least=_WHOLE), out)  # a file is not bound to a terminal


def _write_per_query(source: MomentsSource, found: Sequence[TaskFindings], path: Path) -> None:
    from engine.report.moments.per_query import write_moments_per_query

    failures = [one.failures for one in found]
    request = source.request
    write_moments_per_query(failures, source.format, request.ious, request.ks, path)
    say(f"wrote {path}")


def _write_document(
    source: MomentsSource,
    official: dict[str, Any],
    found: Sequence[TaskFindings],
    path: Path,
) -> None:
    from engine.report.moments.document import moments_document

    made = moments_document(source, official, found)
    emit(as_json(made), path)
