"""`tui-eval triage show`: one finding with its evidence."""

from __future__ import annotations

from pathlib import Path

from engine.base.errors import InputError
from engine.base.json_text import as_json
from tui.cli.shared.dataset_options import SingleFiles, dataset_option
from tui.cli.shared.groups import argument, option, takes_groups
from tui.cli.shared.output import ListOutput
from tui.cli.shared.query_options import QueryOptions
from tui.cli.triage.options import PolicyOptions, StudyOptions, TriageStatistics


@takes_groups
def show_finding(
    *,
    finding: str = argument(
        "ID",
        "The id of a finding, a part of one that no other has, or its number in the table.",
    ),
    saved: Path | None = option(
        "Show it from a triage that was written with --out FILE.json, in place of carrying it out.",
        name="--from",
    ),
    dataset: str | None = dataset_option("Dataset to triage. Default: the usual one."),
    study: StudyOptions,
    output: ListOutput,
    asked: QueryOptions,
    policies: PolicyOptions,
    statistics: TriageStatistics,
    files: SingleFiles,
) -> None:
    """Show one finding: the queries and clips behind it, which keywords their results lack, and
    what came instead.

    Examples:
    tui-eval triage show 1
    tui-eval triage show used/actor-behavior --model alfa-0.1
    tui-eval triage show 3 --from triage.json --json
    """
    from engine.base.errors import Place
    from engine.files.fields import Field
    from engine.report.triage.document import choose_finding
    from engine.triage.saved_triage import parse_triage, read_triage
    from tui.cli.triage.carry_out import carry_out
    from tui.cli.triage.view import build_finding_view

    if saved is not None:
        _refuse_beside(dataset, study, asked, policies, statistics, files)
        output.check()
        found = read_triage(saved)
    else:
        opened = files.open(dataset)
        output.check()
        settings = statistics.settings(study.cutoff, asked.seed)
        request = study.request(opened, asked, policies.policies(), settings)
        document = carry_out(request, opened, study.baseline)
        found = parse_triage(Field(document, "", Place()))
    chosen = found.find(finding)
    output.write(
        {
            "table": lambda: build_finding_view(found, chosen),
            "json": lambda: as_json(choose_finding(found, chosen)),
        },
    )


def _refuse_beside(
    dataset: str | None,
    *groups: StudyOptions | QueryOptions | PolicyOptions | TriageStatistics | SingleFiles,
) -> None:
    """What chooses a dataset or how it is studied means nothing to a triage that was written."""
    from tui.cli.shared.groups import find_given_options

    beside = [name for group in groups for name in find_given_options(group)]
    if dataset is not None:
        beside.append("--dataset")
    for name in beside:
        raise InputError(
            f"--from and {name} were given", hint="leave out one of the two: the file is whole"
        )
