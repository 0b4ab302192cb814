"""A label run as a command asks for it: the files, the directions, and where prototypes come from.

LabelRequest ─▶ Labelled, Prototypes ─▶ LabelRun
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.base.errors import InputError, Place
from engine.base.progress import ProgressHook
from engine.files.input_file import FileSet, reading_inputs
from engine.labels.data.directions import Direction, Modalities
from engine.labels.data.label_files import LabelFiles
from engine.labels.data.labelled_items import LabelledItems, read_labelled
from engine.labels.prototypes.match_labels import UnknownLabelPolicy, match_prototypes
from engine.labels.prototypes.prototypes import Pooling, PrototypeSet
from engine.labels.scoring.label_run import LabelRun, check_ks, score_labels
from engine.metrics.policies import LABEL_POLICIES, Policies
from engine.text import EMBEDDED

if TYPE_CHECKING:
    from engine.labels.prototypes.prototypes import Prototypes
    from engine.labels.scoring.neighbours import QueryNeighbours
    from engine.text.encoder import LoadingHook, TextEncoder


@dataclass(frozen=True, slots=True)
class PrototypeRequest:
    """Texts of labels from a metadata file, encoded by a model or a checkpoint; or their vectors.

    encoder     a sentence-transformers model; with a checkpoint, what the adapter builds on
    embeddings  vectors computed elsewhere, in place of an encoder
    key         which array of the file of `embeddings`
    labels      whose labels the rows of `embeddings` are; None: as in `read_prototype_embeddings`
    labels_key  which array or column of them
    level       the level of the labels; None: the one that has them
    """

    metadata: Path | None = None
    dataset_name: str | None = None
    caption_style: str | None = None
    encoder: str = EMBEDDED
    checkpoint: Path | None = None
    adapter: str | None = None
    embeddings: Path | None = None
    key: str | None = None
    labels: Path | None = None
    labels_key: str | None = None
    pooling: Pooling = "mean"
    level: str | None = None
    unknown_labels: UnknownLabelPolicy = "error"

    @property
    def files(self) -> dict[str, Path]:
        named = {
            "metadata": self.metadata,
            "checkpoint": self.checkpoint,
            "prototype embeddings": self.embeddings,
            "prototype labels": self.labels,
        }
        return {role: path for role, path in named.items() if path is not None}


@dataclass(frozen=True, slots=True)
class LabelRequest:
    """What to score. `directions` None: the defaults of what is there."""

    files: LabelFiles
    ks: tuple[int, ...] = (10, 50, 100)
    directions: tuple[str, ...] | None = None
    prototypes: PrototypeRequest | None = None
    policies: Policies = LABEL_POLICIES

    @property
    def modalities(self) -> Modalities:
        return replace(self.files.modalities, has_prototypes=self.prototypes is not None)

    @property
    def chosen(self) -> tuple[Direction, ...]:
        """The directions, in order."""
        return self.modalities.choose(self.directions)

    @property
    def inputs(self) -> dict[str, Path]:
        """Every file that the numbers depend on, by role."""
        more = {} if self.prototypes is None else self.prototypes.files
        return {**self.files.files, **more}


def run_labels(
    request: LabelRequest,
    *,
    report: ProgressHook | None = None,
    while_loading: LoadingHook | None = None,
) -> LabelRun:
    """Read, encode what must be encoded, and score."""
    ready = _ready(request, while_loading)
    run = score_labels(
        ready.data,
        ready.directions,
        request.ks,
        prototypes=ready.prototypes,
        policies=request.policies,
        report=report,
    )
    notes = (*ready.data.notes, *run.notes, *ready.notes)
    if ready.prototypes is not None:
        notes = (*notes, *_unscored(ready.data, run, ready.prototypes.level))
    return replace(run, notes=notes, inputs=ready.files.named(request.inputs))


def find_neighbours(
    request: LabelRequest,
    names: Sequence[str],
    *,
    while_loading: LoadingHook | None = None,
) -> tuple[QueryNeighbours, ...]:
    """What the named queries find among the first K, the smallest that is asked for."""
    from engine.labels.scoring.neighbours import find_query_neighbours

    ready = _ready(request, while_loading)
    k = min(request.ks)
    return find_query_neighbours(ready.data, ready.directions, names, k, ready.prototypes)


@dataclass(frozen=True, eq=False)
class _Ready:
    """Everything that is read and encoded, before anything is ranked."""

    data: LabelledItems
    directions: tuple[Direction, ...]
    files: FileSet
    prototypes: PrototypeSet | None = None
    notes: tuple[str, ...] = ()


def _ready(request: LabelRequest, while_loading: LoadingHook | None) -> _Ready:
    directions = request.chosen  # what is wrong with them is reported before the work
    check_ks(request.ks)
    data = read_labelled(request.files)
    for direction in directions:
        data.check(direction)
    asked = {one.targets for one in directions if one.is_prototype}
    if request.prototypes is None:
        return _Ready(data, directions, data.files)
    if not asked:
        note = "prototypes are not used: no direction asks with them"
        return _Ready(data, directions, data.files, notes=(note,))
    wanted = request.prototypes
    with reading_inputs(*wanted.files.values()) as files:
        prototypes = match_prototypes(
            data,
            _read(wanted, data.metric == "cosine", while_loading),
            pooling=wanted.pooling,
            level=wanted.level,
            unknown=wanted.unknown_labels,
            place=Place(wanted.labels or wanted.embeddings or wanted.metadata),
            targets=asked,
        )
    return _Ready(data, directions, data.files | files, prototypes, prototypes.notes)


def _unscored(data: LabelledItems, run: LabelRun, level: str) -> Iterator[str]:
    """Says which levels prototypes leave out, wholly or beside the directions that have them."""
    for how, names in (
        ("not scored", [one.name for one in data.levels if one.name not in run.levels]),
        ("not scored with them", [one for one in run.levels if one != level]),
    ):
        if names:
            verb = "is" if len(names) == 1 else "are"
            yield f"prototypes stand for labels of {level}; {', '.join(names)} {verb} {how}"


def collect_settings(request: LabelRequest, run: LabelRun) -> dict[str, Any]:
    """Which data were scored and how, in plain values.

    A key is None where none was given: then it is the sole array, or that of the level's name.
    """
    files = request.files
    keys = [files.a_key, *([] if files.b is None else [files.b_key])]
    keys += [level.key for level in files.levels]
    settings: dict[str, Any] = {
        "similarity": files.metric,
        "directions": [direction.name for direction in request.chosen],
        "keys": dict(zip(files.files, keys, strict=True)),
    }
    if files.exclude:
        settings["exclude"] = [*files.exclude]
    levels = {score.level.name for score in run.scores if score.direction.is_prototype}
    if request.prototypes is not None and levels:
        settings["prototypes"] = {"level": levels.pop(), **_prototype_settings(request.prototypes)}
    return settings


def _prototype_settings(wanted: PrototypeRequest) -> dict[str, Any]:
    settings: dict[str, Any] = {"pooling": wanted.pooling, "unknown_labels": wanted.unknown_labels}
    if wanted.metadata is not None and wanted.dataset_name is not None:
        from engine.labels.prototypes.metadata import find_caption_style

        style = find_caption_style(wanted.metadata, wanted.dataset_name, wanted.caption_style)
        settings |= {"dataset_name": wanted.dataset_name, "caption_style": style}
    if wanted.embeddings is not None:
        return {**settings, "key": wanted.key, "labels_key": wanted.labels_key}
    if wanted.checkpoint is None:
        return {**settings, "encoder": wanted.encoder}
    from engine.text.checkpoints.adapters import BUILT_IN

    return {**settings, "adapter": wanted.adapter or BUILT_IN, "checkpoint_base": wanted.encoder}


def _read(
    wanted: PrototypeRequest, normalize: bool, while_loading: LoadingHook | None
) -> Prototypes:
    from engine.labels.prototypes.prototypes import encode_prototypes

    texts = _texts(wanted)
    if wanted.embeddings is not None:
        from engine.labels.prototypes.prototypes import read_prototype_embeddings

        return read_prototype_embeddings(
            wanted.embeddings,
            key=wanted.key,
            labels_path=wanted.labels,
            labels_key=wanted.labels_key,
            label_to_text=texts,
        )
    if texts is None:
        raise InputError(
            "there is nothing to make prototypes of",
            hint="give --metadata FILE --dataset-name NAME, or --prototype-embeddings FILE",
        )
    with closing(_encoder(wanted, while_loading)) as encoder:
        return encode_prototypes(texts, encoder, None, normalize)


def _texts(wanted: PrototypeRequest) -> dict[str, str | list[str]] | None:
    from engine.labels.prototypes.metadata import load_text_prototypes_from_metadata

    if wanted.metadata is None:
        return None
    if wanted.dataset_name is None:
        raise InputError(
            "--metadata needs the name of a data set in it", hint="give --dataset-name NAME"
        )
    return load_text_prototypes_from_metadata(
        wanted.metadata, wanted.dataset_name, wanted.caption_style
    )


def _encoder(wanted: PrototypeRequest, while_loading: LoadingHook | None) -> TextEncoder:
    if wanted.checkpoint is None:
        from engine.text.opening import open_encoder

        return open_encoder(wanted.encoder, while_loading=while_loading)
    from engine.text.checkpoints.adapters import BUILT_IN
    from engine.text.checkpoints.encoder import CheckpointEncoder

    return CheckpointEncoder(
        wanted.checkpoint,
        adapter=wanted.adapter or BUILT_IN,
        base=wanted.encoder,
        while_loading=while_loading,
    )
