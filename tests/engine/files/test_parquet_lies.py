"""A file whose footer or pages lie takes no more memory than one that does not.

Each of these was once read, and became many times as large as allowed.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.base.errors import InputError
from engine.files.budget import TooLargeError
from engine.files.parquet import DamagedParquetError, open_parquet
from tests.fuzz.mutations.footers import (
    COMPRESSED,
    NUM_VALUES,
    Fields,
    change_chunks,
    find_chunks,
    find_field,
    join_footer,
    read_struct,
    say_far_away,
    say_one_value,
    say_plain,
    say_twice,
    split_footer,
    write_struct,
)

MANY = 2_000_000
REPEATED = pa.DictionaryArray.from_arrays(pa.array(np.zeros(MANY, np.int8)), pa.array(["x" * 500]))
GAPS = pa.nulls(MANY, pa.int64())


@pytest.fixture(autouse=True)
def little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TUI_EVAL_MEMORY", "33MB")


def write(path: Path, column: Any, **options: Any) -> Path:
    pq.write_table(pa.table({"a": column}), path, **{"compression": "zstd", **options})
    return path


def change(path: Path, how: Callable[[Fields], object]) -> Path:
    path.write_bytes(change_chunks(path.read_bytes(), how))
    return path


def read(path: Path) -> Any:
    with open_parquet(path) as file:
        return file.read(["a"])


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_a_dictionary_is_found_though_the_footer_denies_it(tmp_path: Path, version: Any) -> None:
    path = change(write(tmp_path / "a", REPEATED, data_page_version=version), say_plain)
    assert path.stat().st_size < 200_000
    with pytest.raises(TooLargeError, match=r"needs about 9.. MB"):
        read(path)


@pytest.mark.parametrize("how", [say_twice, say_far_away])
def test_a_field_that_arrow_would_read_otherwise_is_damage(
    tmp_path: Path, how: Callable[[Fields], object]
) -> None:
    path = change(write(tmp_path / "a", GAPS), how)
    with pytest.raises(DamagedParquetError):
        read(path)


@pytest.mark.parametrize("number", [NUM_VALUES, COMPRESSED])
@pytest.mark.parametrize("odd", [-1, 2**63 - 1])
def test_counts_that_cannot_be_are_damage(tmp_path: Path, number: int, odd: int) -> None:
    def lie(chunk: Fields) -> None:
        find_field(chunk, number)[2] = odd

    with pytest.raises(DamagedParquetError):
        read(change(write(tmp_path / "a", GAPS), lie))


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_the_values_of_a_list_are_counted_by_its_pages(tmp_path: Path, version: Any) -> None:
    numbers = pa.array(np.zeros(MANY * 2, np.float32))
    lists = pa.ListArray.from_arrays(pa.array([0, len(numbers)], pa.int32()), numbers)
    path = change(write(tmp_path / "a", lists, data_page_version=version), say_one_value)
    assert path.stat().st_size < 2000
    with pytest.raises(TooLargeError):
        read(path)


@pytest.mark.parametrize("codec", ["zstd", "gzip", "brotli", "snappy"])
def test_packed_texts_are_counted_by_their_pages(tmp_path: Path, codec: str) -> None:
    texts = pa.array(["x" * (1 << 20)] * 70, pa.large_string())
    path = write(tmp_path / "a", texts, use_dictionary=False, compression=codec)
    with pytest.raises(TooLargeError, match=r"needs about 7. MB"):
        read(change(path, say_plain))


def test_texts_that_repeat_the_one_before_are_counted(tmp_path: Path) -> None:
    texts = pa.array(["y" * 5000] * 20_000)
    options: dict[str, Any] = {"use_dictionary": False, "column_encoding": "DELTA_BYTE_ARRAY"}
    path = change(write(tmp_path / "a", texts, **options), say_plain)
    assert path.stat().st_size < 2000
    with pytest.raises(TooLargeError):
        read(path)


@pytest.mark.parametrize("encoding", ["DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"])
def test_numbers_are_counted_however_they_are_written(tmp_path: Path, encoding: str) -> None:
    options: dict[str, Any] = {"use_dictionary": False, "column_encoding": encoding}
    with pytest.raises(TooLargeError):
        read(write(tmp_path / "a", pa.array(np.zeros(MANY, np.int64)), **options))


WIDE = {
    "missing lists of a fixed size": pa.nulls(1000, pa.list_(pa.float32(), 5000)),
    "wide bytes": pa.nulls(10_000, pa.binary(5000)),
    "wide decimals": pa.nulls(500_000, pa.decimal256(70, 2)),
}


@pytest.mark.parametrize("name", WIDE)
def test_what_is_missing_takes_room_by_its_type(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / "a", WIDE[name])
    assert path.stat().st_size < 5000
    with pytest.raises(TooLargeError):
        read(path)


def test_lists_inside_of_lists_take_room_each(tmp_path: Path) -> None:
    nested: Any = pa.array(np.zeros(500_000, np.int8))
    for _ in range(12):
        nested = pa.ListArray.from_arrays(pa.array(np.arange(500_001, dtype=np.int32)), nested)
    with pytest.raises(TooLargeError):
        read(write(tmp_path / "a", nested))


def change_first_page(path: Path, how: Callable[[Fields], object]) -> Path:
    """With the header of its first page changed, and all offsets moved."""
    body, footer = split_footer(path.read_bytes())
    page, end = read_struct(body, 4)
    how(page)
    written = write_struct(page)
    for chunk in find_chunks(footer):
        find_field(chunk, COMPRESSED)[2] += len(written) - (end - 4)
        if find_field(chunk, 9)[2] > 4:
            find_field(chunk, 9)[2] += len(written) - (end - 4)
    path.write_bytes(join_footer(body[:4] + written + body[end:], footer))
    return path


def test_a_page_is_believed_when_it_says_that_it_is_huge(tmp_path: Path) -> None:
    def lie(page: Fields) -> None:
        find_field(page, 2)[2] = 2**31 - 1

    with pytest.raises(TooLargeError, match=r"2\.0 GB"):
        read(change_first_page(write(tmp_path / "a", np.zeros(1000)), lie))


def test_a_dictionary_is_believed_when_it_says_that_it_is_huge(tmp_path: Path) -> None:
    def lie(page: Fields) -> None:
        find_field(find_field(page, 7)[2], 1)[2] = 2**31 - 1

    with pytest.raises(TooLargeError, match="32 GB"):
        read(change_first_page(write(tmp_path / "a", pa.array(["x", "y"])), lie))


def test_a_text_in_full_does_not_hide_the_dictionary(tmp_path: Path) -> None:
    """Arrow would show the first text alone to whoever looks for the dictionary."""
    body, footer = split_footer(write(tmp_path / "a", REPEATED[:1_000_000]).read_bytes())
    other, small = split_footer(
        write(tmp_path / "b", pa.array(["s"]), use_dictionary=False).read_bytes()
    )
    (short,) = find_chunks(small)
    page = other[4 : 4 + find_field(short, COMPRESSED)[2]]
    chunk = next(find_chunks(footer))
    at = find_field(chunk, 9)[2]
    find_field(chunk, COMPRESSED)[2] += len(page)
    find_field(chunk, NUM_VALUES)[2] += 1
    (tmp_path / "a").write_bytes(join_footer(body[:at] + page + body[at:], footer))
    with pytest.raises(TooLargeError):
        read(tmp_path / "a")


def test_chunks_that_share_their_bytes_are_damage(tmp_path: Path) -> None:
    numbers = np.random.default_rng(0).random(1000)
    body, footer = split_footer(write(tmp_path / "a", numbers).read_bytes())
    groups = find_field(footer, 4)
    groups[2] = groups[2][0], groups[2][1] * 3
    (tmp_path / "a").write_bytes(join_footer(body, footer))
    with pytest.raises(DamagedParquetError, match="share"):
        read(tmp_path / "a")


def test_a_long_footer_is_refused_before_it_is_parsed(tmp_path: Path) -> None:
    footer = b"\x19\xfc\xff\xff\x03" + bytes(8 << 20)
    (tmp_path / "a").write_bytes(b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    with pytest.raises(TooLargeError, match="fewer columns"):
        read(tmp_path / "a")


def test_few_bytes_of_a_footer_that_are_many_columns_are_refused(tmp_path: Path) -> None:
    schema = [[[4, 8, b"s"], [5, 5, 30_000]], *([[[1, 5, 1], [3, 5, 0], [4, 8, b""]]] * 30_000)]
    footer = [[1, 5, 1], [2, 9, (12, schema)], [3, 6, 0], [4, 9, (12, [])]]
    (tmp_path / "a").write_bytes(join_footer(b"PAR1", footer))
    with pytest.raises(TooLargeError, match="fewer columns"):
        read(tmp_path / "a")


def test_many_columns_are_all_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TUI_EVAL_MEMORY", "1GB")
    names = [f"column_{number}" for number in range(5000)]
    pq.write_table(pa.table({name: [1.0] for name in names}), tmp_path / "a")
    with open_parquet(tmp_path / "a") as file:
        assert list(file._find_leaves(names)) == list(range(5000))


def test_texts_that_become_values_of_python_are_counted_with_their_copies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TUI_EVAL_MEMORY", "200MB")
    texts = pa.array(["y" * 1_000] * 100_000)
    pq.write_table(pa.table({"slice_id": texts}), tmp_path / "a")  # a hundred megabytes, as read

    with open_parquet(tmp_path / "a") as file:
        file.require_room(["slice_id"])
        with pytest.raises(InputError, match="needs about 299 MB"):
            file.require_room(["slice_id"], per_value=130)
