"""Everything that can be wrong with an embeddings file is one clear line."""

from __future__ import annotations

import io
import pickle
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.base.errors import InputError
from engine.dataset.embeddings.read import (
    EmbeddingSet,
    check_vectors,
    read_embeddings,
    read_query_vectors,
)

GOOD = np.arange(1, 7, dtype=np.float32).reshape(3, 2)


def complaint(path: Path, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        read_embeddings(path, **options)
    text = str(caught.value)
    assert "\n" not in text
    assert caught.value.place.file is not None
    return text


def parquet(path: Path, ids: list[Any], rows: Any, **names: str) -> Path:
    columns = {names.get("key", "slice_id"): ids, names.get("vector", "embedding"): rows}
    pq.write_table(pa.table(columns), path)
    return path


def npy(folder: Path, array: np.ndarray, ids: str = "a\nb\nc\n") -> Path:
    np.save(folder / "m.npy", array)
    (folder / "m.ids.txt").write_text(ids)
    return folder / "m.npy"


def test_a_missing_file_a_folder_and_an_empty_file_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "folder.npy").mkdir()
    (tmp_path / "empty.npz").touch()
    assert "no such file" in complaint(tmp_path / "none.parquet")
    assert "folder" in complaint(tmp_path / "folder.npy")
    assert "empty" in complaint(tmp_path / "empty.npz")


@pytest.mark.parametrize(
    "kind", [pa.list_(pa.float32()), pa.large_list(pa.float32()), pa.list_(pa.float32(), 2)]
)
@pytest.mark.parametrize(
    ("rows", "first"),
    [
        ([[1, 2], None, [3, 4]], 1),
        ([[1, 2], [3, 4], [5, None]], 2),
        ([[1, 2], None, [None, 4]], 1),
        ([[1, 2], [None, 4], None], 1),
        ([None, [1, 2], [3, None]], 0),
    ],
)
def test_the_first_row_without_an_embedding_is_named(
    tmp_path: Path, kind: pa.DataType, rows: list[Any], first: int
) -> None:
    path = parquet(tmp_path / "m.parquet", ["a", "b", "c"], pa.array(rows, kind))
    assert f"row {first} (counted from 0) has no embedding or a gap in it" in complaint(path)


def test_an_unknown_extension_lists_the_accepted_ones(tmp_path: Path) -> None:
    text = complaint(tmp_path / "m.pkl")
    assert ".parquet" in text
    assert ".npy" in text
    assert ".npz" in text


@pytest.mark.parametrize("suffix", [".parquet", ".npy", ".npz"])
@pytest.mark.parametrize("content", [b"not this format", b"PK\x03\x04half", b"\x93NUMPY\x01\x00"])
def test_a_corrupt_file_is_named(tmp_path: Path, suffix: str, content: bytes) -> None:
    path = tmp_path / f"m{suffix}"
    path.write_bytes(content)
    assert "is not a whole" in complaint(path)


@pytest.mark.parametrize("suffix", [".parquet", ".npy", ".npz"])
def test_a_truncated_file_is_named(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"m{suffix}"
    if suffix == ".parquet":
        parquet(path, ["a", "b", "c"], GOOD.tolist())
    elif suffix == ".npy":
        npy(tmp_path, GOOD)
    else:
        np.savez(path, ids=np.array(["a", "b", "c"]), embeddings=GOOD)
    path.write_bytes(path.read_bytes()[:-9])
    assert "is not a whole" in complaint(path)


def test_pickled_objects_are_refused_with_a_way_to_convert(tmp_path: Path) -> None:
    objects = np.empty(2, object)
    objects[:] = [GOOD[0], GOOD[1]]
    np.save(tmp_path / "m.npy", objects, allow_pickle=True)
    (tmp_path / "p.npy").write_bytes(pickle.dumps(GOOD))
    np.savez(tmp_path / "m.npz", ids=np.array(["a", "b", "c"], object), embeddings=GOOD)
    assert "np.stack" in complaint(tmp_path / "m.npy")
    assert "np.stack" in complaint(tmp_path / "p.npy")
    assert "np.savez(path, ids=" in complaint(tmp_path / "m.npz")


def test_an_archive_that_would_explode_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.npz"
    np.savez_compressed(path, embeddings=GOOD, ids=[str(row) for row in range(len(GOOD))])
    data = bytearray(path.read_bytes())
    central = data.index(b"PK\x01\x02")
    data[central + 24 : central + 28] = struct.pack("<I", 3 << 30)  # the size it says it has
    path.write_bytes(data)
    assert "needs about 6.0 GB of memory, 1,000 times its size or more" in complaint(path)


def test_an_array_that_is_shorter_than_its_header_says_is_refused_before_room_is_made(
    tmp_path: Path,
) -> None:
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        head, {"descr": "<f4", "fortran_order": False, "shape": (1 << 33, 384)}
    )
    with zipfile.ZipFile(tmp_path / "m.npz", "w") as archive:
        archive.writestr("embeddings.npy", head.getvalue() + bytes(100))
        with archive.open("ids.npy", "w") as ids:
            np.save(ids, np.array(["a"]))
    assert "embeddings.npy is shorter than its header says" in complaint(tmp_path / "m.npz")


