"""`tui-eval gate`: may this run replace the baseline? For CI; the exit code is the answer."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from engine.base.errors import InputError
from engine.base.json_text import as_json
from engine.files.atomic import add_text
from tui.cli.shared import options as o
from tui.cli.shared.console import say, show_spinner, write_out
from tui.cli.shared.groups import argument, option, takes_groups
from tui.cli.shared.output import FORMAT, Form, Output, render_text, written

if TYPE_CHECKING:
    from engine.gate import Gate
    from engine.metrics import Profile
    from engine.results.results import Results


@dataclass(frozen=True)
class GateStatistics(o.StatisticsOptions):
    """How it is decided; slices with too few queries to fail among so many are not looked at."""

    least_queries: int = o.statistic(
        "Smallest number of queries in a slice (a keyword or a group); a slice with too few to "
        "fail among so many checks is not looked at either.",
        20,
    )
    epsilon: float = o.statistic("How large a drop is tolerated, in units of the metric.", 0.0)
    detect: float = o.statistic(
        "The test must be able to see a drop this large beyond epsilon; otherwise exit code 3.",
        0.05,
    )


@dataclass(frozen=True)
class GateOutput(Output):
    """What is written of a gate."""

    format: Literal["table", "json", "markdown"] | None = FORMAT()
    junit: Path | None = written("Also write JUnit XML: a test case for every check.")
    github: bool = written(
        "Also print annotations for GitHub Actions, and add a table to the job's summary.", False
    )
    all: bool = written("Also list slices that pass, and all worst queries.", False)


_SUMMARY = "GITHUB_STEP_SUMMARY"


@takes_groups
def gate(
    *,
    run: Path = argument(
        "RUN", "The new run: .json of run or score --out, or .csv, .jsonl, .parquet of --per-query."
    ),
    baseline: Path | None = option(
        "The run that it must not be worse than, over the same queries.", short="-b", metavar="RUN0"
    ),
    fail_under: list[str] | None = option(
        "Fail if the mean (of MedR, the median) is below this; for ranks, above it. "
        "text:Recall@5=0.6 holds for text queries only. May be repeated.",
        metavar="METRIC=NUMBER",
    ),
    triage: Path | None = option(
        "Fail if this triage (of the run's model; triage --baseline NAME --out FILE.json) has a "
        "new finding of at least --severity, whose change is sure.",
        metavar="FILE",
    ),
    severity: float | None = option(
        "How severe a new finding may not be: points of the metric's mean that it may cost, times "
        "certainty. Default: 0.02.",
    ),
    metrics: str | None = o.metrics(
        "the first of the runs at its largest cut-off. Each further one that is compared with "
        "the baseline costs power."
    ),
    profile: str | None = o.RUN_PROFILE(),
    allow_missing: bool = option(
        "Compare what both runs have, even if the run lacks queries or values of the "
        "baseline. Without this option that is bad input.",
        False,
    ),
    statistics: GateStatistics,
    output: GateOutput,
) -> None:
    """Pass or fail a run: against a baseline, against fixed limits, by what a triage has found
    since its baseline, or by several of these.

    Against a baseline the gate fails if a metric fell by more than --epsilon, over all queries or
    over those of a keyword or group, beyond what chance explains. A correction over all of them
    keeps the chance of a false alarm at about (1 - level) / 2. With --triage it also fails if a
    finding is new and severe, and not chance.

    Exit codes: [bold]0[/bold] pass, [bold]1[/bold] fail, [bold]2[/bold] bad input, [bold]3[/bold] \
underpowered: nothing failed, but a drop of --detect in a mean could have been missed.

    Examples:
    tui-eval gate run.json --baseline baseline.json
    tui-eval gate run.json --fail-under Recall@5=0.6 --fail-under text:MRR@5=0.7
    tui-eval gate run.json --baseline baseline.json --epsilon 0.01 --detect 0.1
    tui-eval gate run.json --triage triage.json --severity 0.05
    tui-eval gate run.json --baseline baseline.json --junit gate.xml --github
    """
    from engine.gate import GateSettings, decide, parse_limit
    from engine.gate.gate_settings import SEVERITY
    from engine.metrics import find_profile, parse_measures
    from engine.report.gate.document import EXIT_CODES
    from engine.triage.saved_triage import read_triage

    if output.github and output.shape == "json" and output.out is None:
        raise InputError(
            "--github and JSON would both be written to stdout", hint="write it with --out FILE"
        )
    output.check()
    if severity is not None and triage is None:
        raise InputError(
            "--severity needs --triage", hint="add --triage FILE.json, or leave it out"
        )
    settings = GateSettings(
        statistics.settings(),
        epsilon=statistics.epsilon,
        detect=statistics.detect,
        allow_missing=allow_missing,
        severity=SEVERITY if severity is None else severity,
    )
    language = find_profile(profile) if profile else None
    results = _read(run, language)
    limits = [parse_limit(text, results.language) for text in fail_under or ()]
    asked = parse_measures(o.split_metrics(metrics) or (), results.language)
    against = None if baseline is None else _read(baseline, language)
    findings = None if triage is None else read_triage(triage)
    with show_spinner("comparing the runs"):
        found = decide(results, against, limits, asked, settings, findings)
    _write(found, output)
    raise typer.Exit(EXIT_CODES[found.verdict])


def _read(path: Path, language: Profile | None) -> Results:
    """Results under the name of their file: both runs often have a model of the same name."""
    from dataclasses import replace

    from engine.results.read_results import read_results

    results = read_results(path, language=language)
    model = "" if results.name == path.stem else f" ({results.name})"
    return replace(results, name=f"{path}{model}")


def _write(found: Gate, output: GateOutput) -> None:
    """Files first: a reader of stdout that goes away takes nothing from them, nor the verdict."""
    from engine.report.gate.ci import format_gate_junit
    from engine.report.gate.document import build_gate_document
    from engine.report.gate.markdown import format_gate_markdown
    from tui.cli.gate.table import build_gate_table

    forms: dict[str, Form] = {
        "table": lambda: build_gate_table(found, output.all),
        "json": lambda: as_json(build_gate_document(found)),
        "markdown": lambda: format_gate_markdown(found, output.all),
    }
    if output.junit is not None:
        output.save(format_gate_junit(found), output.junit)
    if output.github:
        _append_summary(format_gate_markdown(found, output.all))
    with contextlib.suppress(typer.Exit):
        if not output.github:
            output.write(forms, notes=found.notes)
            return
        output.write_out_file(forms)
        _print_for_github(found, render_text(forms[output.printed]()) if output.printed else None)


def _print_for_github(found: Gate, document: str | None) -> None:
    from secrets import token_hex

    from engine.report.gate.ci import disable_commands, format_gate_annotations

    if document is not None:
        write_out(disable_commands(document, token_hex(16)))
    write_out("\n".join(format_gate_annotations(found)))


def _append_summary(text: str) -> None:
    """To the job's summary, if there is one; a gate does not fail because of it."""
    place = os.environ.get(_SUMMARY)
    if not place:
        return
    try:
        add_text(text + "\n", Path(place))
    except InputError as error:
        say(f"the summary of the job: {error}")
