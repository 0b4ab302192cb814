"""Options that name a dataset."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tui.cli.shared.groups import option
from tui.cli.shared.options import ENCODER, QUERY_VECTORS
from tui.opening.source import open_from_options

if TYPE_CHECKING:
    from engine.dataset.dataset import Dataset


_FOLDER = "Folder with a dataset.toml. Default: the sample dataset."
DatasetArgument = Annotated[str | None, typer.Argument(metavar="DATASET", help=_FOLDER)]
DATASET = partial(option, _FOLDER, short="-d", metavar="FOLDER")

_PANEL = "Single files instead of a dataset folder"
_file = partial(option, panel=_PANEL)
ANNOTATIONS = partial(_file, "CSV or parquet file with slice_id and keyword columns.")
DUPLICATES = partial(
    _file, "A slice_id on two lines: stop, or make one clip with the keywords of both."
)


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
    metric: str | None = _file("Similarity: cosine, ip or l2. Default: cosine.")
    encoder: str | None = ENCODER(panel=_PANEL)
    query_vectors: Path | None = QUERY_VECTORS(panel=_PANEL)
    duplicates: Literal["error", "merge"] | None = DUPLICATES()

    def open(self, dataset: str | None, *, checked: bool = True) -> Dataset:
        """The dataset that is meant: a folder, these files, or the sample.

        checked  refuse a name of `--encoder` at once that cannot be one
        """
        if checked:
            check_encoder_option(self.encoder)
        return open_from_options(dataset, **vars(self))
