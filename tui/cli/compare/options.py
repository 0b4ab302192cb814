"""Options of `tui-eval compare`: which statistics, and what to write."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, get_args

import typer

_RUN_FILES = "Run files of other tools"
_STATISTICS = "Statistics (written into every result)"

FilesArgument = Annotated[
    list[Path],
    typer.Argument(
        metavar="A B [C …]",
        help="Saved runs (.json of run --out or score --out) or per-query files (.csv, .jsonl, "
        ".parquet); with --qrels, run files of any tool. The first is the baseline.",
        show_default=False,
    ),
]
NamesOption = Annotated[
    str | None,
    typer.Option(
        "--names",
        help="What to call the systems, separated by commas. Default: their models, or their "
        "files.",
        show_default=False,
    ),
]
MetricsOption = Annotated[
    str | None,
    typer.Option(
        "--metrics",
        help='Metrics by label or id, e.g. "Recall@5,MRR@5". Default: all that the systems share. '
        "Fewer of them leave more power: p is corrected for their number.",
        show_default=False,
    ),
]
MainOption = Annotated[
    str | None,
    typer.Option(
        "--main",
        help="The metric of slices and single queries. Default: the first, at its largest k.",
        show_default=False,
    ),
]
ProfileOption = Annotated[
    str | None,
    typer.Option(
        "--profile",
        help="Names of the metrics: alfa, ir, video, label, tvr or qvh. Default: that of the first "
        "run.",
        show_default=False,
    ),
]
QrelsOption = Annotated[
    Path | None,
    typer.Option(
        "--qrels",
        "-q",
        help="Judgements: the files are then run files (TREC, ranx, JSON lines, CSV).",
        rich_help_panel=_RUN_FILES,
        show_default=False,
    ),
]
KOption = Annotated[str, typer.Option("--k", "-k", help="Cut-offs.", rich_help_panel=_RUN_FILES)]
TiesOption = Annotated[
    Literal["insertion", "docid_desc", "expected"],
    typer.Option("--ties", help="Order of equal scores.", rich_help_panel=_RUN_FILES),
]
AllPairsOption = Annotated[
    bool, typer.Option("--all-pairs", help="Compare each with each, not only with the first.")
]
WorstOption = Annotated[
    int, typer.Option("--worst", min=0, help="How many slices and regressions to show.")
]
TestsOption = Annotated[
    bool, typer.Option("--tests", help="Also show each test's p and the effect sizes.")
]
LevelOption = Annotated[
    float,
    typer.Option("--level", help="Level of the intervals.", rich_help_panel=_STATISTICS),
]
IntervalOption = Annotated[
    Literal["bca", "percentile"],
    typer.Option("--interval", help="Kind of bootstrap interval.", rich_help_panel=_STATISTICS),
]
ResamplesOption = Annotated[
    int,
    typer.Option(
        "--resamples", help="Of the bootstrap and the permutation.", rich_help_panel=_STATISTICS
    ),
]
SeedOption = Annotated[
    int, typer.Option("--seed", help="Of the resampling.", rich_help_panel=_STATISTICS)
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
LeastQueriesOption = Annotated[
    int,
    typer.Option(
        "--least-queries", help="Queries that a slice needs.", rich_help_panel=_STATISTICS
    ),
]
CompareFormat = Literal["table", "json", "csv", "markdown", "latex"]
FORMATS: tuple[CompareFormat, ...] = get_args(CompareFormat)
FormatOption = Annotated[
    CompareFormat | None,
    typer.Option(
        "--format",
        help="Default: table, or what the name of --out says (.json, .csv, .md, .tex).",
        show_default=False,
    ),
]
OutOption = Annotated[
    Path | None,
    typer.Option("--out", "-o", help="Write the result here.", show_default=False),
]
