"""`tui-eval report`: a saved run as one HTML file, or its tables as Markdown or LaTeX."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from engine.base.errors import InputError, Place
from engine.files.protection import OverwritingError
from engine.files.reading import name_kind
from tui.cli.shared import options as o
from tui.cli.shared.console import say, show_spinner
from tui.cli.shared.dataset_options import dataset_option
from tui.cli.shared.groups import argument, option, takes_groups
from tui.cli.shared.output import Output, written
from tui.opening.source import open_source

if TYPE_CHECKING:
    from engine.report.run.clips import RunClips
    from engine.report.run.run_report import RunReport
    from engine.results.saved_run import SavedRun
    from engine.triage.saved_triage import SavedTriage


@dataclass(frozen=True)
class ReportOutput(Output):
    """A report is a page or tables: never JSON, and its format is always said."""

    format: Literal["html", "markdown", "latex"] | None = written(
        "Default: what the name of --out says.", short="-f"
    )
    json: bool = field(init=False, default=False)
    out: Path | None = written(
        "Write here; .html, .md or .tex says the format. Without it, or with -: stdout.", short="-o"
    )

    def _choose_unnamed(self) -> str:
        if self.out is None:
            raise InputError(
                "neither --out nor --format is given",
                hint="write --out report.html, or --format markdown to print tables",
            )
        raise InputError(
            f"cannot tell a format from {name_kind(self.out)}",
            Place(self.out),
            hint="name a file that ends in .html, .md or .tex, or give --format",
        )


@takes_groups
def report(
    *,
    run: Path = argument(
        "RUN", "A run saved with run --out or score --out FILE.json; or a file of --per-query."
    ),
    compare: list[Path] | None = option(
        "A baseline: another saved run. Differences are RUN minus it. May be repeated.",
        short="-c",
        metavar="RUN",
    ),
    output: ReportOutput,
    main: str | None = o.MAIN(),
    worst: int = option(
        "How many queries of each mode to show in full (HTML).", 12, min=0, max=1000
    ),
    triage: Path | None = option(
        "A triage of the same model, written with triage --out FILE.json: its findings become a "
        "chapter, or tables.",
        metavar="FILE",
    ),
    dataset: str | None = dataset_option(
        "Dataset with the clips (HTML). Default: the one that the run names."
    ),
    frames: bool = option("Show frames of the clips (HTML).", True, name="--frames/--no-frames"),
) -> None:
    """Report on a saved run: one HTML file that needs nothing else, or tables for a paper.

    Examples:
    tui-eval run --out run.json
    tui-eval report run.json --out report.html
    tui-eval report new.json --compare old.json --out report.html --worst 20
    tui-eval report new.json --triage triage.json --out report.html
    tui-eval report new.json --compare old.json --out tables.tex
    tui-eval report run.json --format markdown
    """
    from engine.report.run.markdown_and_latex import format_report_latex, format_report_markdown
    from engine.report.run.run_report import find
    from engine.report.triage.beside_run import list_triage_tables
    from engine.results.saved_run import read_saved_run

    shape = output.shape
    files = [run, *(compare or ())]
    output.check()
    with show_spinner("computing the report …"):
        own, *baselines = [read_saved_run(file) for file in files]
        measure = None if main is None else own.results.language.parse(main)
        _protect_dataset(dataset or own.facts.source)
        causes = None if triage is None else _read_fitting(triage, own)
        found = find(own, baselines, measure)
        text = ""
        if shape == "html":
            text = _html(found, causes, dataset, frames, worst)
    tables = () if causes is None else tuple(list_triage_tables(causes))
    output.write(
        {
            "html": lambda: text,
            "markdown": lambda: format_report_markdown(found, tables),
            "latex": lambda: format_report_latex(found, tables),
        }
    )


def _read_fitting(path: Path, run: SavedRun) -> SavedTriage:
    from engine.report.triage.beside_run import check_triage_fits
    from engine.triage.saved_triage import read_triage

    found = read_triage(path)
    check_triage_fits(found, run.facts)
    return found


def _html(
    found: RunReport, causes: SavedTriage | None, dataset: str | None, frames: bool, worst: int
) -> str:
    from engine.report.html import format_report_html
    from engine.report.triage.chapter import build_triage_chapter

    clips = _clips(found, dataset, frames)
    more = () if causes is None else (build_triage_chapter(causes),)
    text = format_report_html(found, clips, worst, more)
    for note in clips.notes if worst else ():
        say(f"note: {note}")
    return text


def _protect_dataset(source: str | None) -> None:
    """Also a report that shows no clip is not written over the files of its dataset."""
    try:
        if source is not None:
            open_source(source)
    except OverwritingError:
        raise
    except (InputError, OSError, ValueError):
        return  # a report that needs it will say so


def _clips(found: RunReport, dataset: str | None, frames: bool) -> RunClips:
    """The clips of the run's dataset; if it cannot be opened, none, and why."""
    from engine.report.run.clips import make_unknown_clips, open_run_clips

    source = dataset or found.run.facts.source
    if source is None:
        return make_unknown_clips("the run does not name its dataset; --dataset FOLDER does")
    try:
        opened = open_source(source)
    except OverwritingError:
        raise
    except InputError as error:
        say(f"note: {error}")
        return make_unknown_clips(f"the dataset cannot be opened ({error.message})")
    except (OSError, ValueError):  # no path at all: a run's file may hold anything
        return make_unknown_clips("the dataset cannot be opened")
    return open_run_clips(opened, found.run.facts, asked=dataset is not None, frames=frames)