def test_a_missing_column_or_array_lists_what_there_is(tmp_path: Path) -> None:
    no_ids = parquet(tmp_path / "k.parquet", ["a"], [[1.0]], key="clip")
    no_vectors = parquet(tmp_path / "v.parquet", ["a"], [[1.0]], vector="values")
    np.savez(tmp_path / "m.npz", names=np.array(["a"]), embeddings=GOOD[:1])
    assert "no column slice_id; its columns are 'clip', 'embedding'" in complaint(no_ids)
    assert "no column embedding; its columns are 'slice_id', 'values'" in complaint(no_vectors)
    assert "it holds 'names', 'embeddings'" in complaint(tmp_path / "m.npz")
    with pytest.raises(InputError, match="no column query or text"):
        read_query_vectors(no_ids)


def test_two_matrices_without_a_known_name_are_not_guessed_between(tmp_path: Path) -> None:
    np.savez(tmp_path / "m.npz", ids=np.array(["a", "b", "c"]), x=GOOD, y=GOOD)
    assert "no array named embeddings" in complaint(tmp_path / "m.npz")


def test_a_column_that_holds_no_lists_of_numbers_is_refused(tmp_path: Path) -> None:
    assert "holds string" in complaint(parquet(tmp_path / "s.parquet", ["a"], ["[1, 2]"]))
    assert "not lists" in complaint(parquet(tmp_path / "t.parquet", ["a"], [["x"]]))


def test_a_row_of_another_length_is_named(tmp_path: Path) -> None:
    text = complaint(parquet(tmp_path / "m.parquet", ["a", "b", "c"], [[1.0, 2], [3.0, 4], [5.0]]))
    assert "row 2 (counted from 0) has 1 dimensions" in text


def test_another_length_in_a_later_row_group_is_named(tmp_path: Path) -> None:
    path = tmp_path / "m.parquet"
    width = [2] * 20_000 + [3] * 20_000
    rows = [[1.0] * n for n in width]
    parquet(path, [str(i) for i in range(len(rows))], rows)
    assert "row 20000 (counted from 0) has 3 dimensions" in complaint(path)


@pytest.mark.parametrize("hole", [None, [1.0, None]])
def test_a_missing_embedding_is_named(tmp_path: Path, hole: Any) -> None:
    assert "row 1" in complaint(parquet(tmp_path / "m.parquet", ["a", "b"], [[1.0, 2.0], hole]))


@pytest.mark.parametrize(
    ("array", "problem"),
    [
        (GOOD[0], "rows × dimensions"),
        (GOOD.reshape(3, 2, 1), "rows × dimensions"),
        (np.float32(3), "rows × dimensions"),
        (GOOD[:, :0], "no dimensions"),
        (GOOD[:0], "no rows"),
        (GOOD.astype(str), "not numbers"),
        (GOOD.astype(complex), "not numbers"),
    ],
)
def test_an_array_of_the_wrong_shape_or_type_is_refused(
    tmp_path: Path, array: np.ndarray, problem: str
) -> None:
    assert problem in complaint(npy(tmp_path, array))


def test_parquet_without_rows_or_dimensions_is_refused(tmp_path: Path) -> None:
    nothing = pa.array([], pa.list_(pa.float32()))
    assert "no rows" in complaint(parquet(tmp_path / "r.parquet", pa.array([], "str"), nothing))
    empty = pa.array([[], []], pa.list_(pa.float32()))
    assert "no dimensions" in complaint(parquet(tmp_path / "d.parquet", ["a", "b"], empty))


def test_npy_without_ids_tells_the_accepted_names_and_the_flag(tmp_path: Path) -> None:
    np.save(tmp_path / "m.npy", GOOD)
    text = complaint(tmp_path / "m.npy")
    assert "--ids" in text
    assert all(name in text for name in ("m.ids.txt", "m_ids.txt", "ids.txt", "m.ids.json"))


