"""`tui-eval labels`: Label Score@K of embedding files, in the directions that are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from engine.base.json_text import as_json
from tui.cli.labels.inspect import inspect_labels, resume_labels
from tui.cli.labels.options import (
    USUAL_KS,
    FileOptions,
    FirstOptions,
    LabelOutput,
    LabelPolicyOptions,
    PrototypeOptions,
)
from tui.cli.shared.console import make_progress_bars, show_loading
from tui.cli.shared.groups import find_given_options, option, takes_groups
from tui.cli.shared.look_options import INSPECT, LookOptions
from tui.cli.shared.options import K, split_list
from tui.cli.shared.output import written
from tui.opening.option_text import parse_ks

if TYPE_CHECKING:
    from engine.labels.request import LabelRequest


@takes_groups
def labels(
    *,
    files: FileOptions,
    directions: str | None = option(
        "Which modality asks which, e.g. text2sensor,sensor2sensor,prototype2text. "
        "Default: text2sensor,sensor2text; with --use-prototypes, from them to each modality.",
        metavar="LIST",
    ),
    k: str = K(USUAL_KS),
    prototypes: PrototypeOptions,
    policies: LabelPolicyOptions,
    output: LabelOutput,
    show: list[str] | None = written(
        "Instead of scores, show the nearest items (as many as the smallest --k) of this query: "
        "an item's id or the number of its row from 0, or the name of a prototype. May be "
        "repeated.",
        metavar="ID",
        where="",
    ),
    inspect: bool = INSPECT(False),
    first: FirstOptions,
    looks: LookOptions,
) -> None:
    """Score embeddings by labels: how many of the nearest K items have the query's label.

    Examples:
    tui-eval labels
    tui-eval labels --sensor-embeddings sensor.npy --labels labels.npy
    tui-eval labels --sensor-embeddings data.npz --sensor-key sensor \\
        --text-embeddings data.npz --text-key text \\
        --labels l1=data.npz --labels l2=data.npz --k 10,50 --out scores.json
    tui-eval labels --sensor-embeddings sensor.npy --labels labels.csv \\
        --use-prototypes --metadata metadata.json --dataset-name milan
    tui-eval labels --exclude rural --k 5
    tui-eval labels --directions text2video --show 17 --k 5
    tui-eval labels --directions text2video --show 17 --inspect
    """
    from engine.labels.request import LabelRequest

    asked = split_list(directions)
    if inspect and first.resumes and not files.are_named:
        of_files = [
            *find_given_options(files),
            *find_given_options(prototypes),
            *find_given_options(policies),
        ]
        of_files += [] if k == USUAL_KS else ["--k"]
        raise typer.Exit(resume_labels(show or (), asked, of_files, first, looks))
    request = LabelRequest(
        files=files.files(),
        ks=parse_ks(k),
        directions=asked,
        prototypes=prototypes.request(of_sample=not files.are_named, typed=inspect),
        policies=policies.policies(),
    )
    if inspect:
        raise typer.Exit(inspect_labels(request, show or (), prototypes.encoder, first, looks))
    if show:
        from tui.cli.labels.show import show_neighbours

        output.check_showing()
        show_neighbours(request, show, output, looks.ascii)
        return
    output.check()
    _run_and_write(request, output, looks.ascii)


def _run_and_write(request: LabelRequest, output: LabelOutput, ascii: bool) -> None:
    from engine.labels.findings.find_findings import find_label_findings
    from engine.labels.request import collect_settings, run_labels
    from engine.report.labels.document import (
        build_labels_document,
        build_means_document,
        collect_label_notes,
        collect_label_results,
        format_confusion_csv,
        format_labels_csv,
    )
    from engine.report.per_query.write import write_per_query
    from tui.cli.labels.view import build_labels_view

    with make_progress_bars() as report:
        run = run_labels(request, report=report, while_loading=show_loading)
    if output.per_label is not None:
        output.save(format_labels_csv(run), output.per_label)
    if output.confusion_csv is not None:
        output.save(format_confusion_csv(run), output.confusion_csv)
    output.write_per_query(
        lambda path: write_per_query(collect_label_results(run, path.stem), path)
    )
    output.write(
        {
            "summary": lambda: build_labels_view(request, run),
            "json": lambda: as_json(build_means_document(run)),
            "csv": lambda: format_labels_csv(run),
            "confusion": lambda: format_confusion_csv(run),
            "document": lambda: as_json(
                build_labels_document(
                    run, find_label_findings(run), settings=collect_settings(request, run)
                )
            ),
        },
        notes=collect_label_notes(run),
        bare=("json", "csv", "confusion"),
        ascii=ascii,
    )
