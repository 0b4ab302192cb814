"""Labelled: the embeddings of one or two modalities with the items' labels, read and checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from engine.base.arrays import AnyFloats, Ints
from engine.base.errors import InputError, Place
from engine.base.messages import fit_on_line, quote, suggest
from engine.base.similarity import Similarity
from engine.files.input_file import FileSet, reading_inputs
from engine.labels.data.array_files import check_embeddings, read_embeddings_array
from engine.labels.data.directions import Direction
from engine.labels.data.file_rows import find_item_in_row, find_last_row
from engine.labels.data.label_files import LabelFiles, LevelFile
from engine.labels.data.leave_out import exclude_labels
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
    rows     where the items stand in the files; None: all of them are there
    left_out (level, label) of those that are not
    notes    what a reader must know of them
    """

    vectors: Mapping[str, AnyFloats]
    levels: tuple[LabelLevel, ...]
    ids: tuple[str, ...]
    metric: Similarity = "cosine"
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    files: FileSet = field(default_factory=FileSet)
    rows: Ints | None = None
    left_out: frozenset[tuple[str, str]] = frozenset()
    notes: tuple[str, ...] = ()

    def find_row(self, row: int) -> int | None:
        """The place of the item that stands in this row of the files; None: there is none."""
        return find_item_in_row(row, len(self), self.rows)

    @property
    def last_row(self) -> int:
        """The last row of the files in which an item stands."""
        return find_last_row(len(self), self.rows)

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
        read = replace(_read(files), files=inputs)
    return _leave_out(read, files.exclude) if files.exclude else read


def _leave_out(data: LabelledItems, exclude: Sequence[str]) -> LabelledItems:
    """The items without those that have one of these labels, as if no file had held them."""
    left = exclude_labels(data.levels, exclude)
    rows = left.rows.tolist()
    return replace(
        data,
        vectors={name: vectors[left.rows] for name, vectors in data.vectors.items()},
        levels=tuple(map(left.keep, data.levels)),
        ids=tuple(data.ids[row] for row in rows),
        columns={name: tuple(cells[row] for row in rows) for name, cells in data.columns.items()},
        rows=left.rows,
        left_out=left.labels,
        notes=(*data.notes, left.note),
    )


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


def find_item(text: str, truth: GroundTruth, rows: Ints | None = None) -> str:
    """The id of the item that a text means: an id, or else a row of the files, counted from 0.

    rows  where the items stand in the files; None: all of them are there

    >>> from engine.dataset.ground_truth import GroundTruth
    >>> truth = GroundTruth.from_columns(["a", "b", "0"], {"room": [["x"], ["x"], ["y"]]})
    >>> find_item("b", truth), find_item("1", truth), find_item("0", truth)
    ('b', 'b', '0')
    """
    if truth.rows_of([text])[0] >= 0:
        return text
    # A row has few digits; a text of many is no number that anyone could mean.
    last = find_last_row(len(truth), rows)
    if text.isascii() and text.isdecimal() and len(text) <= len(str(last + 1)):
        place = find_item_in_row(int(text), len(truth), rows)
        if place is not None:
            return truth.ids[place]
    near = suggest(text, truth.ids) if len(truth) <= _MOST_COMPARED else ""
    known = f"type an id, or the number of a row from 0 to {last:,}"
    raise InputError(f'no item "{fit_on_line(text)}"', hint=f"{near} {known}".strip())