def test_the_count_of_ids_must_be_the_count_of_rows(tmp_path: Path) -> None:
    assert "2 ids for 3 vectors" in complaint(npy(tmp_path, GOOD, "a\nb\n"))
    assert "m.ids.txt: is empty" in complaint(npy(tmp_path, GOOD, ""))


def test_duplicate_ids_name_both_rows(tmp_path: Path) -> None:
    text = complaint(npy(tmp_path, GOOD, "a\nb\na\n"))
    assert "rows 0 and 2" in text
    assert "'a'" in text


@pytest.mark.parametrize("ids", [["a", None, "c"], ["a", " ", "c"], [1.0, float("nan"), 3.0]])
def test_an_empty_id_is_named(tmp_path: Path, ids: list[Any]) -> None:
    assert "row 1" in complaint(parquet(tmp_path / "m.parquet", ids, GOOD.tolist()))


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("ids.json", b"{", "not valid JSON"),
        ("ids.json", b'{"a": 1}', "not a list"),
        ("ids.csv", b"name\na\n", "its columns are 'name'"),
        ("ids.csv", b"", "is empty"),
        ("ids.csv", b",\n", "its columns are none"),
        ("ids.txt", b"a\n\xff\xfe\n", "not UTF-8"),
        ("ids.npy", b"nonsense", "is not a whole .npy file"),
        ("ids.xlsx", b"", "cannot read ids"),
    ],
)
def test_a_bad_ids_file_is_named(tmp_path: Path, name: str, content: bytes, problem: str) -> None:
    path = npy(tmp_path, GOOD)
    (tmp_path / name).write_bytes(content)
    text = complaint(path, ids_path=tmp_path / name)
    assert problem in text
    assert name in text
    assert "no such file" in complaint(path, ids_path=tmp_path / "absent.txt")


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e300])
def test_a_value_that_is_not_finite_in_float32_names_row_and_id(tmp_path: Path, bad: float) -> None:
    array = GOOD.astype(np.float64)
    array[1, 1] = bad
    text = complaint(npy(tmp_path, array))
    assert "row 1 (counted from 0), id 'b'" in text
    assert "m.npy" in text


def test_zero_vectors_are_an_error_under_cosine_only(tmp_path: Path) -> None:
    array = np.ones((20_000, 2), np.float32)
    array[[7, 19_999]] = 0
    read = read_embeddings(npy(tmp_path, array, "".join(f"c{i}\n" for i in range(20_000))))
    check_vectors(read, "ip")
    check_vectors(read, "l2")
    with pytest.raises(InputError, match=r"2 vectors are all zeros.*row 7 .*'c7'") as caught:
        check_vectors(read, "cosine")
    assert caught.value.place.file == tmp_path / "m.npy"


def test_control_characters_of_an_id_do_not_reach_the_message() -> None:
    vectors = np.full((1, 2), np.nan, np.float32)
    with pytest.raises(InputError) as caught:
        check_vectors(EmbeddingSet("m", ("\x1b[2Jx",), vectors), "ip")
    assert "\x1b" not in str(caught.value)


def test_two_arrays_that_differ_by_case_alone_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "two.npz"
    one = np.eye(1, dtype=np.float32)
    np.savez(file, ids=np.array(["a"]), embeddings=one, Embeddings=one)

    with pytest.raises(InputError, match="has both 'embeddings' and 'Embeddings'"):
        read_embeddings(file)


@pytest.mark.parametrize("damage", [b"(", b"\0", b"}", b"\xff"])
def test_ids_with_a_damaged_header_are_named(tmp_path: Path, damage: bytes) -> None:
    np.save(tmp_path / "ids.npy", np.array(["a", "b", "c"]))
    content = (tmp_path / "ids.npy").read_bytes()
    (tmp_path / "ids.npy").write_bytes(content[:24] + damage + content[25:])

    text = complaint(npy(tmp_path, GOOD), ids_path=tmp_path / "ids.npy")

    assert "ids.npy: is not a whole .npy file" in text


def test_a_name_of_a_column_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = parquet(tmp_path / "m.parquet", ["a", "b", "c"], list(GOOD), key="slice_idé")
    path.write_bytes(path.read_bytes().replace("é".encode(), b"\xff\xff"))

    assert "is not a whole parquet file" in complaint(path)


def test_an_archive_packed_in_a_way_that_breaks_is_named(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "m.npz", "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("ids.npy", b"\x93NUMPY" + bytes(300))
    content = bytearray((tmp_path / "m.npz").read_bytes())
    content[45:60] = bytes(15)
    (tmp_path / "m.npz").write_bytes(content)

    assert "is not a whole .npz file" in complaint(tmp_path / "m.npz")
