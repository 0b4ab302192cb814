"""`tui-eval report`: a saved run as one HTML file, or its tables as Markdown or LaTeX."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from engine.base.errors import InputError, Place
from tui.cli.shared.console import check_writable, emit, say, telling_what_takes_long

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.dataset.dataset import Dataset
    from engine.report.run.clips import Clips
    from engine.report.run.findings import Findings

ReportFormat = Literal["html", "markdown", "latex"]

_SUFFIXES: dict[str, ReportFormat] = {
    ".html": "html",
    ".htm": "html",
    ".md": "markdown",
    ".markdown": "markdown",
    ".tex": "latex",
}

RunArgument = Annotated[
    Path,
    typer.Argument(
        metavar="RUN",
        help="A run saved with run --out or score --out FILE.json; or a file of --per-query.",
        show_default=False,
    ),
]
CompareOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--compare",
        "-c",
        metavar="RUN",
        help="A baseline: another saved run. Differences are RUN minus it. May be repeated.",
        show_default=False,
    ),
]
OutOption = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        help="Write here; .html, .md or .tex says the format. Without it: stdout.",
        show_default=False,
    ),
]
FormatOption = Annotated[
    ReportFormat | None,
    typer.Option("--format", help="Default: what the name of --out says.", show_default=False),
]
MainOption = Annotated[
    str | None,
    typer.Option(
        "--main",
        help="Metric, by label or id, that slices and single queries go by. Default: the first "
        "of the run at its largest k.",
        show_default=False,
    ),
]
WorstOption = Annotated[
    int,
    typer.Option("--worst", min=0, max=1000, help="Queries of each mode to show in full (HTML)."),
]
DatasetOption = Annotated[
    str | None,
    typer.Option(
        "--dataset",
        "-d",
        help="Folder of the clips (HTML). Default: where the run says it found them.",
        show_default=False,
    ),
]
FramesOption = Annotated[
    bool, typer.Option("--frames/--no-frames", help="Frames of the clips (HTML).")
]


def report(
    run: RunArgument,
    compare: CompareOption = None,
    out: OutOption = None,
    format: FormatOption = None,
    main: MainOption = None,
    worst: WorstOption = 12,
    dataset: DatasetOption = None,
    frames: FramesOption = True,
) -> None:
    """Report on a saved run: one HTML file that needs nothing else, or tables for a paper.

    [bold]Examples[/bold]

    tui-eval run --out run.json

    tui-eval report run.json --out report.html

    tui-eval report new.json --compare old.json --out report.html --worst 20

    tui-eval report new.json --compare old.json --out tables.tex

    tui-eval report run.json --format markdown
    """
    from engine.report.run.texts import report_latex, report_markdown

    shape = _format(format, out)
    files = [run, *(compare or ())]
    check_writable(out, *files)
    with telling_what_takes_long("computing the report …"):
        found = _find(files, main)
        if shape == "markdown":
            text = report_markdown(found)
        elif shape == "latex":
            text = report_latex(found)
        else:
            text = _html(found, dataset, out, frames, worst)
    emit(text, out)


def _format(asked: ReportFormat | None, out: Path | None) -> ReportFormat:
    if asked is not None:
        return asked
    if out is None:
        raise InputError(
            "neither --out nor --format is given",
            hint="write --out report.html, or --format markdown to print tables",
        )
    found = _SUFFIXES.get(out.suffix.lower())
    if found is None:
        raise InputError(
            f"cannot tell a format from {out.suffix or 'a file without an extension'}",
            Place(out),
            hint="name a file that ends in .html, .md or .tex, or give --format",
        )
    return found


def _find(files: Sequence[Path], main: str | None) -> Findings:
    from engine.report.run.findings import find
    from engine.results.saved_run import read_saved_run

    own, *baselines = [read_saved_run(file) for file in files]
    measure = None if main is None else own.results.language.parse(main)
    return find(own, baselines, measure)


def _html(found: Findings, dataset: str | None, out: Path | None, frames: bool, worst: int) -> str:
    from engine.report.html import report_html

    clips = _clips(found, dataset, frames)
    if clips.dataset is not None:
        check_writable(out, *clips.dataset.files)
    text = report_html(found, clips, worst)
    for note in clips.notes if worst else ():
        say(f"note: {note}")
    return text


def _clips(found: Findings, dataset: str | None, frames: bool) -> Clips:
    """The clips of the run's dataset; if it cannot be opened, none, and why."""
    from engine.report.run.clips import clips_of, no_clips

    source = dataset or found.run.facts.source
    if source is None:
        return no_clips("the run does not name its dataset; --dataset FOLDER does")
    try:
        opened = _open(source)
    except InputError as error:
        say(f"note: {error}")
        return no_clips(f"the dataset cannot be opened ({error.message})")
    except (OSError, ValueError):  # no path at all: a run's file may hold anything
        return no_clips("the dataset cannot be opened")
    return clips_of(opened, found.run.facts, asked=dataset is not None, frames=frames)


def _open(source: str) -> Dataset:
    from tui.opening.opening import open_source

    return open_source(source)
