"""Options that name a dataset."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tui.cli.shared.options import ENCODER, QUERY_VECTORS
from tui.opening.source import open_from_options

if TYPE_CHECKING:
    from engine.dataset.dataset import Dataset

_FOLDER = "Folder with a dataset.toml. The sample dataset if left out."
DatasetArgument = Annotated[str | None, typer.Argument(metavar="DATASET", help=_FOLDER)]
DatasetOption = Annotated[str | None, typer.Option("--dataset", "-d", help=_FOLDER)]

_PANEL = "Single files in place of a dataset folder"
_file = partial(typer.Option, rich_help_panel=_PANEL)

AnnotationsOption = Annotated[
    Path | None, _file("--annotations", help="CSV or parquet with slice_id and keyword columns.")
]
DuplicatesOption = Annotated[
    Literal["error", "merge"] | None,
    _file(
        "--duplicates",
        help="A slice_id on two lines: an error, or one clip with the keywords of both.",
    ),
]


@dataclass(frozen=True)
class SingleFiles:
    """Single files in place of a dataset folder."""

    annotations: AnnotationsOption = None
    embeddings: Annotated[
        Path | None, _file("--embeddings", help="parquet, .npy (with an ids file) or .npz.")
    ] = None
    ids: Annotated[Path | None, _file("--ids", help="Ids of an .npy file.")] = None
    metric: Annotated[str | None, _file("--metric", help="cosine, ip or l2. Default: cosine.")] = (
        None
    )
    encoder: Annotated[str | None, ENCODER(rich_help_panel=_PANEL)] = None
    query_vectors: Annotated[Path | None, QUERY_VECTORS(rich_help_panel=_PANEL)] = None
    duplicates: DuplicatesOption = None

    def open(self, dataset: str | None) -> Dataset:
        """The dataset that is meant: a folder, these files, or the sample."""
        return open_from_options(
            dataset,
            self.annotations,
            self.embeddings,
            self.ids,
            self.metric,
            self.encoder,
            self.query_vectors,
            self.duplicates,
        )
