"""`tui-eval compare`: two or more systems over the same queries, with honest statistics."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from engine.base.errors import InputError
from engine.base.json_text import as_json
from tui.cli.compare import options as c
from tui.cli.compare.table import comparison_table
from tui.cli.shared import options as o
from tui.cli.shared.console import as_text, check_writable, choose_format, emit, page_width, show
from tui.cli.shared.systems import Judged, clusters_file, open_systems, parse_clusters
from tui.opening.arguments import parse_ks

if TYPE_CHECKING:
    from engine.compare import Comparison


def compare(
    files: c.FilesArgument,
    names: c.NamesOption = None,
    metrics: c.MetricsOption = None,
    main: c.MainOption = None,
    profile: c.ProfileOption = None,
    qrels: c.QrelsOption = None,
    k: c.KOption = "5,10",
    ties: c.TiesOption = "insertion",
    all_pairs: c.AllPairsOption = False,
    worst: c.WorstOption = 5,
    tests: c.TestsOption = False,
    format: c.FormatOption = None,
    json: o.JsonOption = False,
    out: c.OutOption = None,
    level: c.LevelOption = 0.95,
    interval: c.IntervalOption = "bca",
    resamples: c.ResamplesOption = 10_000,
    seed: c.SeedOption = 0,
    clusters: c.ClustersOption = "none",
    least_queries: c.LeastQueriesOption = 10,
) -> None:
    """Compare systems query by query: differences with intervals, tests, slices, regressions.

    [bold]Examples[/bold]

    tui-eval compare old.json new.json

    tui-eval compare old.json new.json --metrics "Recall@5,MRR@5" --clusters keywords

    tui-eval compare base.json a.json b.json --all-pairs --names "base,ours,ours+"

    tui-eval compare old.json new.json --out table.tex

    tui-eval compare --qrels qrels.txt bm25.run dense.run --metrics "nDCG@10,AP"
    """
    from engine.compare import Settings
    from engine.compare import compare as compare_systems
    from engine.metrics import parse_measures

    shape = choose_format(format, json, out, c.FORMATS)
    check_writable(out, *files, qrels, clusters_file(clusters))
    if len(files) < 2:
        raise InputError("one file is given", hint="a comparison needs two: tui-eval compare A B")
    settings = Settings(
        level=level,
        method=interval,
        resamples=resamples,
        seed=seed,
        clusters=parse_clusters(clusters),
        least_queries=least_queries,
    )
    asked = o.split_metrics(metrics)
    judged = None if qrels is None else Judged(qrels, asked, parse_ks(k), ties)
    systems = open_systems(files, o.split_list(names), profile, judged)
    language = systems[0].language
    found = compare_systems(
        systems,
        measures=parse_measures(asked, language) if asked else None,
        main=language.parse(main) if main else None,
        all_pairs=all_pairs,
        settings=settings,
    )
    _print(found, shape, out, worst, tests)


def _print(
    found: Comparison, shape: c.CompareFormat, out: Path | None, worst: int, tests: bool
) -> None:
    from engine.report.compare.document import comparison_csv, comparison_document
    from engine.report.compare.tables import paper_tables
    from engine.report.tables.tabular import as_latex, as_markdown

    if shape == "json":
        emit(as_json(comparison_document(found, worst)), out)
    elif shape == "csv":
        emit(comparison_csv(found), out)
    elif shape == "markdown":
        emit("\n\n".join(map(as_markdown, paper_tables(found))), out)
    elif shape == "latex":
        emit("\n\n".join(map(as_latex, paper_tables(found))), out)
    elif out is not None:
        emit(as_text(*comparison_table(found, page_width(), worst, tests)), out)
    else:
        show(*comparison_table(found, page_width(), worst, tests))
