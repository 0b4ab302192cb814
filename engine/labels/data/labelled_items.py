"""Labelled: the embeddings of one or two modalities with the items' labels, read and checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from engine.base.arrays import AnyFloats
from engine.base.errors import InputError, Place
from engine.base.messages import fit_on_line, quote, suggest
from engine.base.similarity import Similarity
from engine.files.input_file import FileSet, reading_inputs
from engine.labels.data.array_files import check_embeddings, read_embeddings_array
from engine.labels.data.directions import Direction
from engine.labels.data.label_files import LabelFiles, LevelFile
from engine.labels.data.level import LabelLevel
from engine.labels.data.level_files import LevelTable, read_level

if TYPE_CHECKING:
    from engine.dataset.ground_truth import GroundTruth


Side: TypeAlias = Literal["a", "b"]
KEY_OPTIONS: dict[Side, str] = {"a": "--sensor-key", "b": "--text-key"}


@dataclass(frozen=True, eq=False)
class LabelledItems:
    """Items as vectors of each modality (row i is item i everywhere), with their labels.

    ids      the items' names: of a table of labels that has them, else the rows' numbers
    columns  what a table of labels says beside them, by plain column name
    files    those that were read
    """

    vectors: Mapping[str, AnyFloats]
    levels: tuple[LabelLevel, ...]
    ids: tuple[str, ...]
    metric: Similarity = "cosine"
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    files: FileSet = field(default_factory=FileSet)

    def __len__(self) -> int:
        return len(self.ids)

    def check(self, direction: Direction) -> None:
        """Refuse a direction between spaces of different dimensions."""
        if direction.is_prototype:
            return
        asked, searched = (self.vectors[name] for name in (direction.queries, direction.targets))
        if asked.shape[1] != searched.shape[1]:
            raise InputError(
                f"{direction.name}: {direction.queries} has {asked.shape[1]} dimensions, "
                f"{direction.targets} has {searched.shape[1]}",
                hint="use embeddings of one shared space, or the directions within each modality",
            )


def read_labelled(files: LabelFiles) -> LabelledItems:
    """Read and check everything; whatever is wrong is an InputError with its file and row."""
    with reading_inputs(*files.files.values()) as inputs:
        return replace(_read(files), files=inputs)


def _read(files: LabelFiles) -> LabelledItems:
    vectors = {files.name_a: _read_vectors(files, "a")}
    if files.b is not None:
        vectors[files.name_b] = _read_vectors(files, "b")
        rows_a, rows_b = (len(matrix) for matrix in vectors.values())
        if rows_a != rows_b:
            raise InputError(
                f"{rows_b:,} rows of {files.name_b} for {rows_a:,} rows of {files.name_a} "
                f"({files.a})",
                Place(files.b),
                hint="row i of both must be the same item",
            )
    rows = len(vectors[files.name_a])
    _check_names(files.levels)
    read = [read_level(file, rows) for file in files.levels]
    ids = _ids(files.levels, read) or tuple(map(str, range(rows)))
    columns = {name: cells for one in reversed(read) for name, cells in one.columns.items()}
    return LabelledItems(vectors, tuple(one.level for one in read), ids, files.metric, columns)


def _read_vectors(files: LabelFiles, side: Side) -> AnyFloats:
    path = files.a if side == "a" else files.b
    assert path is not None
    key = files.a_key if side == "a" else files.b_key
    vectors = read_embeddings_array(path, key, KEY_OPTIONS[side])
    check_embeddings(vectors, directions=files.normalize, place=Place(path))
    return vectors


def _ids(files: tuple[LevelFile, ...], read: list[LevelTable]) -> tuple[str, ...] | None:
    """The items' names from the tables that have them; they must agree on every row."""
    named = [(file, one.ids) for file, one in zip(files, read, strict=True) if one.ids]
    if not named:
        return None
    first, ids = named[0]
    for file, others in named[1:]:
        for row, (own, other) in enumerate(zip(ids, others, strict=True)):
            if own != other:
                raise InputError(
                    f"row {row} (counted from 0) is {quote(other)}, and {quote(own)} in "
                    f"{first.path}",
                    Place(file.path),
                    hint="row i of all tables must be the same item",
                )
    return ids


def _check_names(levels: tuple[LevelFile, ...]) -> None:
    if not levels:
        raise InputError("no labels are named", hint="give --labels FILE")
    names = [level.name for level in levels]
    for name in names:
        if names.count(name) > 1:
            raise InputError(
                f"two levels of labels are called {name!r}",
                hint="name them: --labels l1=FILE --labels l2=FILE",
            )


_MOST_COMPARED = 20_000
"""Ids among which a similar one is looked for."""


def find_item(text: str, truth: GroundTruth) -> str:
    """The id of the item that a text means: an id, or else a row, counted from 0.

    >>> from engine.dataset.ground_truth import GroundTruth
    >>> truth = GroundTruth.from_columns(["a", "b", "0"], {"room": [["x"], ["x"], ["y"]]})
    >>> find_item("b", truth), find_item("1", truth), find_item("0", truth)
    ('b', 'b', '0')
    """
    if truth.rows_of([text])[0] >= 0:
        return text
    # A row has few digits; a text of many is no number that anyone could mean.
    if text.isascii() and text.isdecimal() and len(text) <= len(str(len(truth))):
        row = int(text)
        if row < len(truth):
            return truth.ids[row]
    near = suggest(text, truth.ids) if len(truth) <= _MOST_COMPARED else ""
    rows = f"type an id, or the number of a row from 0 to {len(truth) - 1:,}"
    raise InputError(f'no item "{fit_on_line(text)}"', hint=f"{near} {rows}".strip())
