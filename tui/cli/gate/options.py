"""Options of `tui-eval gate`: what is held against what, how it is decided, what is written."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, get_args

import typer

_STATISTICS = "Statistics (written into every result)"
_OUTPUT = "Output"

GateFormat = Literal["table", "json", "markdown"]
FORMATS: tuple[GateFormat, ...] = get_args(GateFormat)

RunArgument = Annotated[
    Path,
    typer.Argument(
        metavar="RUN",
        help="The new run: .json of run or score --out, or .csv, .jsonl, .parquet of --per-query.",
        show_default=False,
    ),
]
BaselineOption = Annotated[
    Path | None,
    typer.Option(
        "--baseline",
        "-b",
        metavar="RUN0",
        help="The run that it must not be worse than, over the same queries.",
        show_default=False,
    ),
]
FailUnderOption = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-under",
        metavar="METRIC=NUMBER",
        help="The mean (MedR: the median) must not be below; may be repeated. "
        "text:Recall@5=0.6 holds for text queries only. For ranks: must not be above.",
        show_default=False,
    ),
]
MetricsOption = Annotated[
    str | None,
    typer.Option(
        "--metrics",
        help='What is compared with the baseline, e.g. "Recall@5,MRR@5". Default: the first metric '
        "of the runs at its largest cut-off. Each further one costs power.",
        show_default=False,
    ),
]
ProfileOption = Annotated[
    str | None,
    typer.Option(
        "--profile",
        help="Names of the metrics: alfa, ir, video, label, tvr or qvh. Default: that of the run.",
        show_default=False,
    ),
]
AllowMissingOption = Annotated[
    bool,
    typer.Option(
        "--allow-missing",
        help="Compare what both runs have, though the run lacks queries or values of the baseline. "
        "Without it that is bad input.",
    ),
]
EpsilonOption = Annotated[
    float,
    typer.Option(
        "--epsilon",
        help="A drop of so much is put up with, in units of the metric.",
        rich_help_panel=_STATISTICS,
    ),
]
DetectOption = Annotated[
    float,
    typer.Option(
        "--detect",
        help="A drop of so much beyond epsilon must be one that the test would have seen; if not, "
        "exit code 3.",
        rich_help_panel=_STATISTICS,
    ),
]
LevelOption = Annotated[
    float,
    typer.Option(
        "--level",
        help="Of the intervals; a false alarm has a chance of about (1 - level) / 2.",
        rich_help_panel=_STATISTICS,
    ),
]
LeastQueriesOption = Annotated[
    int,
    typer.Option(
        "--least-queries",
        help="Slices (keywords, groups) with fewer queries are not looked at, nor are those with "
        "too few to fail among so many checks.",
        rich_help_panel=_STATISTICS,
    ),
]
ClustersOption = Annotated[
    str,
    typer.Option(
        "--clusters",
        help="Queries that are not independent: none, keywords (those with the same keywords), "
        "video (clips of one video), or a CSV file with the columns query,cluster.",
        rich_help_panel=_STATISTICS,
    ),
]
ResamplesOption = Annotated[
    int,
    typer.Option(
        "--resamples",
        help="Of the bootstrap, and sign flips of the tests.",
        rich_help_panel=_STATISTICS,
    ),
]
SeedOption = Annotated[
    int, typer.Option("--seed", help="Of the bootstrap and the tests.", rich_help_panel=_STATISTICS)
]
FormatOption = Annotated[
    GateFormat | None,
    typer.Option(
        "--format",
        help="Default: table, or what the name of --out says (.json, .md).",
        rich_help_panel=_OUTPUT,
        show_default=False,
    ),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Short for --format json.", rich_help_panel=_OUTPUT)
]
OutOption = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", help="Write the result here.", rich_help_panel=_OUTPUT, show_default=False
    ),
]
JunitOption = Annotated[
    Path | None,
    typer.Option(
        "--junit",
        metavar="FILE",
        help="Also write JUnit XML: a test case per check.",
        rich_help_panel=_OUTPUT,
        show_default=False,
    ),
]
GithubOption = Annotated[
    bool,
    typer.Option(
        "--github",
        help="Also print annotations of GitHub Actions, and add a table to the job's summary.",
        rich_help_panel=_OUTPUT,
    ),
]
AllOption = Annotated[
    bool,
    typer.Option(
        "--all", help="Also list slices that pass, and all worst queries.", rich_help_panel=_OUTPUT
    ),
]
