"""Label files as options name them. Nothing is read, and nothing of Typer is needed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.base.errors import InputError

if TYPE_CHECKING:
    from engine.labels.data.label_files import LabelFiles, LevelFile
    from engine.labels.dataset import LabelDataset, PrototypeTexts

SAMPLE_LABELS = "sample labels"
"""What sessions call the label sample that comes with the install."""

SENSOR = "--sensor-embeddings"


def collect_label_files(
    sensor_embeddings: Path | None = None,
    text_embeddings: Path | None = None,
    labels: Sequence[str] | None = None,
    *,
    sensor_key: str | None = None,
    text_key: str | None = None,
    labels_key: Sequence[str] | None = None,
    name_a: str | None = None,
    name_b: str | None = None,
    normalize: bool = True,
    exclude: Sequence[str] | None = None,
) -> LabelFiles:
    """The files that the options mean; without any of them, the label sample.

    Nothing is read: what is missing is one InputError, and so is a file that is not there.
    """
    from dataclasses import replace

    from engine.files.reading import require_regular
    from engine.labels.data.label_files import LabelFiles

    if sensor_embeddings is None and text_embeddings is None and not labels:
        _refuse_lone_keys(sensor_key, text_key, labels_key)
        return replace(
            find_sample_label_files(name_a, name_b, normalize), exclude=tuple(exclude or ())
        )
    if sensor_embeddings is None:
        raise InputError(
            f"{SENSOR} is missing", hint="name the first modality with it, whatever it is"
        )
    if not labels:
        raise InputError("--labels is missing", hint="give --labels FILE, one label per row")
    if text_embeddings is None and text_key is not None:
        raise InputError("--text-key needs --text-embeddings", hint="leave it out")
    levels = _levels(labels, labels_key or ())
    files = LabelFiles(
        sensor_embeddings,
        levels,
        text_embeddings,
        sensor_key,
        text_key,
        name_a or "sensor",
        name_b or "text",
        normalize,
        tuple(exclude or ()),
    )
    for path in files.files.values():
        require_regular(path)
    return files


def find_sample_label_files(
    name_a: str | None = None, name_b: str | None = None, normalize: bool = True
) -> LabelFiles:
    """The label sample: videos and their captions, with two levels of labels."""
    from engine.labels.data.label_files import LabelFiles, LevelFile
    from sample_data import folder

    place = folder() / "labels"
    table = place / "labels.csv"
    levels = tuple(LevelFile(name, table, named=True) for name in ("scene", "object"))
    return LabelFiles(
        place / "video_emb.npy",
        levels,
        place / "text_emb.npy",
        name_a=name_a or "video",
        name_b=name_b or "text",
        normalize=normalize,
    )


def find_sample_texts() -> PrototypeTexts:
    """The texts that stand for labels of the sample."""
    from engine.labels.dataset import PrototypeTexts
    from sample_data import folder

    return PrototypeTexts(folder() / "labels" / "metadata.json", "sample", "plain")


def is_sample(files: LabelFiles) -> bool:
    """Whatever is left out of it."""
    from dataclasses import replace

    return replace(files, exclude=()) == find_sample_label_files()


def _refuse_lone_keys(sensor: str | None, text: str | None, labels: Sequence[str] | None) -> None:
    needed = {
        "--sensor-key": (sensor, SENSOR),
        "--text-key": (text, "--text-embeddings"),
        "--labels-key": (labels, "--labels"),
    }
    for option, (value, file) in needed.items():
        if value:
            raise InputError(f"{option} needs {file}", hint=f"give {file} FILE, or leave it out")


def _levels(labels: Sequence[str], keys: Sequence[str]) -> tuple[LevelFile, ...]:
    """The levels, each with the key that is meant for it: KEY alone, or NAME=KEY."""
    from dataclasses import replace

    from engine.labels.data.label_files import LevelFile

    levels = [LevelFile.parse(text) for text in labels]
    names = [level.name for level in levels]
    chosen: dict[str, str] = {}
    for text in keys:
        name, equals, key = text.partition("=")
        if not equals or name.strip() not in names:
            if len(levels) > 1:
                raise InputError(
                    f"--labels-key {text!r} does not say for which of the levels it is",
                    hint=f"write --labels-key {names[0]}={text}",
                )
            name, key = names[0], text
        if name.strip() in chosen:
            raise InputError(
                f"two keys are given for the labels {name.strip()!r}", hint="choose one of the two"
            )
        chosen[name.strip()] = key.strip()
    return tuple(replace(level, key=chosen.get(level.name)) for level in levels)


def check_label_files(files: LabelFiles) -> None:
    """Say before the screen changes what is wrong with the files; heads that agree are enough.

    Anything suspicious is read for real, and then the reader says what it is.
    """
    from engine.labels.data.file_shapes import have_matching_rows

    if files.exclude or not have_matching_rows(files):
        from engine.labels.data.labelled_items import read_labelled

        read_labelled(files)


def open_labels(
    files: LabelFiles,
    *,
    ks: tuple[int, ...] | None = None,
    encoder: str | None = None,
    query_vectors: Path | None = None,
    metadata: Path | None = None,
    dataset_name: str | None = None,
    caption_style: str | None = None,
) -> LabelDataset:
    """The dataset of label files."""
    from engine.files.reading import require_regular
    from engine.labels.dataset import LABEL_KS, PrototypeTexts, build_label_dataset
    from engine.labels.prototypes.metadata import load_text_prototypes_from_metadata
    from engine.text import EMBEDDED

    prototypes = None
    if metadata is not None:
        if dataset_name is None:
            raise InputError(
                "--metadata needs --dataset-name", hint="say which data set of the file is meant"
            )
        # A small file: what is wrong with it is reported before the screen changes.
        load_text_prototypes_from_metadata(metadata, dataset_name, caption_style)
        prototypes = PrototypeTexts(metadata, dataset_name, caption_style)
    elif dataset_name is not None or caption_style is not None:
        option = "--dataset-name" if dataset_name is not None else "--caption-style"
        raise InputError(f"{option} needs --metadata", hint="give --metadata FILE")
    if query_vectors is not None:
        require_regular(query_vectors)
    return build_label_dataset(
        files,
        name=SAMPLE_LABELS if is_sample(files) else None,
        ks=ks or LABEL_KS,
        encoder=encoder or EMBEDDED,
        query_vectors=query_vectors,
        prototypes=prototypes,
    )
