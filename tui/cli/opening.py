"""Opening the dataset that a command line means: a folder, single files, or the sample."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from engine.errors import InputError

if TYPE_CHECKING:
    from engine.dataset import Dataset

SAMPLE = "sample"


def open_from_options(
    dataset: str | None,
    annotations: Path | None = None,
    embeddings: Path | None = None,
    ids: Path | None = None,
    metric: str | None = None,
    encoder: str | None = None,
    query_vectors: Path | None = None,
    duplicates: Literal["error", "merge"] | None = None,
) -> Dataset:
    """The dataset that the options mean: a folder, single files, or the sample."""
    from dataclasses import replace

    from engine.dataset_file import dataset_from_files, open_dataset
    from engine.defaults import EMBEDDED

    if annotations is None:
        _refuse_lone_options(
            embeddings=embeddings,
            ids=ids,
            metric=metric,
            encoder=encoder,
            query_vectors=query_vectors,
        )
        opened = open_dataset(_folder(dataset))
    elif dataset is not None:
        raise InputError("a dataset and --annotations were given", hint="choose one of the two")
    else:
        opened = dataset_from_files(
            annotations,
            embeddings,
            ids=ids,
            metric=metric or "cosine",
            encoder=encoder or EMBEDDED,
            query_vectors=query_vectors,
        )
    return replace(opened, duplicates=duplicates) if duplicates else opened


def _folder(dataset: str | None) -> Path:
    if dataset is None or (dataset == SAMPLE and not Path(SAMPLE).exists()):
        from sample_data import folder

        return folder()
    return Path(dataset)


def _refuse_lone_options(**given: object) -> None:
    for name, value in given.items():
        if value is not None:
            option = f"--{name.replace('_', '-')}"
            raise InputError(
                f"{option} needs --annotations",
                hint="for a dataset folder, set it in dataset.toml under [models.NAME]",
            )


def source_of(dataset: Dataset) -> str:
    """The dataset as sessions name it: the sample by its name, others by their absolute path."""
    from sample_data import folder

    place = dataset.source.resolve()
    return SAMPLE if place == folder().resolve() else str(place)
