"""`tui-eval compare`: two or more systems over the same queries, with honest statistics."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from engine.base.choices import TiePolicy
from engine.base.errors import InputError
from engine.base.json_text import as_json
from tui.cli.shared import options as o
from tui.cli.shared.console import measure_page_width
from tui.cli.shared.groups import argument, option, takes_groups
from tui.cli.shared.look_options import INSPECT, ScreenLookOptions
from tui.cli.shared.output import PaperOutput
from tui.cli.shared.start import open_inspector, run_compare, suggest_printing
from tui.cli.shared.systems import open_systems
from tui.opening.option_text import parse_ks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.compare import Comparison
    from engine.dataset.dataset import Dataset
    from engine.results.results import Results
    from tui.opening.system_pair import SystemPair

_RUN_FILES = "Run files of other tools"


@takes_groups
def compare(
    *,
    files: list[Path] = argument(
        "A B [C …]",
        "Saved runs (.json of run --out or score --out) or per-query files (.csv, .jsonl, "
        ".parquet); with --qrels, run files of any tool. The first is the baseline.",
    ),
    names: str | None = option(
        "What to call the systems, separated by commas. Default: their models, or their files.",
        metavar="NAMES",
    ),
    metrics: str | None = o.metrics(
        "all that the systems share. It chooses what is listed beside the primary metric "
        "(--main), and changes no p: all shared metrics are tested."
    ),
    main: str | None = o.MAIN(),
    profile: str | None = o.RUN_PROFILE(),
    qrels: Path | None = option(
        "Judgements: the files are then run files (TREC, ranx, JSON lines, CSV).",
        panel=_RUN_FILES,
    ),
    k: str = o.K("5,10", panel=_RUN_FILES),
    ties: TiePolicy = o.TIES("insertion"),
    all_pairs: bool = option(
        "Compare every pair, not only each with the first.", False, where="print"
    ),
    worst: int = option("How many slices and regressions to show.", 5, min=0, where="print"),
    tests: bool = option("Also show each test's p and the effect sizes.", False, where="print"),
    output: PaperOutput,
    inspect: bool = INSPECT(False),
    looks: ScreenLookOptions,
    statistics: o.StatisticsOptions,
    interval: Literal["bca", "percentile"] = o.statistic(
        "Kind of bootstrap interval of the means.", "bca"
    ),
) -> None:
    """Compare systems query by query: differences with intervals, tests, slices, regressions.

    Examples:
    tui-eval compare old.json new.json
    tui-eval compare old.json new.json --main MRR@5 --clusters keywords
    tui-eval compare old.json new.json --inspect
    tui-eval compare base.json a.json b.json --all-pairs --names base,a,b
    tui-eval compare old.json new.json --out table.tex
    tui-eval compare --qrels qrels.txt bm25.run dense.run --main nDCG@10
    """
    from engine.compare import compare as compare_systems
    from engine.metrics import parse_measures
    from engine.metrics.policies import Policies
    from engine.rankings.request import ScoreRequest

    output.check()
    if len(files) < 2:
        raise InputError("one file is given", hint="a comparison needs two: tui-eval compare A B")
    asked = o.split_metrics(metrics)
    scored = None
    if qrels is not None:
        scored = ScoreRequest(
            runs=tuple(files),
            qrels=qrels,
            profile=profile or "ir",
            metrics=_choose_scored(profile or "ir", parse_ks(k), asked, main),
            ks=parse_ks(k),
            policies=Policies(ties=ties),
        )
    settings = statistics.settings(interval)
    systems = open_systems(files, o.split_list(names), profile, scored)
    language = systems[0].language
    compare_all = partial(
        compare_systems,
        measures=parse_measures(asked, language) if asked else None,
        main=language.parse(main) if main else None,
        pairs="all" if all_pairs else "first",
        settings=settings,
    )
    if inspect:
        raise typer.Exit(_inspect(files, systems, compare_all, looks))
    _write(compare_all(systems), output, worst, tests)


def _choose_scored(
    profile: str, ks: tuple[int, ...], asked: Sequence[str] | None, main: str | None
) -> tuple[str, ...]:
    """The metrics of the profile, and those that are named besides: what is listed must not decide
    what is tested."""
    from engine.metrics import find_profile

    language = find_profile(profile)
    named = (*(asked or ()), *((main,) if main else ()))
    return (*map(language.label, language.measures(ks)), *named)


def _inspect(
    files: Sequence[Path],
    systems: Sequence[Results],
    compare_all: Callable[[Sequence[Results]], Comparison],
    looks: ScreenLookOptions,
) -> int:
    """Show on the Compare screen what would be printed."""
    from dataclasses import replace

    from engine.compare import align_systems
    from tui.opening.compare_start import CompareStart
    from tui.opening.system_pair import SystemPair

    if len(systems) > 2:
        raise InputError("--inspect compares two", hint="name two files, or leave --inspect out")
    align_systems(systems)  # what they have not in common is reported before the screen changes
    old, new = systems
    if old.name == new.name:
        new = replace(new, name=f"{new.name} (2)")
    pair = SystemPair((old, new), lambda before, after: compare_all([before, after]))
    dataset = _open_shared_dataset(files, pair)
    if dataset is None:
        return run_compare(CompareStart(pair, **looks.for_app()))
    return open_inspector(looks, dataset, comparison=pair, instead=suggest_printing("compare"))


def _open_shared_dataset(files: Sequence[Path], pair: SystemPair) -> Dataset | None:
    """The dataset that both runs name, if it is there and has the models that they are called by:
    then their queries can be opened in Inspect."""
    from engine.results.saved_run import read_saved_run
    from tui.opening.source import open_source

    try:
        old, new = (read_saved_run(file).facts for file in files)
        names = [dict(facts.model).get("name") for facts in (old, new)]
        if old.source is None or old.source != new.source:
            return None
        dataset = open_source(old.source)
        models = [dataset.models[system.name] for system in pair.systems]
        inputs = [
            dataset.annotations_file,
            *(file for one in models for file in one.files.values()),
        ]
        is_there = all(file.exists() for file in inputs)
    except (InputError, OSError, ValueError, KeyError):  # a run's file may hold anything
        return None
    return dataset if is_there and names == [system.name for system in pair.systems] else None


def _write(found: Comparison, output: PaperOutput, worst: int, tests: bool) -> None:
    from engine.report.compare.document import (
        build_comparison_document,
        collect_mode_notes,
        format_comparison_csv,
    )
    from engine.report.compare.tables import build_paper_tables
    from engine.report.tables.report_table import as_latex, as_markdown
    from tui.cli.compare.table import build_comparison_table

    output.write(
        {
            "table": lambda: build_comparison_table(found, measure_page_width(), worst, tests),
            "json": lambda: as_json(build_comparison_document(found, worst)),
            "csv": lambda: format_comparison_csv(found),
            "markdown": lambda: "\n\n".join(map(as_markdown, build_paper_tables(found))),
            "latex": lambda: "\n\n".join(map(as_latex, build_paper_tables(found))),
        },
        notes=collect_mode_notes(found),
    )
