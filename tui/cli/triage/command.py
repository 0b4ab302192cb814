"""`tui-eval triage`: where the embedding fails, why, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from engine.base.json_text import as_json
from tui.cli.completion.values import complete_typed_commands
from tui.cli.shared.dataset_options import FOLDER, SingleFiles, choose_dataset, dataset_option
from tui.cli.shared.groups import DefaultCommand, argument, make_app, option, takes_groups
from tui.cli.shared.output import FORMAT, Output
from tui.cli.shared.query_options import QueryOptions
from tui.cli.triage.list import list_analyses
from tui.cli.triage.options import PolicyOptions, StudyOptions, TriageStatistics
from tui.cli.triage.show import show_finding

if TYPE_CHECKING:
    from engine.dataset.dataset import Dataset

app = make_app(cls=DefaultCommand, invoke_without_command=True)
app.command("show")(show_finding)
app.command("list")(list_analyses)


@dataclass(frozen=True)
class TriageOutput(Output):
    """What is written of a triage."""

    format: Literal["table", "json", "markdown", "html"] | None = FORMAT()


@app.callback()
@takes_groups
def triage(
    *,
    dataset: str | None = argument("DATASET", FOLDER, None, autocompletion=complete_typed_commands),
    same_dataset: str | None = dataset_option("The same as DATASET."),
    study: StudyOptions,
    top: int = option("How many findings and changes to list.", 10, min=1, where="print"),
    output: TriageOutput,
    asked: QueryOptions,
    policies: PolicyOptions,
    statistics: TriageStatistics,
    files: SingleFiles,
) -> None:
    """Find where an embedding fails, why, and how sure that is: a verdict for every keyword group
    and the worst findings, each with its effect, its interval and what to do next.

    Examples:
    tui-eval triage
    tui-eval triage --model alfa-0.2 --baseline alfa-0.1
    tui-eval triage DATASET --groups object_type,actor_behavior --mode video
    tui-eval triage --analyses slices,used --top 20
    tui-eval triage --out triage.json
    tui-eval triage --out triage.html
    tui-eval triage show used --from triage.json
    tui-eval triage list
    """
    from engine.base.errors import Place
    from engine.files.fields import Field
    from engine.report.triage.markdown import format_triage_markdown
    from engine.report.triage.page import format_triage_page
    from engine.triage.saved_triage import parse_triage
    from tui.cli.triage.carry_out import carry_out
    from tui.cli.triage.view import build_triage_view

    opened: Dataset = files.open(choose_dataset(dataset, same_dataset))
    output.check()
    request = study.request(
        opened, asked, policies.policies(), statistics.settings(study.cutoff, asked.seed)
    )
    document = carry_out(request, opened, study.baseline)
    found = parse_triage(Field(document, "", Place()))
    output.write(
        {
            "table": lambda: build_triage_view(found, top),
            "json": lambda: as_json(document),
            "markdown": lambda: format_triage_markdown(found, top),
            "html": lambda: format_triage_page(found, top),
        },
        notes=found.notes,
    )
