"""The longest text of a dictionary is what Arrow says it is, or is left to Arrow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.files.parquet_dictionary import find_longest, measure_longest
from engine.files.parquet_footer import read_footer
from engine.files.parquet_pages import look_at_pages

CODECS = ("none", "snappy", "gzip", "brotli", "zstd", "lz4")
IDS = [f"clip_{number}" for number in range(500)]


def join(texts: list[bytes]) -> bytes:
    return b"".join(len(text).to_bytes(4, "little") + text for text in texts)


def measure(path: Path) -> int | None:
    chunk = read_footer(path).read_chunk(0, 0)
    with path.open("rb") as file:
        page = look_at_pages(file.fileno(), chunk).dictionary
        assert page is not None
        return measure_longest(file.fileno(), page, chunk.codec)


@given(st.lists(st.binary(max_size=300)))
def test_it_is_right_or_not_known(texts: list[bytes]) -> None:
    assert find_longest(join(texts)) in (None, max(map(len, texts), default=None))


@given(st.lists(st.text(st.characters(min_codepoint=1), min_size=1, max_size=63), min_size=1))
def test_it_is_known_of_usual_texts(texts: list[str]) -> None:
    encoded = [text.encode() for text in texts]
    assert find_longest(join(encoded)) == max(map(len, encoded))


@given(st.binary(max_size=60))
def test_bytes_that_are_no_dictionary_are_taken_for_none(data: bytes) -> None:
    longest = find_longest(data)
    at, lengths = 0, []
    while at + 4 <= len(data):
        lengths.append(int.from_bytes(data[at : at + 4], "little"))
        at += 4 + lengths[-1]
    assert longest is None or (at == len(data) and longest == max(lengths))


@pytest.mark.parametrize("codec", CODECS)
def test_it_is_found_however_the_page_is_packed(codec: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": [*IDS, "the longest of all", *IDS]}), path, compression=codec)
    assert measure(path) == len("the longest of all")


@pytest.mark.parametrize("odd", ["", "zero\0byte", "x" * 256])
def test_odd_texts_are_left_to_arrow(odd: str, tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": [*IDS, odd]}), path)
    assert measure(path) is None


def test_a_page_that_cannot_be_unpacked_is_left_to_arrow(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": IDS}), path, compression="zstd")
    data = bytearray(path.read_bytes())
    data[data.index(b"\x28\xb5\x2f\xfd")] ^= 1  # the magic of zstd
    path.write_bytes(data)
    assert measure(path) is None
