"""`tui-eval labels`: Label Score@K of embedding files, in the directions that are asked for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from engine.base.errors import InputError
from engine.base.json_text import as_json
from tui.cli.labels import options as lo
from tui.cli.labels import score_options as l
from tui.cli.labels.prototypes import checked_prototypes
from tui.cli.shared.console import (
    as_text,
    check_writable,
    choose_format,
    emit,
    progress_bars,
    say,
    tell_that_the_encoder_starts,
)
from tui.cli.shared.console import show as print_parts
from tui.cli.shared.options import AsciiOption, split_list
from tui.opening.arguments import parse_ks
from tui.opening.label_files import label_files

if TYPE_CHECKING:
    from engine.labels.request import LabelRequest
    from engine.labels.scoring.scoring import LabelRun


def labels(
    sensor_embeddings: lo.SensorOption = None,
    text_embeddings: lo.TextOption = None,
    labels: lo.LabelsOption = None,
    directions: l.DirectionsOption = None,
    k: lo.LabelKOption = lo.LABEL_KS,
    sensor_key: lo.SensorKeyOption = None,
    text_key: lo.TextKeyOption = None,
    labels_key: lo.LabelsKeyOption = None,
    name_a: lo.NameAOption = None,
    name_b: lo.NameBOption = None,
    normalize: lo.NormalizeOption = True,
    use_prototypes: l.UsePrototypesOption = False,
    metadata: lo.MetadataOption = None,
    dataset_name: lo.DatasetNameOption = None,
    caption_style: lo.CaptionStyleOption = None,
    prototype_pooling: l.PoolingOption = "mean",
    encoder: lo.LabelEncoderOption = None,
    checkpoint: l.CheckpointOption = None,
    adapter: l.AdapterOption = None,
    prototype_embeddings: l.PrototypeEmbeddingsOption = None,
    prototype_key: l.PrototypeKeyOption = None,
    prototype_labels: l.PrototypeLabelsOption = None,
    prototype_labels_key: l.PrototypeLabelsKeyOption = None,
    prototype_level: l.PrototypeLevelOption = None,
    unknown_labels: l.UnknownLabelsOption = "error",
    no_relevant: l.NoRelevantOption = "zero",
    fewer_than_k: l.FewerThanKOption = "fixed",
    format: l.FormatOption = None,
    json: l.JsonOption = False,
    output: l.OutputOption = None,
    per_label: l.PerLabelOption = None,
    confusion: l.ConfusionOption = None,
    per_query: l.PerQueryOption = None,
    show: l.ShowOption = None,
    ascii: AsciiOption = False,
) -> None:
    """Score embeddings by labels: how many of the nearest K items have the query's label.

    [bold]Examples[/bold]

    tui-eval labels

    tui-eval labels --sensor-embeddings sensor.npy --text-embeddings text.npy --labels labels.npy

    tui-eval labels --sensor-embeddings data.npz --sensor-key sensor --text-embeddings data.npz
    --text-key text --labels l1=data.npz --labels l2=data.npz --k 10,50 --output scores.json

    tui-eval labels --sensor-embeddings sensor.npy --labels labels.csv --use-prototypes --metadata
    metadata.json --dataset-name milan --caption-style sourish

    tui-eval labels --directions text2video --show 17 --k 5
    """
    from engine.labels.request import LabelRequest, PrototypeRequest
    from engine.metrics.policies import Policies
    from engine.text.defaults import EMBEDDED

    files = label_files(
        sensor_embeddings,
        text_embeddings,
        labels,
        sensor_key=sensor_key,
        text_key=text_key,
        labels_keys=labels_key,
        name_a=name_a,
        name_b=name_b,
        normalize=normalize,
    )
    prototypes = PrototypeRequest(
        metadata=metadata,
        dataset=dataset_name,
        style=caption_style,
        encoder=encoder or EMBEDDED,
        checkpoint=checkpoint,
        adapter=adapter,
        embeddings=prototype_embeddings,
        key=prototype_key,
        labels=prototype_labels,
        labels_key=prototype_labels_key,
        pooling=prototype_pooling,
        level=prototype_level,
        unknown=unknown_labels,
    )
    of_sample = not (sensor_embeddings or text_embeddings or labels)
    request = LabelRequest(
        files=files,
        ks=parse_ks(k),
        directions=split_list(directions),
        prototypes=checked_prototypes(prototypes, use_prototypes, of_sample),
        policies=Policies(no_relevant=no_relevant, fewer_than_k=fewer_than_k),
    )
    shape = _shape(format, json, output)
    if show:
        from tui.cli.labels.show import show_neighbours

        _refuse_scores(shape, per_label, confusion, per_query)
        show_neighbours(request, show, "json" if shape == "json" else "summary", output, ascii)
        return
    _check_outputs(request, output, per_label, confusion, per_query)
    _run_and_write(request, shape, output, per_label, confusion, per_query)


def _shape(asked: l.LabelFormat | None, json: bool, output: Path | None) -> l.LabelFormat:
    """What is written: as the options say, or the name of the file; JSON under any other name.

    >>> _shape(None, False, Path("scores")), _shape(None, False, Path("scores.csv"))
    ('json', 'csv')
    """
    if asked is not None or json or output is None:
        return choose_format(asked, json, None, l.FORMATS)
    by_suffix: dict[str, l.LabelFormat] = {".csv": "csv", ".txt": "summary", ".md": "summary"}
    return by_suffix.get(output.suffix.lower(), "json")


def _refuse_scores(
    shape: l.LabelFormat, per_label: Path | None, confusion: Path | None, per_query: Path | None
) -> None:
    """--show shows single queries: what holds the scores of all is not made beside it."""
    files = {"--per-label": per_label, "--confusion": confusion, "--per-query": per_query}
    asked = [option for option, path in files.items() if path is not None]
    if shape not in ("summary", "json"):
        asked.append(f"--format {shape}")
    for option in asked:
        raise InputError(
            f"--show and {option} were given", hint="ask for the scores without --show"
        )


def _check_outputs(request: LabelRequest, *outputs: Path | None) -> None:
    """Refuse, before any work, to write where it cannot be written or something else lies."""
    from engine.report.per_query.write import check_per_query_path

    inputs = tuple(request.inputs.values())
    for place, path in enumerate(outputs):
        check_writable(path, *inputs, *outputs[:place])
    if outputs[-1] is not None:
        check_per_query_path(outputs[-1])


def _run_and_write(
    request: LabelRequest,
    shape: l.LabelFormat,
    output: Path | None,
    per_label: Path | None,
    confusion: Path | None,
    per_query: Path | None,
) -> None:
    from engine.labels.request import run_labels
    from engine.report.labels.document import confusion_csv, labels_csv

    with progress_bars() as report:
        run = run_labels(request, report=report, on_encoder=tell_that_the_encoder_starts)
    if per_label is not None:
        emit(labels_csv(run), per_label)
    if confusion is not None:
        emit(confusion_csv(run), confusion)
    if per_query is not None:
        _write_per_query(run, per_query)
    if output is not None:
        emit(_text(request, run, shape), output)
    if output is not None or shape == "summary":  # a file does not keep the summary from the eye
        from tui.cli.labels.view import summary_view

        print_parts(*summary_view(request, run))
    else:
        emit(_text(request, run, shape), None)


def _text(request: LabelRequest, run: LabelRun, shape: l.LabelFormat) -> str:
    from engine.report.labels.document import confusion_csv, labels_csv, means_document
    from tui.cli.labels.view import summary_view

    if shape == "json":
        return as_json(means_document(run))
    if shape == "csv":
        return labels_csv(run)
    if shape == "confusion":
        return confusion_csv(run)
    if shape == "document":
        return as_json(_document(request, run))
    return as_text(*summary_view(request, run))


def _document(request: LabelRequest, run: LabelRun) -> dict[str, object]:
    from engine.labels.findings.findings import findings
    from engine.labels.request import settings_of
    from engine.report.labels.document import labels_document

    return labels_document(run, findings(run), settings=settings_of(request, run))


def _write_per_query(run: LabelRun, path: Path) -> None:
    from engine.report.labels.document import per_query_results
    from engine.report.per_query.write import write_per_query

    write_per_query(per_query_results(run, path.stem), path)
    say(f"wrote {path}")
