"""`tui-eval open`: the inspector on labelled embeddings, or on predicted moments."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from engine.base.errors import InputError
from tui.cli import open_moments as om
from tui.cli.labels import options as lo
from tui.cli.shared import options as o
from tui.cli.shared.inspect_options import (
    AsciiOption,
    ImagesOption,
    KeysOption,
    ResumeOption,
    SessionOption,
    StoreOption,
    ThemeOption,
)
from tui.cli.shared.start import (
    chosen_keymap,
    chosen_theme,
    first_query,
    open_store,
    run_inspector,
)
from tui.opening.arguments import parse_ks
from tui.opening.going_on import GoingOn, dataset_of, find_session, newest_of_labels
from tui.opening.label_files import check_label_files, open_labels
from tui.opening.opening import source_of

if TYPE_CHECKING:
    from engine.dataset.dataset import Dataset
    from engine.sessions import SessionStore


def open_inspector(
    predictions: om.PredictionsArgument = None,
    sensor_embeddings: lo.SensorOption = None,
    text_embeddings: lo.TextOption = None,
    labels: lo.LabelsOption = None,
    k: lo.LabelKOption = lo.LABEL_KS,
    query: Annotated[
        str | None,
        typer.Option("--query", help="Ask this text at once.", show_default=False),
    ] = None,
    video: Annotated[
        str | None,
        typer.Option(
            "--video",
            "-v",
            help="Ask with this item at once: its id, or the number of its row from 0.",
            show_default=False,
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", "-m", help="Direction, e.g. sensor2text.", show_default=False),
    ] = None,
    groups: Annotated[
        str | None,
        typer.Option(
            "--groups",
            "-g",
            help="Levels of labels that count, or all. Default: the first.",
            show_default=False,
        ),
    ] = None,
    min_similarity: o.MinSimilarityOption = None,
    sensor_key: lo.SensorKeyOption = None,
    text_key: lo.TextKeyOption = None,
    labels_key: lo.LabelsKeyOption = None,
    name_a: lo.NameAOption = None,
    name_b: lo.NameBOption = None,
    normalize: lo.NormalizeOption = True,
    metadata: lo.MetadataOption = None,
    dataset_name: lo.DatasetNameOption = None,
    caption_style: lo.CaptionStyleOption = None,
    encoder: lo.LabelEncoderOption = None,
    query_vectors: lo.LabelQueryVectorsOption = None,
    sample: om.SampleOption = None,
    gt: om.TruthOption = None,
    format: om.FormatOption = "auto",
    task: om.TaskOption = None,
    at: om.AtOption = None,
    near: om.NearOption = None,
    nms: om.NmsOption = None,
    resume: ResumeOption = False,
    session: SessionOption = None,
    images: ImagesOption = "auto",
    theme: ThemeOption = None,
    keys: KeysOption = None,
    ascii: AsciiOption = False,
    store: StoreOption = None,
) -> None:
    """Open embeddings with labels in the inspector: step through queries and neighbours, see which
    have the same label, and what is retrieved instead. Or open predicted moments with --gt: queries
    by error class, and their spans on a time line.

    A direction (text2sensor, sensor2text, sensor2sensor, text2text) is a model, a level of labels
    is a group. Without files, the label sample opens.

    [bold]Examples[/bold]

    tui-eval open

    tui-eval open --sensor-embeddings sensor_emb.npy --text-embeddings text_emb.npy
    --labels labels.npy

    tui-eval open --sensor-embeddings a.npz --sensor-key train --labels l1=l1.csv --labels l2=l2.csv
    --groups l2 --k 5,20

    tui-eval open --sensor-embeddings emb.npy --labels labels.txt --video 17 --model sensor2sensor

    tui-eval open --sample moments

    tui-eval open submission.json --gt tvr_val_release.jsonl --task SVMR --at 0.7-r5
    """
    if query is not None and video is not None:
        raise InputError("--query and --video were given", hint="ask with one of the two")
    if min_similarity is not None and not math.isfinite(min_similarity):
        raise InputError(f"--min-similarity is {min_similarity}", hint="give a finite number")
    if (resume or session is not None) and (query or video):
        raise InputError("a session and a query were given", hint="resume, then ask")
    opened: Dataset | None = None
    if sample is not None:
        named = {
            "PREDICTIONS": predictions,
            "--gt": gt,
            "--sensor-embeddings": sensor_embeddings,
            "--text-embeddings": text_embeddings,
            "--labels": labels,
            "--resume": resume,
            "--session": session,
        }
        predictions, gt = om.sample_files(sample, named)
    of_moments = {
        "--gt": gt,
        "--format": format != "auto",
        "--task": task,
        "--at": at,
        "--near": near is not None,
        "--nms": nms is not None,
    }
    of_labels = {
        "--sensor-embeddings": sensor_embeddings,
        "--text-embeddings": text_embeddings,
        "--labels": labels,
        "--query": query is not None,
        "--video": video is not None,
        "--model": model,
        "--groups": groups,
        "--min-similarity": min_similarity is not None,
        "--resume": resume,
        "--session": session,
        "--images": images != "auto",
        "--store": store,
    }
    of_files = {
        "--k": k != lo.LABEL_KS,
        "--sensor-key": sensor_key,
        "--text-key": text_key,
        "--labels-key": labels_key,
        "--name-a": name_a,
        "--name-b": name_b,
        "--no-normalize": not normalize,
        "--metadata": metadata,
        "--dataset-name": dataset_name,
        "--caption-style": caption_style,
        "--encoder": encoder,
        "--query-vectors": query_vectors,
    }
    if predictions is not None or any(of_moments.values()):
        om.refuse_mixture(predictions, {**of_labels, **of_files})
        raise typer.Exit(
            om.open_moments(
                predictions,
                gt,
                format=format,
                task=task,
                at=at,
                near=near,
                nms=nms,
                ascii=ascii,
                theme=chosen_theme(theme),
                keymap=chosen_keymap(keys),
            )
        )
    if sensor_embeddings or text_embeddings or labels or not (resume or session is not None):
        files = lo.label_files(
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
        check_label_files(files)
        opened = open_labels(
            files,
            ks=parse_ks(k),
            encoder=encoder,
            query_vectors=query_vectors,
            metadata=metadata,
            dataset_name=dataset_name,
            caption_style=caption_style,
        )
    else:
        _refuse_options_of_files(of_files)
    from tui.opening.start import Start

    with open_store(store) as saved:
        going_on = _going_on(saved, resume, session, opened)
        if opened is None:
            assert going_on.session is not None
            opened = dataset_of(going_on.session)
        code = run_inspector(
            Start(
                dataset=opened,
                source=source_of(opened),
                store=saved,
                session=going_on.session,
                notice=going_on.notice,
                model=model,
                groups=o.resolve_groups(groups, opened),
                query=first_query(query, video),
                min_similarity=min_similarity,
                images=images,
                ascii=ascii,
                theme=chosen_theme(theme),
                keymap=chosen_keymap(keys),
            )
        )
    raise typer.Exit(code)


def _refuse_options_of_files(given: Mapping[str, object]) -> None:
    """A session brings its files along, and what was said of them."""
    for option, value in given.items():
        if value:
            raise InputError(
                f"{option} and a session were given, but no files",
                hint=f"leave {option} out, as the session remembers it, or name the files as well",
            )


def _going_on(
    store: SessionStore, resume: bool, session: str | None, opened: Dataset | None
) -> GoingOn:
    """Without files, `--resume` means the newest session about label files."""
    if opened is None and session is None:
        return newest_of_labels(store)
    return find_session(store, resume, session, opened)
