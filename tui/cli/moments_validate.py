"""`tui-eval moments validate`: what a server would refuse, ignore or misread, before you submit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tui.cli.console import as_json, show, telling_what_takes_long, write_out
from tui.safe import safe
from tui.words import counted

if TYPE_CHECKING:
    from rich.table import Table

    from engine.moments.check.finding import Finding
    from engine.moments.check.submission import Checked

PLACES = 10
"""Shown of each kind of error and warning, unless another number is asked for."""

_GLYPHS = {
    "error": ("✗ error", "red"),
    "warning": ("! warning", "yellow"),
    "info": ("· info", "dim"),
}


def validate_submission(
    submission: Annotated[
        Path,
        typer.Argument(
            metavar="SUBMISSION",
            help="A submission: the zip, or one file of it (.json of TVR, .jsonl of QVHighlights; "
            "also .gz).",
            show_default=False,
        ),
    ],
    zip: Annotated[
        bool,
        typer.Option("--zip", help="The submission must be a zip. One is recognised without."),
    ] = False,
    gt: Annotated[
        Path | None,
        typer.Option(
            "--gt",
            help="Ground truth of the validation queries, JSON lines: their ids, right videos and "
            "durations.",
            show_default=False,
        ),
    ] = None,
    gt_test: Annotated[
        Path | None,
        typer.Option(
            "--gt-test",
            help="The queries of the test file, JSON lines; ids are enough.",
            show_default=False,
        ),
    ] = None,
    videos: Annotated[
        Path | None,
        typer.Option(
            "--videos",
            help="List of all videos with duration and index, as tvr_video2dur_idx.json (TVR).",
            show_default=False,
        ),
    ] = None,
    format: Annotated[
        Literal["tvr", "qvh", "auto"],
        typer.Option("--format", help="Benchmark: TVR, QVHighlights, or what the file looks like."),
    ] = "auto",
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit",
            min=0,
            help="Places to show of each kind of finding; 0: all. Default: 10, of infos 1.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Check a submission before you send it: structure, ids, videos, times, names in the zip.

    Errors: the server or the official script would refuse it, or it cannot be meant.
    Warnings: it changes numbers, or is ignored.
    Entries, lines and predictions are counted from 1. Exit code 2 if there is an error, else 0.

    [bold]Examples[/bold]

    tui-eval moments validate tvr_val_submission.json --gt tvr_val_release.jsonl

    tui-eval moments validate submission.zip --zip --gt val.jsonl --gt-test test_public.jsonl

    tui-eval moments validate submission.zip --videos tvr_video2dur_idx.json --limit 0 --json
    """
    from engine.moments.check.report import as_document
    from engine.moments.check.submission import CheckRequest, check_submission

    kept = PLACES if limit is None else limit
    request = CheckRequest(submission, zip, gt, gt_test, videos, format, kept)
    with telling_what_takes_long("checking …"):
        checked = check_submission(request)
    if json:
        write_out(as_json(as_document(checked)))
    else:
        _show(checked, all_infos=limit is not None)
    if not checked.valid:
        raise typer.Exit(2)


def _show(checked: Checked, all_infos: bool) -> None:
    from rich.text import Text

    parts: list[Text | Table] = []
    files = dict.fromkeys(finding.file for finding in checked.findings)
    for file in files:
        if file:
            parts.append(Text(safe(file), style="bold"))
        own = [finding for finding in checked.findings if finding.file == file]
        parts.append(_table(own, all_infos))
    show(*parts, Text(_verdict(checked), style="bold"))


def _table(findings: list[Finding], all_infos: bool) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    for finding in findings:
        glyph, style = _GLYPHS[finding.level]
        message = Text(safe(finding.message))
        # What is fine needs no list of places, unless one was asked for.
        shown = finding.examples[:1] if finding.level == "info" and not all_infos else None
        for example in finding.examples if shown is None else shown:
            where = example.where
            if finding.file and where.file == finding.file:  # the heading says it
                example = replace(example, where=replace(where, file=""))
            message.append(f"\n{safe(str(example))}", style="dim")
        more = finding.more if shown is None else finding.more + len(finding.examples[1:])
        if more:
            message.append(f"\nand {more:,} more", style="dim")
        table.add_row(Text(glyph, style=style), Text(safe(finding.part)), message)
    return table


def _verdict(checked: Checked) -> str:
    """The last line; it counts what was found, not only what is shown."""
    numbers = ", ".join(counted(checked.count(level), level) for level in ("error", "warning"))
    return f"{'valid' if checked.valid else 'not valid'}: {numbers}"
