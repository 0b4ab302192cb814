"""Embedding sets: read, check, and align to the clips of the ground truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Vectors
from engine.base.errors import InputError, Place
from engine.base.messages import quote
from engine.base.similarity import Similarity
from engine.dataset.embeddings.files import read_vectors
from engine.dataset.embeddings.keys import CLIP_KEYS, QUERY_KEYS, KeyKind
from engine.files.input_file import FileSet, reading_inputs
from engine.files.reader import reads

_CHECKED_ROWS = 8192
_EXAMPLES = 3


@dataclass(frozen=True, slots=True, eq=False)
class EmbeddingSet:
    """The vectors of one model: row i belongs to `ids[i]`.

    `vectors` (rows × dimension) is C-contiguous float32; from an .npy it is a read-only memory
    map. In a set of query vectors the ids are the texts. `files` is what was read.

    >>> EmbeddingSet("tiny", ("a", "b"), np.eye(2, dtype=np.float32)).dimension
    2
    """

    name: str
    ids: tuple[str, ...]
    vectors: Vectors
    source: Path | None = None
    files: FileSet = field(default_factory=FileSet)

    def __post_init__(self) -> None:
        if self.vectors.ndim != 2 or len(self.ids) != len(self.vectors):
            raise ValueError(f"{len(self.ids)} ids do not fit vectors of {self.vectors.shape}")
        if self.vectors.dtype != np.float32 or not self.vectors.flags.c_contiguous:
            raise ValueError("vectors must be C-contiguous float32")

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def dimension(self) -> int:
        return int(self.vectors.shape[1])


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """Which row of an embedding set belongs to which row of the ground truth.

    `set_rows[i]` and `truth_rows[i]` are the same clip; the order is the ground truth's. What is
    on one side only is named, never silently dropped.
    """

    set_rows: npt.NDArray[np.int64]
    truth_rows: npt.NDArray[np.int64]
    without_vector: tuple[str, ...]
    without_annotation: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.set_rows)

    def notes(self) -> tuple[str, ...]:
        """One sentence per side that has clips the other lacks: the count and some examples."""
        sides = (
            (self.without_vector, "annotated but without an embedding"),
            (self.without_annotation, "embedded but not annotated"),
        )
        return tuple(
            f"{len(ids):,} {'clip is' if len(ids) == 1 else 'clips are'} {what} ({_examples(ids)})"
            for ids, what in sides
            if ids
        )

    def take(self, embedding_set: EmbeddingSet) -> Vectors:
        """The aligned vectors: the set's own array, uncopied, where it is aligned already."""
        rows = self.set_rows
        if len(rows) == len(embedding_set) and np.array_equal(rows, np.arange(len(rows))):
            return embedding_set.vectors
        return embedding_set.vectors[rows]


@reads("embeddings")
def read_embeddings(
    path: Path | str,
    *,
    ids_path: Path | str | None = None,
    name: str | None = None,
    metric: Similarity | None = None,
) -> EmbeddingSet:
    """Clip embeddings from a file, checked: shape, ids, and finite numbers.

    - .parquet: columns `slice_id` and `embedding` (lists of floats)
    - .npy: memory-mapped, with its ids in `ids_path` or in a file beside it such as X.ids.txt
    - .npz: ids under `ids`, vectors under `embeddings`

    Whatever is wrong is an InputError with the file and the row. With the
    metric of the search, vectors that it cannot compare are an error too.

    >>> read_embeddings("model.txt")
    Traceback (most recent call last):
    ...
    engine.base.errors.InputError: model.txt: cannot read embeddings from .txt; \
accepted are .parquet, .npy with an ids file, and .npz
    """
    return _read(path, CLIP_KEYS, ids_path, name, metric)


@reads("query vectors")
def read_query_vectors(
    path: Path | str, *, ids_path: Path | str | None = None, name: str | None = None
) -> EmbeddingSet:
    """Precomputed vectors of query texts: as `read_embeddings`, keyed by `query` (or `text`)."""
    return _read(path, QUERY_KEYS, ids_path, name)


