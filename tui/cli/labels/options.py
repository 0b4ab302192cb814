"""Options that name labelled embeddings; `tui.opening.label_files` says what they mean."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tui.opening.label_files import label_files as label_files

_FILES = "Files"
_SETTINGS = "What is in them"

SensorOption = Annotated[
    Path | None,
    typer.Option(
        "--sensor-embeddings",
        help="Embeddings of the first modality, rows × dimensions: .npy or .npz. The label sample "
        "if no file is named.",
        rich_help_panel=_FILES,
        show_default=False,
    ),
]
TextOption = Annotated[
    Path | None,
    typer.Option(
        "--text-embeddings",
        help="Embeddings of the second modality; row i is the same item.",
        rich_help_panel=_FILES,
        show_default=False,
    ),
]
LabelsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--labels",
        metavar="[NAME=]FILE",
        help="One label per row: .npy, .npz, .csv, .tsv or .txt. Several levels: --labels l1=F "
        "--labels l2=F.",
        rich_help_panel=_FILES,
        show_default=False,
    ),
]
SensorKeyOption = Annotated[
    str | None,
    typer.Option(
        "--sensor-key",
        metavar="KEY",
        help="Which array of an .npz. A sole one needs no key.",
        rich_help_panel=_SETTINGS,
        show_default=False,
    ),
]
TextKeyOption = Annotated[
    str | None,
    typer.Option(
        "--text-key",
        metavar="KEY",
        help="The same for the text embeddings.",
        rich_help_panel=_SETTINGS,
        show_default=False,
    ),
]
LabelsKeyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--labels-key",
        metavar="[NAME=]KEY",
        help="Which array of an .npz, or column of a table, holds the labels (of that level).",
        rich_help_panel=_SETTINGS,
        show_default=False,
    ),
]
NameAOption = Annotated[
    str | None,
    typer.Option(
        "--name-a",
        metavar="NAME",
        help="What the first modality is called: --name-a video makes video2text. Default: sensor.",
        rich_help_panel=_SETTINGS,
        show_default=False,
    ),
]
NameBOption = Annotated[
    str | None,
    typer.Option(
        "--name-b",
        metavar="NAME",
        help="What the second is called. Default: text.",
        rich_help_panel=_SETTINGS,
        show_default=False,
    ),
]
NormalizeOption = Annotated[
    bool,
    typer.Option(
        "--normalize/--no-normalize",
        help="Compare directions (cosine), or the vectors as they are (inner product).",
        rich_help_panel=_SETTINGS,
    ),
]
LabelKOption = Annotated[str, typer.Option("--k", "-k", help="Cut-offs of LabelScore@k.")]
LABEL_KS = "10,50,100"

PROTOTYPES = "Prototypes: texts that stand for labels"
MetadataOption = Annotated[
    Path | None,
    typer.Option(
        "--metadata",
        help="JSON with label_to_text_STYLE of every data set: texts that ask.",
        rich_help_panel=PROTOTYPES,
        show_default=False,
    ),
]
DatasetNameOption = Annotated[
    str | None,
    typer.Option(
        "--dataset-name",
        help="Which data set of the metadata.",
        rich_help_panel=PROTOTYPES,
        show_default=False,
    ),
]
CaptionStyleOption = Annotated[
    str | None,
    typer.Option(
        "--caption-style",
        help="Which label_to_text_STYLE of it; a sole one need not be named.",
        rich_help_panel=PROTOTYPES,
        show_default=False,
    ),
]
LabelEncoderOption = Annotated[
    str | None,
    typer.Option(
        "--encoder",
        help="Text encoder: a sentence-transformers folder or local name. Default: the embedded "
        "MiniLM.",
        rich_help_panel=PROTOTYPES,
        show_default=False,
    ),
]
LabelQueryVectorsOption = Annotated[
    Path | None,
    typer.Option(
        "--query-vectors",
        help="Precomputed vectors of the query texts, in place of an encoder.",
        rich_help_panel=PROTOTYPES,
        show_default=False,
    ),
]
