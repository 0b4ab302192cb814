"""Options of `tui-eval labels`: the files, prototypes, policies, output, and what a screen asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import typer

from tui.cli.shared import options as o
from tui.cli.shared.look_options import ResumeOption, SessionOption
from tui.cli.shared.output import Output, PerQueryOption, written
from tui.opening.label_files import label_files

if TYPE_CHECKING:
    from engine.labels.data.files import LabelFiles
    from engine.labels.request import PrototypeRequest
    from engine.labels.scoring.scoring import LabelPolicies

_PROTOTYPES = "Prototypes: texts that stand for labels"
_file = partial(typer.Option, rich_help_panel="Files")
_setting = partial(typer.Option, rich_help_panel="What is in them")
_prototype = partial(typer.Option, rich_help_panel=_PROTOTYPES)
_first = partial(typer.Option, rich_help_panel="With --inspect")

KS = "10,50,100"


@dataclass(frozen=True)
class FileOptions:
    """Labelled embeddings; `tui.opening.label_files` says what the options mean."""

    sensor_embeddings: Annotated[
        Path | None,
        _file(
            "--sensor-embeddings",
            help="Embeddings of the first modality, rows × dimensions: .npy or .npz. The label "
            "sample if no file is named.",
        ),
    ] = None
    text_embeddings: Annotated[
        Path | None,
        _file(
            "--text-embeddings", help="Embeddings of the second modality; row i is the same item."
        ),
    ] = None
    labels: Annotated[
        list[str] | None,
        _file(
            "--labels",
            metavar="[NAME=]FILE",
            help="One label per row: .npy, .npz, .csv, .tsv or .txt. Several levels: --labels l1=F "
            "--labels l2=F.",
        ),
    ] = None
    sensor_key: Annotated[
        str | None,
        _setting(
            "--sensor-key",
            metavar="KEY",
            help="Which array of an .npz. A sole one needs no key.",
        ),
    ] = None
    text_key: Annotated[
        str | None,
        _setting("--text-key", metavar="KEY", help="The same for the text embeddings."),
    ] = None
    labels_key: Annotated[
        list[str] | None,
        _setting(
            "--labels-key",
            metavar="[NAME=]KEY",
            help="Which array of an .npz, or column of a table, holds the labels (of that level).",
        ),
    ] = None
    name_a: Annotated[
        str | None,
        _setting(
            "--name-a",
            metavar="NAME",
            help="What the first modality is called: --name-a video makes video2text. Default: "
            "sensor.",
        ),
    ] = None
    name_b: Annotated[
        str | None,
        _setting("--name-b", metavar="NAME", help="What the second is called. Default: text."),
    ] = None
    normalize: Annotated[
        bool,
        _setting(
            "--normalize/--no-normalize",
            help="Compare directions (cosine), or the vectors as they are (inner product).",
        ),
    ] = True

    @property
    def are_named(self) -> bool:
        """Whether there are any; else the sample is meant."""
        return bool(self.sensor_embeddings or self.text_embeddings or self.labels)

    def files(self) -> LabelFiles:
        return label_files(
            self.sensor_embeddings,
            self.text_embeddings,
            self.labels,
            sensor_key=self.sensor_key,
            text_key=self.text_key,
            labels_keys=self.labels_key,
            name_a=self.name_a,
            name_b=self.name_b,
            normalize=self.normalize,
        )


@dataclass(frozen=True)
class PrototypeOptions:
    """Where prototypes come from."""

    use_prototypes: Annotated[
        bool,
        _prototype(
            "--use-prototypes",
            help="Ask with texts that stand for labels. Alone, only the directions from prototypes "
            "are scored; --directions text2sensor,prototype2sensor compares both.",
        ),
    ] = False
    metadata: Annotated[
        Path | None,
        _prototype(
            "--metadata", help="JSON with label_to_text_STYLE of every data set: texts that ask."
        ),
    ] = None
    dataset_name: Annotated[
        str | None, _prototype("--dataset-name", help="Which data set of the metadata.")
    ] = None
    caption_style: Annotated[
        str | None,
        _prototype(
            "--caption-style",
            help="Which label_to_text_STYLE of it; a sole one need not be named.",
        ),
    ] = None
    encoder: Annotated[str | None, o.ENCODER(rich_help_panel=_PROTOTYPES)] = None
    prototype_pooling: Annotated[
        Literal["mean", "max", "each"],
        _prototype(
            "--prototype-pooling",
            help="Several texts of a label: their mean, the best of them, or each a query of its "
            "own.",
        ),
    ] = "mean"
    checkpoint: Annotated[
        Path | None,
        _prototype(
            "--checkpoint",
            help="Torch checkpoint with a text encoder (weights only; see docs/prototypes.md).",
        ),
    ] = None
    adapter: Annotated[
        str | None,
        _prototype(
            "--adapter",
            help="What makes an encoder of the checkpoint: a name, or package.module:function. "
            "Default: sentence-transformers, built on --encoder.",
        ),
    ] = None
    prototype_embeddings: Annotated[
        Path | None,
        _prototype(
            "--prototype-embeddings",
            help="Vectors computed elsewhere (.npy, .npz), in place of an encoder.",
        ),
    ] = None
    prototype_key: Annotated[
        str | None,
        _prototype("--prototype-key", metavar="KEY", help="Which array of an .npz."),
    ] = None
    prototype_labels: Annotated[
        Path | None,
        _prototype(
            "--prototype-labels",
            help="Labels of those rows. Default: the array `labels` of the .npz, else the "
            "metadata's order.",
        ),
    ] = None
    prototype_labels_key: Annotated[
        str | None,
        _prototype(
            "--prototype-labels-key",
            metavar="KEY",
            help="Which array or column of them; without --prototype-labels, which array of the "
            ".npz of vectors.",
        ),
    ] = None
    prototype_level: Annotated[
        str | None,
        _prototype(
            "--prototype-level",
            help="Level of their labels, if there are several. Default: the one that has them.",
        ),
    ] = None
    unknown_labels: Annotated[
        Literal["error", "skip"],
        _prototype("--unknown-labels", help="A prototype whose label no item has."),
    ] = "error"

    def request(self) -> PrototypeRequest:
        from engine.labels.request import PrototypeRequest
        from engine.text.defaults import EMBEDDED

        return PrototypeRequest(
            metadata=self.metadata,
            dataset=self.dataset_name,
            style=self.caption_style,
            encoder=self.encoder or EMBEDDED,
            checkpoint=self.checkpoint,
            adapter=self.adapter,
            embeddings=self.prototype_embeddings,
            key=self.prototype_key,
            labels=self.prototype_labels,
            labels_key=self.prototype_labels_key,
            pooling=self.prototype_pooling,
            level=self.prototype_level,
            unknown=self.unknown_labels,
        )


@dataclass(frozen=True)
class PolicyOptions:
    """What is done where definitions differ."""

    no_relevant: o.NoRelevantOption = "zero"
    fewer_than_k: o.FewerThanKOption = "fixed"

    def policies(self) -> LabelPolicies:
        from engine.labels.scoring.scoring import LabelPolicies

        return LabelPolicies(self.no_relevant, self.fewer_than_k)


@dataclass(frozen=True)
class LabelOutput(Output):
    """What is written of the scores."""

    format: Annotated[
        Literal["summary", "json", "csv", "confusion", "document"] | None,
        written(
            "--format",
            "-f",
            help="summary; json: the means; csv: by label; confusion: label by label (CSV); "
            "document: all of it (JSON). Default: by the name of --out (.csv: csv; .txt, .md: "
            "summary; else json), without it summary.",
        ),
    ] = None
    out: Annotated[
        Path | None,
        written("--out", "-o", help="Write the result here; the summary is shown all the same."),
    ] = None
    per_label: Annotated[
        Path | None,
        written(
            "--per-label",
            help="Also write a CSV by label: support, score, random baseline, lift, means.",
        ),
    ] = None
    confusion_csv: Annotated[
        Path | None,
        written("--confusion-csv", help="Also write a CSV of which labels were found for which."),
    ] = None
    per_query: PerQueryOption = None

    suffixes: ClassVar[Mapping[str, str]] = {".csv": "csv", ".txt": "summary", ".md": "summary"}
    unnamed: ClassVar[str] = "json"


@dataclass(frozen=True)
class FirstOptions:
    """What the inspector is asked first."""

    query: Annotated[str | None, _first("--query", help="Ask this text at once.")] = None
    query_vectors: Annotated[Path | None, o.QUERY_VECTORS(rich_help_panel="With --inspect")] = None
    groups: Annotated[
        str | None,
        _first("--groups", "-g", help="Levels of labels that count, or all. Default: the first."),
    ] = None
    min_similarity: Annotated[float | None, o.MIN_SIMILARITY(rich_help_panel="With --inspect")] = (
        None
    )
    resume: ResumeOption = False
    session: SessionOption = None
