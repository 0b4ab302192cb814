"""Options of `tui-eval labels` alone: what is scored, prototypes, policies, output.

`tui.cli.labels.options` has those that it shares with `tui-eval open`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, get_args

import typer

from tui.cli.labels.options import PROTOTYPES as _PROTOTYPES

_POLICIES = "Edge policies (written into every result)"
_OUTPUT = "Output"

LabelFormat = Literal["summary", "json", "csv", "confusion", "document"]
FORMATS: tuple[LabelFormat, ...] = get_args(LabelFormat)

DirectionsOption = Annotated[
    str | None,
    typer.Option(
        "--directions",
        help="Which modality asks which, e.g. text2sensor,sensor2sensor,prototype2text. Default: "
        "text2sensor,sensor2text; with prototypes from them to all that is there.",
        show_default=False,
    ),
]
UsePrototypesOption = Annotated[
    bool,
    typer.Option(
        "--use-prototypes",
        help="Ask with texts that stand for labels. Alone, only the directions from prototypes are "
        "scored; --directions text2sensor,prototype2sensor compares both.",
        rich_help_panel=_PROTOTYPES,
    ),
]
PoolingOption = Annotated[
    Literal["mean", "max", "each"],
    typer.Option(
        "--prototype-pooling",
        help="Several texts of a label: their mean, the best of them, or each a query of its own.",
        rich_help_panel=_PROTOTYPES,
    ),
]
CheckpointOption = Annotated[
    Path | None,
    typer.Option(
        "--checkpoint",
        help="Torch checkpoint with a text encoder (weights only; see docs/prototypes.md).",
        rich_help_panel=_PROTOTYPES,
        show_default=False,
    ),
]
AdapterOption = Annotated[
    str | None,
    typer.Option(
        "--adapter",
        help="What makes an encoder of the checkpoint: a name, or package.module:function. "
        "Default: sentence-transformers, built on --encoder.",
        rich_help_panel=_PROTOTYPES,
        show_default=False,
    ),
]
PrototypeEmbeddingsOption = Annotated[
    Path | None,
    typer.Option(
        "--prototype-embeddings",
        help="Vectors computed elsewhere (.npy, .npz), in place of an encoder.",
        rich_help_panel=_PROTOTYPES,
        show_default=False,
    ),
]
PrototypeKeyOption = Annotated[
    str | None,
    typer.Option(
        "--prototype-key",
        metavar="KEY",
        help="Which array of an .npz.",
        rich_help_panel=_PROTOTYPES,
        show_default=False,
    ),
]
PrototypeLabelsOption = Annotated[
    Path | None,
    typer.Option(
        "--prototype-labels",
        help="Labels of those rows. Default: the array `labels` of the .npz, else the metadata's "
        "order.",
        rich_help_panel=_PROTOTYPES,
        show_default=False,
    ),
]
PrototypeLabelsKeyOption = Annotated[
    str | None,
    typer.Option(
        "--prototype-labels-key",
        metavar="KEY",
        help="Which array or column of them; without --prototype-labels, which array of the .npz "
        "of vectors.",
        rich_help_panel=_PROTOTYPES,
        show_default=False,
    ),
]
PrototypeLevelOption = Annotated[
    str | None,
    typer.Option(
        "--prototype-level",
        help="Level of their labels, if there are several. Default: the one that has them.",
        rich_help_panel=_PROTOTYPES,
        show_default=False,
    ),
]
UnknownLabelsOption = Annotated[
    Literal["error", "skip"],
    typer.Option(
        "--unknown-labels",
        help="A prototype whose label no item has.",
        rich_help_panel=_PROTOTYPES,
    ),
]
NoRelevantOption = Annotated[
    Literal["zero", "skip", "error"],
    typer.Option(
        "--no-relevant",
        help="A query whose label no other item has.",
        rich_help_panel=_POLICIES,
    ),
]
FewerThanKOption = Annotated[
    Literal["fixed", "adaptive"],
    typer.Option(
        "--fewer-than-k",
        help="Denominator with fewer than k items: k, or their number.",
        rich_help_panel=_POLICIES,
    ),
]
FormatOption = Annotated[
    LabelFormat | None,
    typer.Option(
        "--format",
        "-f",
        help="summary; json: the means; csv: by label; confusion: label by label (CSV); document: "
        "all of it (JSON). Default: by the name of --output (.csv: csv; .txt, .md: summary; else "
        "json), without it summary.",
        rich_help_panel=_OUTPUT,
        show_default=False,
    ),
]
OutputOption = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "--out",
        "-o",
        help="Write the result here; the summary is shown all the same.",
        rich_help_panel=_OUTPUT,
        show_default=False,
    ),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Short for --format json.", rich_help_panel=_OUTPUT)
]
PerLabelOption = Annotated[
    Path | None,
    typer.Option(
        "--per-label",
        help="Also write a CSV by label: support, score, random baseline, lift, means.",
        rich_help_panel=_OUTPUT,
        show_default=False,
    ),
]
ConfusionOption = Annotated[
    Path | None,
    typer.Option(
        "--confusion",
        help="Also write a CSV of which labels were found for which.",
        rich_help_panel=_OUTPUT,
        show_default=False,
    ),
]
ShowOption = Annotated[
    list[str] | None,
    typer.Option(
        "--show",
        metavar="ID",
        help="Instead of scores, the first neighbours (the smallest --k) of this query: an item's "
        "id or the number of its row from 0, or what a prototype is called. Repeatable.",
        rich_help_panel=_OUTPUT,
        show_default=False,
    ),
]
PerQueryOption = Annotated[
    Path | None,
    typer.Option(
        "--per-query",
        help="Also write one row per query (.csv, .jsonl, .parquet): compare and gate read it.",
        rich_help_panel=_OUTPUT,
        show_default=False,
    ),
]
