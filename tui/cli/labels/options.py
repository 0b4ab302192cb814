"""Options of `tui-eval labels`: the files, prototypes, policies, output, and what a screen asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from engine.base.choices import NoRelevantPolicy, ShortListPolicy
from engine.base.errors import InputError
from tui.cli.shared import options as o
from tui.cli.shared.groups import find_given_options, option
from tui.cli.shared.look_options import RESUME, SESSION
from tui.cli.shared.output import SummaryOutput, written
from tui.opening.label_files import collect_label_files, find_sample_texts

if TYPE_CHECKING:
    from engine.labels.data.label_files import LabelFiles
    from engine.labels.request import PrototypeRequest
    from engine.metrics.policies import Policies

_PROTOTYPES = "Prototypes: texts that stand for labels"
_file = partial(option, panel="Files")
_setting = partial(option, panel="What is in them")
_prototype = partial(option, panel=_PROTOTYPES)
_vectors = partial(_prototype, where="print")  # a screen encodes and asks each of their texts
_first = partial(option, panel="With --inspect", where="screen")

USUAL_KS = "10,50,100"


@dataclass(frozen=True)
class FileOptions:
    """Labelled embeddings; `tui.opening.label_files` says what the options mean."""

    sensor_embeddings: Path | None = _file(
        "Embeddings of the first modality, rows × dimensions: .npy or .npz. The label "
        "sample if no file is named."
    )
    text_embeddings: Path | None = _file(
        "Embeddings of the second modality; row i is the same item."
    )
    labels: list[str] | None = _file(
        "One label per row: .npy, .npz, .csv, .tsv or .txt. Several levels: --labels l1=F "
        "--labels l2=F.",
        metavar="[NAME=]FILE",
    )
    sensor_key: str | None = _setting(
        "Which array of an .npz; not needed if there is only one.", metavar="KEY"
    )
    text_key: str | None = _setting("The same for the text embeddings.", metavar="KEY")
    labels_key: list[str] | None = _setting(
        "Which array of an .npz, or column of a table, holds the labels (of that level).",
        metavar="[NAME=]KEY",
    )
    name_a: str | None = _setting(
        "What the first modality is called: --name-a video makes video2text. Default: sensor.",
        metavar="NAME",
    )
    name_b: str | None = _setting("What the second is called. Default: text.", metavar="NAME")
    normalize: bool = _setting(
        "Compare directions (cosine), or the vectors as they are (inner product).",
        True,
        name="--normalize/--no-normalize",
    )
    exclude: list[str] | None = _setting(
        "Leave out the items with these labels, as queries and as candidates, e.g. "
        "Other,No_Activity. Of one level only: l1=Other.",
        metavar="LABELS",
    )

    @property
    def are_named(self) -> bool:
        """Whether there are any; else the sample is meant."""
        return bool(self.sensor_embeddings or self.text_embeddings or self.labels)

    def files(self) -> LabelFiles:
        return collect_label_files(**vars(self))


@dataclass(frozen=True)
class PrototypeOptions:
    """Where prototypes come from."""

    use_prototypes: bool = _prototype(
        "Ask with texts that stand for labels. Without --directions, only those from prototypes "
        "are scored; --directions text2sensor,prototype2sensor compares both.",
        False,
    )
    metadata: Path | None = _prototype(
        "JSON file with label_to_text_STYLE for each data set: the texts to ask with."
    )
    dataset_name: str | None = _prototype("Which data set of the metadata.", metavar="NAME")
    caption_style: str | None = _prototype(
        "Which label_to_text_STYLE of it; not needed if there is only one.", metavar="STYLE"
    )
    encoder: str | None = o.ENCODER(panel=_PROTOTYPES)
    prototype_pooling: Literal["mean", "max", "each"] = _prototype(
        "A label with several texts: use their mean, the best of them, or ask each on its own.",
        "mean",
    )
    checkpoint: Path | None = _vectors(
        "Torch checkpoint with a text encoder (weights only; see docs/prototypes.md)."
    )
    adapter: str | None = _vectors(
        "What turns the checkpoint into an encoder: a name, or package.module:function. "
        "Default: sentence-transformers, built on --encoder.",
        metavar="NAME",
    )
    prototype_embeddings: Path | None = _vectors(
        "Vectors computed elsewhere (.npy, .npz), in place of an encoder."
    )
    prototype_key: str | None = _vectors("Which array of an .npz.", metavar="KEY")
    prototype_labels: Path | None = _vectors(
        "Labels of those rows. Default: the array `labels` of the .npz, else the metadata's order."
    )
    prototype_labels_key: str | None = _vectors(
        "Which array or column of them; without --prototype-labels, which array of the "
        ".npz of vectors.",
        metavar="KEY",
    )
    prototype_level: str | None = _vectors(
        "Level of their labels, if there are several. Default: the one that has them.",
        metavar="NAME",
    )
    unknown_labels: Literal["error", "skip"] = _vectors(
        "A prototype whose label no item has: stop, or leave it out.", "error"
    )

    def request(self, of_sample: bool, typed: bool = False) -> PrototypeRequest | None:
        """Where prototypes come from; None if there are to be none. Options that would be ignored
        are refused, and those of the sample are filled in where none is given.

        typed  texts are typed beside them, for which there may be an encoder in any case
        """
        from engine.labels.request import PrototypeRequest
        from engine.text import EMBEDDED

        given = find_given_options(self)
        if self.encoder == EMBEDDED or (typed and self.encoder and not self.use_prototypes):
            given.remove("--encoder")  # as it is without the option, or of use without prototypes
        if not self.use_prototypes:
            for name in given:
                raise InputError(f"{name} needs --use-prototypes", hint="add it, or leave it out")
            return None
        if self.prototype_embeddings is not None and {"--encoder", "--checkpoint"} & set(given):
            raise InputError(
                "--prototype-embeddings are encoded already",
                hint="leave --encoder and --checkpoint out, or the embeddings",
            )
        if self.checkpoint is None:
            _refuse(given, ("--adapter",), "--checkpoint")
        if self.prototype_embeddings is None:
            lone = ("--prototype-key", "--prototype-labels", "--prototype-labels-key")
            _refuse(given, lone, "--prototype-embeddings")
        values = {name.removeprefix("prototype_"): value for name, value in vars(self).items()}
        del values["use_prototypes"]
        values["encoder"] = self.encoder or EMBEDDED
        if of_sample and self.metadata is None and self.prototype_embeddings is None:
            sample = asdict(find_sample_texts())
            values |= {name: values[name] or value for name, value in sample.items()}
        elif self.metadata is None:
            _refuse(given, ("--dataset-name", "--caption-style"), "--metadata")
        return PrototypeRequest(**values)


def _refuse(given: Sequence[str], options: Sequence[str], needed: str) -> None:
    """Whatever of these is given means nothing without the option that is needed."""
    for name in given:
        if name in options:
            raise InputError(
                f"{name} needs {needed}", hint=f"give {needed} FILE, or leave {name} out"
            )


@dataclass(frozen=True)
class LabelPolicyOptions:
    """What is done where definitions differ."""

    no_relevant: NoRelevantPolicy = o.NO_RELEVANT("zero")
    fewer_than_k: ShortListPolicy = o.FEWER_THAN_K("fixed")

    def policies(self) -> Policies:
        from engine.metrics.policies import Policies

        return Policies(no_relevant=self.no_relevant, fewer_than_k=self.fewer_than_k)


@dataclass(frozen=True)
class LabelOutput(SummaryOutput):
    """What is written of the scores."""

    format: Literal["summary", "json", "csv", "confusion", "document"] | None = written(
        "summary; json: the means; csv: by label; confusion: label by label (CSV); "
        "document: all of it (JSON). Default: by the name of --out (.csv; .txt, .md: summary; "
        ".json or none: json), without it summary.",
        short="-f",
        metavar="FORMAT",
    )
    per_label: Path | None = written(
        "Also write a CSV by label: support, score, random baseline, lift, means."
    )
    confusion_csv: Path | None = written("Also write a CSV of which labels were found for which.")

    suffixes: ClassVar[Mapping[str, str]] = {
        **SummaryOutput.suffixes,
        ".md": "summary",
        ".markdown": "summary",
    }


@dataclass(frozen=True)
class FirstOptions:
    """What the inspector is asked first."""

    query: str | None = _first("Ask this text at once.")
    query_vectors: Path | None = o.QUERY_VECTORS(panel="With --inspect", where="screen")
    groups: str | None = _first(
        "Levels of labels that count, or all. Default: the first.", short="-g", metavar="NAMES"
    )
    min_similarity: float | None = o.MIN_SIMILARITY(panel="With --inspect", where="screen")
    resume: bool = RESUME(False)
    session: str | None = SESSION()

    @property
    def resumes(self) -> bool:
        return self.resume or self.session is not None
