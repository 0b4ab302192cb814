"""Opening what rankings and relevance can come from beside run files: matrices and embeddings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.base.errors import InputError, Place
from engine.base.progress import split_range
from engine.base.similarity import Similarity
from engine.dataset.embeddings.read import EmbeddingSet, check_vectors, read_embeddings
from engine.files.npy import map_npy, reading_array
from engine.files.reader import reads
from engine.files.reading import name_kind
from engine.files.text import read_text, split_lines
from engine.rankings.formats.id_table import IdTable
from engine.rankings.formats.run_and_qrels import Qrels
from engine.rankings.rankers import MATRIX_CHUNK_BYTES, EmbeddingRanker, MatrixRanker
from engine.search import build_index


def open_scores(
    path: Path,
    *,
    query_ids: Path | None = None,
    item_ids: Path | None = None,
    lower_is_better: bool = False,
) -> MatrixRanker:
    """A score matrix from an .npy file, left on disk. Without ids, rows count from 0."""
    matrix = _matrix(path)
    queries, items = matrix.shape
    return MatrixRanker(
        matrix,
        read_ids(query_ids, queries, "rows", path),
        read_ids(item_ids, items, "columns", path),
        lower_is_better,
        path,
    )


def open_embeddings(
    queries: Path,
    items: Path,
    metric: Similarity = "cosine",
    *,
    query_ids: Path | None = None,
    item_ids: Path | None = None,
) -> EmbeddingRanker:
    """Two files of vectors: .npy, .npz or parquet. An .npy without ids counts its rows from 0."""
    asked = _vectors(queries, query_ids, metric)
    found = _vectors(items, item_ids, metric)
    if asked.dimension != found.dimension:
        raise InputError(
            f"the queries have {asked.dimension} dimensions, the items {found.dimension}",
            queries,
            hint="encode both with the same model",
        )
    index = build_index(found.vectors, metric)
    return EmbeddingRanker(asked.vectors, index, IdTable.of(asked.ids), IdTable.of(found.ids))


def _vectors(path: Path, ids: Path | None, metric: Similarity) -> EmbeddingSet:
    if path.suffix.lower() == ".npy" and path.is_file() and ids is None:
        matrix = np.asarray(_matrix(path))
        names = tuple(map(str, range(len(matrix))))
        vectors = EmbeddingSet(path.stem, names, np.ascontiguousarray(matrix, np.float32), path)
        check_vectors(vectors, metric)
        return vectors
    if ids is None:
        return read_embeddings(path, metric=metric)
    return read_embeddings(path, ids_path=ids, metric=metric)


def make_diagonal_qrels(queries: IdTable, items: IdTable) -> Qrels:
    """Item i is the one that is relevant to query i: the usual text-video test set.

    >>> make_diagonal_qrels(IdTable.numbers(2), IdTable.numbers(3)).codes
    array([0, 1])
    """
    count = len(queries)
    if len(items) < count:
        raise InputError(
            f"{count} queries have no partner each among {len(items)} items",
            hint="--diagonal needs an item for every query",
        )
    return Qrels(queries, items, np.arange(count + 1), np.arange(count), np.ones(count))


def open_relevance(path: Path, queries: IdTable, items: IdTable) -> Qrels:
    """Judgements from an .npy matrix of grades; memory grows with those above 0."""
    matrix = _matrix(path)
    if matrix.shape != (len(queries), len(items)):
        raise InputError(
            f"has the shape {matrix.shape}, there are {len(queries)} queries and "
            f"{len(items)} items",
            path,
        )
    codes, grades, counts = [], [], []
    for part in split_range(len(matrix), max(1, MATRIX_CHUNK_BYTES // (16 * matrix.shape[1]))):
        block = np.asarray(matrix[part]).astype(np.float64)
        if not np.isfinite(block).all():
            row, column = (int(n) for n in np.argwhere(~np.isfinite(block))[0])
            raise InputError(
                f"the grade in row {part.start + row}, column {column} (counted from 0) is "
                f"{block[row, column]}",
                path,
            )
        rows, columns = np.nonzero(block > 0)
        codes.append(columns)
        grades.append(block[rows, columns])
        counts.append(np.bincount(rows, minlength=len(block)))
    indptr = np.concatenate(([0], np.cumsum(np.concatenate(counts)))).astype(np.int64)
    return Qrels(queries, items, indptr, np.concatenate(codes), np.concatenate(grades))


@reads("a file of ids")
def read_ids(path: Path | None, count: int, what: str, matrix: Path) -> IdTable:
    """One id per line, as many as there are rows or columns; without a file, numbers from 0."""
    if path is None:
        return IdTable.numbers(count)
    names = [line.strip() for line in split_lines(read_text(path).rstrip())]
    seen: dict[str, int] = {}
    for number, name in enumerate(names, 1):
        if not name:
            raise InputError("has no id", Place(path, number))
        if name in seen:
            message = f"the id {name!r} occurs more than once (first in line {seen[name]})"
            raise InputError(message, Place(path, number))
        seen[name] = number
    if len(names) != count:
        raise InputError(
            f"{len(names)} ids for {count} {what} of {matrix.name}",
            path,
            hint="write one id per line",
        )
    return IdTable.of(names)


@reads("a matrix")
def _matrix(path: Path) -> npt.NDArray[Any]:
    if path.suffix.lower() != ".npy":
        raise InputError(
            f"is {name_kind(path)}, not .npy",
            path,
            hint="save it with np.save(path, matrix)",
        )
    with reading_array(path):
        matrix = map_npy(path)
    if matrix.dtype.kind not in "bfiu":
        raise InputError(f"holds {matrix.dtype}, not numbers", path)
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise InputError(f"has the shape {matrix.shape}; queries × items is needed", path)
    return matrix
