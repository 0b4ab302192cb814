"""Labelled embeddings as a dataset: a direction is a model, a level of labels is a group.

So everything that works for keywords works for labels: an item's label is its one keyword of the
level's group. Opening looks at the files' heads only; they are read when they are first needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.base.caches import OnceCache
from engine.base.errors import InputError
from engine.base.messages import list_names
from engine.dataset.annotations.layout import KEPT_COLUMNS, normalise_group
from engine.dataset.dataset import Dataset
from engine.dataset.model_spec import ModelSpec, collect_model_files
from engine.labels.data.directions import Direction
from engine.labels.data.file_shapes import read_shape
from engine.labels.data.label_files import LabelFiles
from engine.text import EMBEDDED

if TYPE_CHECKING:
    from engine.base.arrays import Ints
    from engine.base.choices import Mode
    from engine.dataset.annotations.cells import GroupCells
    from engine.dataset.annotations.read import Annotations
    from engine.dataset.collection import Collection
    from engine.dataset.query_files import TextQuery
    from engine.labels.data.labelled_items import LabelledItems
    from engine.labels.data.level import LabelLevel
    from engine.metrics.policies import Policies
    from engine.search import Index
    from engine.text.encoder import SentenceEncoder
    from engine.text.mapping.mapper import Mapper

LABEL_PROFILE = "label"
INDEX_KIND = "precise"
LABEL_KS = (10, 50, 100)

REMEDY = (
    "start with the text encoder of these embeddings (--encoder FOLDER) or with --query-vectors "
    "FILE, or ask with an item"
)
_TABLES = (".csv", ".tsv")


@dataclass(frozen=True, slots=True)
class PrototypeTexts:
    """Where texts that stand for labels are written: a metadata file, a data set, a style."""

    metadata: Path
    dataset_name: str
    caption_style: str | None = None


@dataclass(frozen=True)
class LabelDataset(Dataset):
    """Items that ask and are found by their vectors, and are judged by their labels.

    read_from   the files, with their keys and names
    directions  which modality asks which, by the name of the model
    prototypes  texts that stand for labels, asked as text queries
    """

    read_from: LabelFiles = field(kw_only=True)
    directions: Mapping[str, Direction] = field(kw_only=True)
    prototypes: PrototypeTexts | None = field(default=None, kw_only=True)
    _indexes: OnceCache[str, Index] = field(init=False, repr=False, compare=False)

    @cached_property
    def labelled(self) -> LabelledItems:
        """The vectors and labels, read and checked."""
        from engine.labels.data.labelled_items import read_labelled

        return read_labelled(self.read_from)

    @cached_property
    def annotations(self) -> Annotations:
        """Every label as the one keyword of its item, spelled as it is."""
        from engine.dataset.annotations.read import Annotations

        groups = tuple(_cells(level) for level in self.labelled.levels)
        kept: dict[str, Any] = {name: self.labelled.columns.get(name) for name in KEPT_COLUMNS}
        return Annotations(
            path=self.annotations_file,
            ids=self.labelled.ids,
            groups=groups,
            encoding="",
            delimiter="",
            files=self.labelled.files,
            **kept,
        )

    @property
    def policies(self) -> Policies:
        """Label Score@K averages over all queries: one whose label nobody else has scores 0."""
        from engine.metrics.policies import LABEL_POLICIES

        return LABEL_POLICIES

    @property
    def has_labels(self) -> bool:
        return True

    @property
    def file_rows(self) -> Ints | None:
        return self.labelled.rows

    @property
    def first_mode(self) -> Mode:
        return "video" if self.prototypes is None else "text"

    @property
    def texts_file(self) -> Path | None:
        return None if self.prototypes is None else self.prototypes.metadata

    def texts(self) -> tuple[TextQuery, ...] | None:
        """The texts that stand for labels, each with its label; None: no metadata was named."""
        from engine.dataset.query_files import TextQuery

        if self.prototypes is None:
            return None
        pairs = _prototypes(self.prototypes)
        group = self._level_of([label for label, _ in pairs])
        left_out = self.labelled.left_out
        return tuple(
            TextQuery(text, (f"{group}:{label}",))
            for label, text in pairs
            if (group, label) not in left_out
        )

    def _level_of(self, labels: Sequence[str]) -> str:
        """The level that has these labels, by the same rule as for prototypes."""
        from engine.labels.prototypes.match_labels import build_level

        try:
            return build_level(self.labelled.levels, labels, None).name
        except InputError as error:
            raise InputError(
                error.message, error.place, hint="open the level they belong to: one --labels"
            ) from error

    @property
    def files(self) -> list[Path]:
        named = {*self.read_from.files.values(), *(s.query_vectors for s in self.models.values())}
        if self.prototypes is not None:
            named.add(self.prototypes.metadata)
        return [file for file in named if file is not None]

    def collection(
        self,
        model: str | None = None,
        opened: Iterable[Collection] = (),  # all share what was read once
    ) -> Collection:
        """The items of a direction: one modality is searched, perhaps another asks."""
        import numpy as np

        from engine.dataset.collection import Collection
        from engine.dataset.embeddings.read import Alignment

        spec = self.model(model)
        direction, labelled = self.directions[spec.name], self.labelled
        labelled.check(direction)
        rows = np.arange(len(labelled))
        return Collection(
            model=spec,
            truth=self.truth,
            vectors=labelled.vectors[direction.targets],
            alignment=Alignment(rows, rows, (), ()),
            other=None if direction.is_self else labelled.vectors[direction.queries],
            shared=lambda: self._indexes[direction.targets],
            files=labelled.files,
        )

    def __post_init__(self) -> None:
        object.__setattr__(self, "_indexes", OnceCache(self._index_of))

    def _index_of(self, modality: str) -> Index:
        """One index serves every direction that searches the modality."""
        from engine.search import build_index

        return build_index(self.labelled.vectors[modality], self.read_from.metric, INDEX_KIND)

    def mapper(self, encoder: SentenceEncoder) -> Mapper:
        """Text → labels."""
        from engine.labels.mapper import LabelMapper

        return LabelMapper(self.truth.words.keywords, encoder, threshold=self.threshold)

    def inputs(self, *models: ModelSpec) -> dict[str, Path]:
        levels = {f"labels {level.name}": level.path for level in self.read_from.levels}
        texts = {} if self.prototypes is None else {"metadata": self.prototypes.metadata}
        return {**levels, **collect_model_files(models), **texts}


def build_label_dataset(
    files: LabelFiles,
    *,
    name: str | None = None,
    ks: tuple[int, ...] = LABEL_KS,
    encoder: str = EMBEDDED,
    query_vectors: Path | None = None,
    prototypes: PrototypeTexts | None = None,
) -> LabelDataset:
    """The dataset of these files; nothing but the heads of arrays is read yet."""
    directions = {direction.name: direction for direction in _directions(files)}
    places = {files.name_a: files.a, files.name_b: files.b}
    models = {}
    for direction in directions.values():
        searched, asked = places[direction.targets], places[direction.queries]
        assert searched is not None
        models[direction.name] = ModelSpec(
            name=direction.name,
            embeddings=searched,
            metric=files.metric,
            encoder=encoder,
            query_vectors=query_vectors,
            description=_in_words(direction),
            asked=None if direction.is_self else asked,
            index=INDEX_KIND,
            remedy=REMEDY,
        )
    groups = _groups(files)
    tables = [level.path for level in files.levels if level.path.suffix.lower() in _TABLES]
    return LabelDataset(
        name=_name_with_left_out(name or files.a.stem, files),
        source=files.a,
        annotations_file=(tables or [level.path for level in files.levels])[0],
        models=models,
        default_groups=groups[:1],
        profile=LABEL_PROFILE,
        ks=ks,
        read_from=files,
        directions=directions,
        prototypes=prototypes,
    )


def _name_with_left_out(name: str, files: LabelFiles) -> str:
    """What is left out is said wherever the dataset is named."""
    return f"{name} without {list_names(files.exclude, 2)}" if files.exclude else name


def _directions(files: LabelFiles) -> list[Direction]:
    """Those scored by default, then the others; none between spaces of different dimensions."""
    modalities = files.modalities
    possible = [
        direction
        for direction in dict.fromkeys((*modalities.defaults(), *modalities.all()))
        if not direction.is_prototype
        and (files.b is not None or files.name_b not in (direction.queries, direction.targets))
    ]
    if files.b is None:
        return possible
    shapes = read_shape(files.a, files.a_key), read_shape(files.b, files.b_key)
    differ = all(shape and len(shape) == 2 for shape in shapes) and len(
        {shape[1] for shape in shapes if shape}
    ) == 2  # fmt: skip
    return [direction for direction in possible if direction.is_self or not differ]


def _groups(files: LabelFiles) -> tuple[str, ...]:
    """The levels as groups; names that read alike, or like a keyword, cannot be told apart."""
    if not files.levels:
        raise InputError("no labels are named", hint="give --labels FILE")
    names = [level.name for level in files.levels]
    for name in names:
        if ":" in name or not normalise_group(name):
            raise InputError(
                f"{name!r} is no name for a level of labels", hint="write one word, such as l1"
            )
        alike = [other for other in names if normalise_group(other) == normalise_group(name)]
        if len(alike) > 1:
            raise InputError(
                f"two levels of labels are called {' and '.join(map(repr, alike[:2]))}",
                hint="name them apart: --labels l1=FILE --labels l2=FILE",
            )
    return tuple(names)


def _in_words(direction: Direction) -> str:
    own = "; no item finds itself" if direction.is_self else ""
    return f"{direction.queries} asks {direction.targets}{own}"


def _cells(level: LabelLevel) -> GroupCells:
    """A level as the cells of a group: each label is one cell, which holds itself."""
    import numpy as np

    from engine.dataset.annotations.cells import GroupCells

    count = len(level.names)
    return GroupCells(
        group=level.name,
        column=level.name,
        names=level.names,
        cell_of=level.codes.astype(np.int32),
        starts=np.arange(count + 1, dtype=np.int64),
        keywords=np.arange(count, dtype=np.int32),
    )


def _prototypes(source: PrototypeTexts) -> list[tuple[str, str]]:
    from engine.labels.prototypes.metadata import (
        list_labels_and_texts,
        load_text_prototypes_from_metadata,
    )

    named = source.metadata, source.dataset_name, source.caption_style
    found = load_text_prototypes_from_metadata(*named)
    return list(zip(*list_labels_and_texts(found), strict=True))