def check_vectors(embedding_set: EmbeddingSet, metric: Similarity | None = None) -> None:
    """Raise an InputError for NaN or infinite values and, under cosine, for zero vectors.

    Looks at a few thousand rows at a time, so a memory-mapped file is never loaded whole.

    >>> check_vectors(EmbeddingSet("m", ("a",), np.zeros((1, 2), np.float32)), "cosine")
    Traceback (most recent call last):
    ...
    engine.base.errors.InputError: m: 1 vector is all zeros, which has no cosine: \
row 0 (counted from 0), id 'a'; leave it out, or choose another metric
    """
    vectors = embedding_set.vectors
    zeros = 0
    first_zero = -1
    for start in range(0, len(vectors), _CHECKED_ROWS):
        block = vectors[start : start + _CHECKED_ROWS]
        finite = np.isfinite(block)
        if not finite.all():
            row = start + int(np.flatnonzero(~finite.all(axis=1))[0])
            raise InputError(
                f"{_row_name(embedding_set, row)} has a value that is NaN, infinite or too large "
                "for float32",
                _place(embedding_set),
                hint="encode it again, or leave it out",
            )
        if metric == "cosine":
            empty = np.flatnonzero(~block.any(axis=1))
            if len(empty) and not zeros:
                first_zero = start + int(empty[0])
            zeros += len(empty)
    if zeros:
        subject = "1 vector is" if zeros == 1 else f"{zeros:,} vectors are"
        first = "" if zeros == 1 else "the first is "
        raise InputError(
            f"{subject} all zeros, which has no cosine: {first}"
            f"{_row_name(embedding_set, first_zero)}",
            _place(embedding_set),
            hint="leave it out, or choose another metric",
        )


def align_rows(embedding_set: EmbeddingSet, ground_truth_ids: Sequence[str]) -> Alignment:
    """Match the rows of a set with the clips of the ground truth, in the latter's order.

    No clip in common is an InputError that shows ids of both sides.

    >>> vectors = np.eye(3, dtype=np.float32)
    >>> aligned = align_rows(EmbeddingSet("m", ("c", "a", "x"), vectors), ["a", "b", "c"])
    >>> aligned.set_rows, aligned.truth_rows
    (array([1, 0]), array([0, 2]))
    >>> aligned.notes()[0]
    "1 clip is annotated but without an embedding ('b')"
    """
    truth = tuple(ground_truth_ids)
    if truth == embedding_set.ids:
        rows = np.arange(len(truth))
        return Alignment(rows, rows, (), ())
    row_of = {key: row for row, key in enumerate(embedding_set.ids)}
    found = np.fromiter((row_of.get(key, -1) for key in truth), np.int64, len(truth))
    truth_rows = np.flatnonzero(found >= 0)
    if not len(truth_rows):
        raise InputError(
            f"no id is also in the annotations: the embeddings have "
            f"{_examples(embedding_set.ids)}, the annotations {_examples(truth)}",
            _place(embedding_set),
            hint="use the same slice_id on both sides",
        )
    annotated = set(truth)
    return Alignment(
        found[truth_rows],
        truth_rows,
        tuple(truth[row] for row in np.flatnonzero(found < 0)),
        tuple(key for key in embedding_set.ids if key not in annotated),
    )


def _read(
    path: Path | str,
    kind: KeyKind,
    keys_path: Path | str | None,
    name: str | None,
    metric: Similarity | None = None,
) -> EmbeddingSet:
    file, keys_file = Path(path), None if keys_path is None else Path(keys_path)
    with reading_inputs(file, keys_file) as files:
        keyed = read_vectors(file, kind, keys_file)
    if len(keyed.keys) != len(keyed.vectors):
        raise InputError(
            f"{len(keyed.keys)} {kind.noun}s for {len(keyed.vectors)} vectors of {file.name}",
            Place(keyed.keys_file),
            hint=f"there must be one {kind.noun} per row",
        )
    embedding_set = EmbeddingSet(name or file.stem, keyed.keys, keyed.vectors, file, files)
    check_vectors(embedding_set, metric)
    return embedding_set


def _place(embedding_set: EmbeddingSet) -> Place:
    return Place(embedding_set.source or embedding_set.name)


def _row_name(embedding_set: EmbeddingSet, row: int) -> str:
    return f"row {row} (counted from 0), id {quote(embedding_set.ids[row])}"


def _examples(ids: Sequence[str]) -> str:
    more = ", …" if len(ids) > _EXAMPLES else ""
    return ", ".join(quote(key) for key in ids[:_EXAMPLES]) + more if ids else "none"
