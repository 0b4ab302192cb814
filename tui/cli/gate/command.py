"""`tui-eval gate`: may this run replace the baseline? For CI; the exit code is the answer."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from engine.base.errors import InputError
from engine.base.json_text import as_json
from tui.cli.gate import options as g
from tui.cli.shared.console import (
    as_text,
    check_writable,
    choose_format,
    emit,
    say,
    show,
    telling_what_takes_long,
    write_out,
)
from tui.cli.shared.options import split_metrics
from tui.cli.shared.systems import clusters_file, parse_clusters

if TYPE_CHECKING:
    from engine.gate import Gate
    from engine.metrics import Profile
    from engine.results.results import Results

_SUMMARY = "GITHUB_STEP_SUMMARY"


def gate(
    run: g.RunArgument,
    baseline: g.BaselineOption = None,
    fail_under: g.FailUnderOption = None,
    metrics: g.MetricsOption = None,
    profile: g.ProfileOption = None,
    allow_missing: g.AllowMissingOption = False,
    epsilon: g.EpsilonOption = 0.0,
    detect: g.DetectOption = 0.05,
    level: g.LevelOption = 0.95,
    least_queries: g.LeastQueriesOption = 20,
    clusters: g.ClustersOption = "none",
    resamples: g.ResamplesOption = 10_000,
    seed: g.SeedOption = 0,
    format: g.FormatOption = None,
    json: g.JsonOption = False,
    out: g.OutOption = None,
    junit: g.JunitOption = None,
    github: g.GithubOption = False,
    all: g.AllOption = False,
) -> None:
    """Pass or fail a run: against a baseline, against fixed limits, or both.

    Against a baseline the gate fails if a metric fell by more than --epsilon, over all queries or
    over those of a keyword or group, beyond what chance explains. Holm's correction over all of
    them keeps the chance of a false alarm at about (1 - level) / 2.

    Exit codes: [bold]0[/bold] pass, [bold]1[/bold] fail, [bold]2[/bold] bad input, [bold]3[/bold] \
underpowered: nothing failed, but a drop of --detect in a mean could have been missed.

    [bold]Examples[/bold]

    tui-eval gate run.json --baseline baseline.json

    tui-eval gate run.json --fail-under Recall@5=0.6 --fail-under text:MRR@5=0.7

    tui-eval gate run.json --baseline baseline.json --epsilon 0.01 --detect 0.1

    tui-eval gate run.json --baseline baseline.json --junit gate.xml --github
    """
    from engine.compare import Settings
    from engine.gate import GateSettings, decide, parse_limit
    from engine.metrics import parse_measures
    from engine.metrics import profile as profile_named
    from engine.report.gate.document import EXIT_CODES

    shape = choose_format(format, json, out, g.FORMATS)
    if github and shape == "json" and out is None:
        raise InputError(
            "--github and JSON would both be written to stdout", hint="write it with --out FILE"
        )
    for file, other in ((out, junit), (junit, out)):
        check_writable(file, run, baseline, other, clusters_file(clusters))
    compare = Settings(
        level=level,
        resamples=resamples,
        seed=seed,
        clusters=parse_clusters(clusters),
        least_queries=least_queries,
    )
    settings = GateSettings(compare, epsilon=epsilon, detect=detect, allow_missing=allow_missing)
    language = profile_named(profile) if profile else None
    results = _read(run, language)
    limits = [parse_limit(text, results.language) for text in fail_under or ()]
    asked = parse_measures(split_metrics(metrics) or (), results.language)
    against = None if baseline is None else _read(baseline, language)
    with telling_what_takes_long("comparing the runs"):
        found = decide(results, against, limits, asked, settings)
    _write(found, shape, out, junit, github, all)
    raise typer.Exit(EXIT_CODES[found.verdict])


def _read(path: Path, language: Profile | None) -> Results:
    """Results under the name of their file: both runs often have a model of the same name."""
    from dataclasses import replace

    from engine.results.read import read_results

    results = read_results(path, language=language)
    model = "" if results.name == path.stem else f" ({results.name})"
    return replace(results, name=f"{path}{model}")


def _write(
    found: Gate, shape: g.GateFormat, out: Path | None, junit: Path | None, github: bool, all: bool
) -> None:
    """Files first: a reader of stdout that goes away takes nothing from them, nor the verdict."""
    if junit is not None:
        from engine.report.gate.junit import gate_junit

        emit(gate_junit(found), junit)
    if github:
        _append_summary(found, all)
    if out is not None:
        emit(_document(found, shape, all), out)
    with contextlib.suppress(typer.Exit):
        if github:
            _print_for_github(found, None if out is not None else _document(found, shape, all))
        elif out is None and shape == "table":
            from tui.cli.gate.table import gate_table

            show(*gate_table(found, all))
        elif out is None:
            write_out(_document(found, shape, all))


def _document(found: Gate, shape: g.GateFormat, all: bool) -> str:
    if shape == "json":
        from engine.report.gate.document import gate_document

        return as_json(gate_document(found))
    if shape == "markdown":
        from engine.report.gate.markdown import gate_markdown

        return gate_markdown(found, all)
    from tui.cli.gate.table import gate_table

    return as_text(*gate_table(found, all))


def _print_for_github(found: Gate, document: str | None) -> None:
    from secrets import token_hex

    from engine.report.gate.github import gate_annotations, without_commands

    if document is not None:
        write_out(without_commands(document, token_hex(16)))
    write_out("\n".join(gate_annotations(found)))


def _append_summary(found: Gate, all: bool) -> None:
    """To the job's summary, if there is one; a gate does not fail because of it."""
    place = os.environ.get(_SUMMARY)
    if not place:
        return
    from engine.report.gate.markdown import gate_markdown

    try:
        with Path(place).open("a", encoding="utf-8") as file:
            file.write(gate_markdown(found, all) + "\n")
    except OSError as error:
        say(f"the summary of the job cannot be written ({error.strerror})")
