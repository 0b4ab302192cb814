"""Options that name a dataset."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from engine.base.errors import InputError
from tui.cli.shared.groups import argument, option
from tui.cli.shared.options import ENCODER, METRIC, QUERY_VECTORS
from tui.opening.source import open_from_options

if TYPE_CHECKING:
    from engine.dataset.dataset import Dataset


FOLDER = "Folder with a dataset.toml. Default: the one of config.toml, or the sample dataset."
dataset_option = partial(option, name="--dataset", short="-d", metavar="FOLDER")
DATASET = partial(dataset_option, FOLDER)
"""Where an argument is something else: a text, a run, a session."""

_PANEL = "Single files instead of a dataset folder"
_file = partial(option, panel=_PANEL)
ANNOTATIONS = partial(_file, "CSV or parquet file with slice_id and keyword columns.")
DUPLICATES = partial(
    _file, "A slice_id on two lines: stop, or make one clip with the keywords of both lines."
)

SOURCE = partial(
    _file,
    "What names the recording that a clip is cut from: a column, or else a pattern over the "
    "slice_id (its one group, or all that it matches). Also with a dataset folder. Default: "
    "\\[source] of dataset.toml, or video_path.",
    metavar="COLUMN|PATTERN",
)


@dataclass(frozen=True)
class DatasetChoice:
    """A dataset as an argument or as `--dataset`: both mean the same."""

    dataset: str | None = argument("DATASET", FOLDER, None)
    same_dataset: str | None = dataset_option("The same as DATASET.")

    @property
    def named(self) -> str | None:
        """The one that is meant; None: the usual one."""
        return choose_dataset(self.dataset, self.same_dataset)


def choose_dataset(argument: str | None, option: str | None) -> str | None:
    """The one that is named; naming two that differ is an error.

    >>> choose_dataset("a", "b/../a/"), choose_dataset(None, "b"), choose_dataset(None, None)
    ('a', 'b', None)
    """
    if argument is None or option is None:
        return option if argument is None else argument
    if Path(argument).resolve() != Path(option).resolve():
        raise InputError(
            f"two datasets were given: {argument}, and {option} with --dataset",
            hint="leave out one of the two",
        )
    return argument


def check_encoder_option(encoder: str | None) -> None:
    """Refuse what cannot be an encoder, also where no text will need one; none of its files is
    written over."""
    if encoder is not None:
        from engine.files.protection import protect_listed
        from engine.text.model_files import check_encoder

        check_encoder(encoder)
        protect_listed(lambda: Path(encoder).rglob("*"))


@dataclass(frozen=True)
class SingleFiles:
    """Single files in place of a dataset folder."""

    annotations: Path | None = ANNOTATIONS()
    embeddings: Path | None = _file("A parquet, .npz or .npy file; an .npy file needs ids.")
    ids: Path | None = _file("File with the ids of an .npy file's rows.")
    metric: str | None = METRIC("Similarity of the embeddings. Default: cosine.", panel=_PANEL)
    encoder: str | None = ENCODER(panel=_PANEL)
    query_vectors: Path | None = QUERY_VECTORS(panel=_PANEL)
    duplicates: Literal["error", "merge"] | None = DUPLICATES()
    source: str | None = SOURCE()

    def open(self, dataset: str | None, *, checked: bool = True) -> Dataset:
        """The dataset that is meant: a folder, these files, or the sample.

        checked  refuse a name of `--encoder` at once that cannot be one
        """
        if checked:
            check_encoder_option(self.encoder)
        return open_from_options(dataset, **vars(self))
