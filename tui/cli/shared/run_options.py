"""Options of `tui-eval run`: which queries, which policies, what to write."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from tui.cli.shared.console import Format

_QUERIES = "Which queries"
_POLICIES = "Edge policies (written into every result)"

ModeOption = Annotated[
    Literal["text", "video", "both"], typer.Option("--mode", help="Text or video queries.")
]
FormatOption = Annotated[
    Format | None,
    typer.Option(
        "--format", help="Default: table, or what the name of --out says.", show_default=False
    ),
]
OutOption = Annotated[
    Path | None,
    typer.Option("--out", "-o", help="Write the result here.", show_default=False),
]
PerQueryOption = Annotated[
    Path | None,
    typer.Option(
        "--per-query",
        help="Also write one row per query: .csv, .jsonl or .parquet.",
        show_default=False,
    ),
]
ExportTrecOption = Annotated[
    Path | None,
    typer.Option(
        "--export-trec",
        metavar="DIR",
        help="Also write TREC run and qrels files here, as deep as the largest K, so that any "
        "other tool can check the numbers.",
        show_default=False,
    ),
]
QueriesOption = Annotated[
    str | None,
    typer.Option(
        "--queries",
        help="Text queries: CSV (query,keywords), JSON lines (q, kw) or plain lines; or "
        "'combinations': one query per observed combination of keywords, one of each chosen "
        "group. Default: the dataset's file, else combinations.",
        rich_help_panel=_QUERIES,
        show_default=False,
    ),
]
VideosOption = Annotated[
    str | None,
    typer.Option(
        "--videos",
        help="Clip ids to query with, or a file with one per line. Default: all clips.",
        rich_help_panel=_QUERIES,
        show_default=False,
    ),
]
SampleOption = Annotated[
    int | None,
    typer.Option(
        "--sample",
        help="Query with this many clips drawn at random.",
        rich_help_panel=_QUERIES,
        show_default=False,
    ),
]
SeedOption = Annotated[
    int, typer.Option("--seed", help="Seed of --sample.", rich_help_panel=_QUERIES)
]
LimitOption = Annotated[
    int | None,
    typer.Option(
        "--limit",
        help="Evaluate the first N queries of each mode only.",
        rich_help_panel=_QUERIES,
        show_default=False,
    ),
]
TiesOption = Annotated[
    Literal["insertion", "docid_desc", "expected"],
    typer.Option("--ties", help="Order of equal scores.", rich_help_panel=_POLICIES),
]
NoRelevantOption = Annotated[
    Literal["skip", "zero", "error"],
    typer.Option("--no-relevant", help="A query without relevant clip.", rich_help_panel=_POLICIES),
]
NoKeywordOption = Annotated[
    Literal["skip", "error"],
    typer.Option("--no-keyword", help="A query without keyword.", rich_help_panel=_POLICIES),
]
FewerThanKOption = Annotated[
    Literal["fixed", "adaptive"],
    typer.Option(
        "--fewer-than-k",
        help="Denominator with fewer than k results: k, or what was returned.",
        rich_help_panel=_POLICIES,
    ),
]
SelfClipOption = Annotated[
    Literal["remove", "keep"],
    typer.Option(
        "--self-clip", help="The query clip among its results.", rich_help_panel=_POLICIES
    ),
]
DepthOption = Annotated[
    int | None,
    typer.Option(
        "--depth",
        help="Rank this deep for metrics over the full ranking. Default: all of it up to "
        "20,000 clips, else 1,000.",
        rich_help_panel=_POLICIES,
        show_default=False,
    ),
]
