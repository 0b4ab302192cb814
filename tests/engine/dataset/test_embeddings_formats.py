"""Every accepted format gives the same embedding set."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.dataset.embeddings.read import EmbeddingSet, read_embeddings, read_query_vectors

IDS = ("a", "b", "c")
VECTORS = np.array([[1, 2], [3, 4], [5, 6.5]], np.float32)

LISTS = {
    "list of float32": pa.list_(pa.float32()),
    "list of float64": pa.list_(pa.float64()),
    "list of float16": pa.list_(pa.float16()),
    "large list": pa.large_list(pa.float32()),
    "fixed-size list": pa.list_(pa.float32(), 2),
}


def write_parquet(
    path: Path,
    ids: list[object] | None = None,
    kind: pa.DataType = LISTS["list of float32"],
    names: tuple[str, str] = ("slice_id", "embedding"),
    **options: int,
) -> Path:
    rows = pa.array([list(row.astype(np.float16)) for row in VECTORS], pa.list_(pa.float16()))
    columns = [pa.array(list(IDS) if ids is None else ids), rows.cast(kind)]
    pq.write_table(pa.table(columns, names=list(names)), path, **options)
    return path


def write_npy(path: Path, array: np.ndarray = VECTORS) -> Path:
    np.save(path, array)
    return path


def assert_is_the_set(read: EmbeddingSet) -> None:
    assert read.ids == IDS
    assert read.vectors.dtype == np.float32
    assert read.vectors.flags.c_contiguous
    assert not read.vectors.flags.writeable
    np.testing.assert_array_equal(read.vectors, VECTORS)


def is_memory_mapped(array: object) -> bool:
    while isinstance(array, np.ndarray):
        if isinstance(array, np.memmap):
            return True
        array = array.base
    return False


@pytest.mark.parametrize("kind", LISTS.values(), ids=LISTS.keys())
def test_parquet_may_store_lists_of_any_float_type(tmp_path: Path, kind: pa.DataType) -> None:
    assert_is_the_set(read_embeddings(write_parquet(tmp_path / "m.parquet", kind=kind)))


def test_parquet_with_many_row_groups_is_read_whole(tmp_path: Path) -> None:
    assert_is_the_set(read_embeddings(write_parquet(tmp_path / "m.parquet", row_group_size=1)))


def test_parquet_column_names_ignore_case_and_spaces(tmp_path: Path) -> None:
    path = write_parquet(tmp_path / "m.parquet", names=(" Slice_ID ", "EMBEDDING"))
    assert_is_the_set(read_embeddings(path))


@pytest.mark.parametrize("ids", [[7, 8, 9], [7.0, 8.0, 9.0], [" 7", "8 ", "9"]])
def test_ids_that_are_numbers_or_have_spaces_become_plain_text(
    tmp_path: Path, ids: list[object]
) -> None:
    assert read_embeddings(write_parquet(tmp_path / "m.parquet", ids=ids)).ids == ("7", "8", "9")


def test_the_name_is_the_file_stem_unless_given(tmp_path: Path) -> None:
    path = write_parquet(tmp_path / "alfa-0.1.parquet")
    assert read_embeddings(path).name == "alfa-0.1"
    assert read_embeddings(path, name="alfa").name == "alfa"
    assert read_embeddings(path).source == path


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("m.ids.txt", "a\nb\nc\n"),
        ("m_ids.txt", "\ufeffa\r\nb\r\nc\r\n\r\n"),
        ("ids.txt", "a\nb\nc"),
        ("m.ids.json", json.dumps(IDS)),
        ("m.ids.csv", "path,Slice_ID\nx,a\ny,b\nz,c\n"),
    ],
)
def test_npy_finds_its_ids_beside_it(tmp_path: Path, file: str, content: str) -> None:
    (tmp_path / file).write_bytes(content.encode())
    assert_is_the_set(read_embeddings(write_npy(tmp_path / "m.npy")))


def test_npy_takes_ids_from_a_text_array_or_from_the_file_it_is_reported(tmp_path: Path) -> None:
    np.save(tmp_path / "m.ids.npy", np.array(IDS))
    path = write_npy(tmp_path / "m.npy")
    assert_is_the_set(read_embeddings(path))

    (tmp_path / "other.txt").write_text("x\ny\nz\n")
    assert read_embeddings(path, ids_path=tmp_path / "other.txt").ids == ("x", "y", "z")


def test_float32_npy_stays_on_disk(tmp_path: Path) -> None:
    (tmp_path / "ids.txt").write_text("a\nb\nc\n")
    read = read_embeddings(write_npy(tmp_path / "m.npy"))
    assert is_memory_mapped(read.vectors)


@pytest.mark.parametrize(
    "array", [VECTORS.astype(">f4"), VECTORS.astype(np.float64), np.asfortranarray(VECTORS)]
)
def test_npy_of_another_number_type_or_order_is_converted(
    tmp_path: Path, array: np.ndarray
) -> None:
    (tmp_path / "ids.txt").write_text("a\nb\nc\n")
    assert_is_the_set(read_embeddings(write_npy(tmp_path / "m.npy", array)))


@pytest.mark.parametrize(
    ("ids_name", "vectors_name"),
    [("ids", "embeddings"), ("slice_id", "embedding"), ("slice_ids", "vectors"), ("ids", "x")],
)
def test_npz_names_its_arrays_in_several_ways(
    tmp_path: Path, ids_name: str, vectors_name: str
) -> None:
    np.savez(tmp_path / "m.npz", **{ids_name: np.array(IDS), vectors_name: VECTORS})
    assert_is_the_set(read_embeddings(tmp_path / "m.npz"))


def test_npz_may_hold_byte_texts(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "m.npz", ids=np.array([b"a", b"b", b"c"]), embeddings=VECTORS)
    assert_is_the_set(read_embeddings(tmp_path / "m.npz"))


@pytest.mark.parametrize("column", ["query", "text"])
def test_query_vectors_are_keyed_by_their_text(tmp_path: Path, column: str) -> None:
    path = write_parquet(tmp_path / "q.parquet", names=(column, "embedding"))
    assert_is_the_set(read_query_vectors(path))


def test_query_vectors_come_as_npy_and_npz_too(tmp_path: Path) -> None:
    (tmp_path / "q.queries.txt").write_text("a\nb\nc\n")
    np.savez(tmp_path / "q.npz", queries=np.array(IDS), embeddings=VECTORS)
    assert_is_the_set(read_query_vectors(write_npy(tmp_path / "q.npy")))
    assert_is_the_set(read_query_vectors(tmp_path / "q.npz"))


def test_a_set_made_by_hand_must_fit_together() -> None:
    with pytest.raises(ValueError, match="2 ids do not fit"):
        EmbeddingSet("m", ("a", "b"), VECTORS)
    with pytest.raises(ValueError, match="float32"):
        EmbeddingSet("m", IDS, VECTORS.astype(np.float64))  # type: ignore[arg-type]
