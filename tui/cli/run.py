"""`tui-eval run`: evaluate a query set and print every number with its formula."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from engine.base.choices import (
    NoKeywordPolicy,
    NoRelevantPolicy,
    OnePerPolicy,
    RelevancePolicy,
    SelfClipPolicy,
    ShortListPolicy,
    TiePolicy,
)
from engine.base.errors import InputError, Place
from engine.base.json_text import as_json
from engine.base.messages import pluralise
from engine.files.protection import name_same_file
from tui.cli.shared import options as o
from tui.cli.shared.console import make_progress_bars, open_workbench
from tui.cli.shared.dataset_options import DatasetChoice, SingleFiles
from tui.cli.shared.groups import option, takes_groups
from tui.cli.shared.look_options import INSPECT, LookOptions, show_request
from tui.cli.shared.output import QueryOutput, TableOutput, written
from tui.cli.shared.query_options import QueryOptions
from tui.opening.option_text import parse_ks

if TYPE_CHECKING:
    from rich.console import RenderableType

    from engine.keywords.run import Run
    from engine.metrics.policies import Policies


@dataclass(frozen=True)
class RunPolicyOptions:
    """What is done where definitions differ."""

    ties: TiePolicy = o.TIES("insertion")
    no_relevant: NoRelevantPolicy = o.NO_RELEVANT("skip")
    no_keyword: NoKeywordPolicy = o.policy(
        "A query with no keyword: leave it out, or stop.", "skip"
    )
    fewer_than_k: ShortListPolicy = o.FEWER_THAN_K("fixed")
    self_clip: SelfClipPolicy = o.policy(
        "The query clip among its own results: remove it, or keep it.", "remove"
    )
    one_per: OnePerPolicy = o.ONE_PER("clip")
    relevance: RelevancePolicy = o.RELEVANCE("all")
    depth: int | None = o.policy(
        "How many ranks metrics over the full ranking look at. Default: all of them for up to "
        "20,000 clips, otherwise 1,000."
    )

    def policies(self, min_similarity: float | None) -> Policies:
        from engine.metrics.policies import Policies

        policies = {name: value for name, value in vars(self).items() if name != "depth"}
        return Policies(**policies, min_similarity=min_similarity)


@dataclass(frozen=True)
class RunOutput(QueryOutput, TableOutput):
    """What is written of a run."""

    export_trec: Path | None = written(
        "Also write TREC run and qrels files to this folder, down to the largest K, so that "
        "other tools can check the numbers.",
        metavar="DIR",
    )

    @property
    def files(self) -> list[Path]:
        from engine.report.run.trec import list_trec_files

        files = [path for path in (self.out, self.per_query) if path is not None]
        exported = () if self.export_trec is None else list_trec_files(self.export_trec)
        return [*files, *(file for file in exported if file.parent.is_dir())]

    def check(self) -> None:
        from engine.report.run.trec import check_trec_folder

        if self.export_trec is not None:
            check_trec_folder(self.export_trec)
        super().check()
        if self.export_trec and any(name_same_file(self.export_trec, one) for one in self.files):
            raise InputError(
                "is named for two outputs", Place(self.export_trec), hint="name another folder"
            )


@takes_groups
def run(
    *,
    dataset: DatasetChoice,
    mode: Literal["text", "video", "both"] = option("Which queries to evaluate.", "both"),
    model: str | None = o.MODEL(),
    groups: str | None = o.GROUPS(),
    keywords: str | None = o.KEYWORDS(),
    k: str | None = o.OWN_K(),
    profile: str | None = o.OWN_PROFILE(),
    metrics: str | None = o.metrics("those of the profile."),
    confusion: bool = o.CONFUSION(False),
    min_similarity: float | None = o.MIN_SIMILARITY(),
    output: RunOutput,
    asked: QueryOptions,
    policies: RunPolicyOptions,
    inspect: bool = INSPECT(False),
    looks: LookOptions,
    files: SingleFiles,
) -> None:
    """Evaluate a query set: text-to-video, video-to-video, or both.

    Examples:
    tui-eval run
    tui-eval run path/to/dataset --queries combinations
    tui-eval run --mode video --groups scene_type --k 1,5,10
    tui-eval run --model alfa-0.2 --out run.json --per-query queries.csv
    tui-eval run --profile ir --metrics "P@5,AP,nDCG@10,MedR" --confusion
    tui-eval run --k 10,100 --export-trec trec
    tui-eval run --mode video --limit 100 --inspect
    tui-eval run --one-per source --source drive_id
    tui-eval run --mode video --annotations clips.csv --embeddings clips.npz
    """
    from engine.keywords.run import RunRequest, run_request

    opened = files.open(dataset.named)
    ks = opened.ks if k is None else parse_ks(k)
    profile = profile or opened.profile
    output.check()
    request = RunRequest(
        modes=mode,
        groups=o.resolve_groups(groups, opened),
        keywords=o.split_list(keywords),
        ks=ks,
        model=model,
        **{**vars(asked), "videos": asked.clips},
        profile=profile,
        metrics=o.split_metrics(metrics)
        if not confusion
        else o.add_confusion_metrics(metrics, profile, ks),
        depth=policies.depth,
        policies=policies.policies(min_similarity),
    )
    if inspect:
        raise typer.Exit(show_request("run", request, opened, looks))
    with open_workbench(opened) as bench, make_progress_bars() as report:
        result = run_request(request, bench, report)
    _write(result, output, looks.ascii)


def _write(result: Run, output: RunOutput, ascii: bool) -> None:
    from engine.keywords.evaluated_run import collect_results
    from engine.report.per_query.write import write_per_query
    from engine.report.run.document import (
        build_run_document,
        collect_run_notes,
        collect_run_rows,
        format_run_csv,
    )
    from engine.report.run.trec import write_trec
    from tui.opening.source import dump_source

    if output.export_trec is not None:
        export = write_trec(result, output.export_trec)
        for line in (*(f"wrote {file}" for file in export.files), *export.notes):
            output.tell(line)
    output.write_per_query(lambda path: write_per_query(collect_results(result), path))
    output.write(
        {
            "table": lambda: build_run_table(result, ascii),
            "json": lambda: as_json(build_run_document(result, dump_source(result.dataset))),
            "csv": lambda: format_run_csv(collect_run_rows(result)),
        },
        notes=collect_run_notes(result),
        ascii=ascii,
    )


def build_run_table(result: Run, ascii: bool) -> list[RenderableType]:
    """A run for the eye: what was evaluated, the numbers with id and formula, the notes."""
    from engine.report.run.document import collect_metric_rows, collect_run_notes
    from tui.cli.shared.metric_table import build_headline, build_scores_view

    model = result.collection.model
    dimension = result.collection.vectors.shape[1]
    head = build_headline(
        result.dataset.name,
        f"  {model.name} ({model.metric}, {dimension}-d) · "
        f"{pluralise(len(result.collection), 'clip')} · {', '.join(result.selection.groups)}",
    )
    columns = [(e.mode, collect_metric_rows(e, result.profile)) for e in result.evaluations]
    return build_scores_view(head, columns, collect_run_notes(result), ascii=ascii)
