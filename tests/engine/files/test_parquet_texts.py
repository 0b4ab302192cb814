"""The texts of a sound parquet file are taken for what they are, however they are written."""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.files.budget import TooLargeError
from engine.files.parquet import open_parquet
from engine.files.parquet_delta import measure_repeated, read_lengths
from engine.files.parquet_footer import read_footer
from engine.files.parquet_pages import look_at_pages

DELTA: dict[str, Any] = {"use_dictionary": False, "column_encoding": "DELTA_BYTE_ARRAY"}
IDS = [f"clip_{number:09d}_front" for number in range(60_000)]
LAYOUTS: dict[str, Any] = {
    "plain": pa.array(IDS),
    "never missing": pa.array(IDS),
    "missing": pa.array([None if number % 3 else text for number, text in enumerate(IDS)]),
    "lists": pa.array([IDS[start : start + 3] for start in range(0, len(IDS), 4)]),
}


def write(path: Path, column: Any, *, nullable: bool = True, **options: Any) -> Path:
    schema = pa.schema([pa.field("a", column.type, nullable)])
    pq.write_table(pa.table([column], schema), path, **options)
    return path


def read(path: Path) -> Any:
    with open_parquet(path) as file:
        return file.read(["a"], per_value=100)


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("codec", ["none", "snappy", "gzip", "brotli", "zstd", "lz4"])
@pytest.mark.parametrize("name", LAYOUTS)
def test_ids_that_repeat_their_beginning_are_read(
    name: str, codec: Any, version: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TUI_EVAL_MEMORY", "33MB")
    options = {**DELTA, "compression": codec, "data_page_version": version}
    column, nullable = LAYOUTS[name], name != "never missing"

    path = write(tmp_path / "a.parquet", column, nullable=nullable, **options)

    assert read(path).column("a").to_pylist() == column.to_pylist()


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_one_long_text_that_others_repeat_is_counted_for_each(
    version: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TUI_EVAL_MEMORY", "100MB")
    texts = pa.array([f"{'y' * 5000}{number}" for number in range(20_000)])
    path = write(tmp_path / "a.parquet", texts, data_page_version=version, **DELTA)
    with pytest.raises(TooLargeError, match=r"needs about 57\d MB"):
        read(path)


def count_shared(one: str, two: str) -> int:
    """Characters with which both begin."""
    pairs = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(one, two, strict=False))
    return len(list(pairs))


@given(st.lists(st.text("abc", max_size=40), min_size=1, max_size=300), st.booleans())
def test_no_text_takes_more_than_was_said(texts: list[str], is_new: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        version: Any = "2.0" if is_new else "1.0"
        path = write(Path(folder, "a"), pa.array(texts), data_page_version=version, **DELTA)
        chunk = read_footer(path).read_chunk(0, 0)
        with path.open("rb") as file:
            (page,) = look_at_pages(file.fileno(), chunk).repeating
            said = measure_repeated(file.fileno(), page, chunk.codec, (False, True))
    repeated = sum(count_shared(*pair) for pair in itertools.pairwise(texts))
    worst = page.num_values * page.size
    assert sum(map(len, texts)) <= said == min(worst, 2 * (repeated + page.size))


@given(st.binary(max_size=200), st.integers(0, 1000))
def test_bytes_that_are_no_lengths_are_refused(data: bytes, most: int) -> None:
    try:
        lengths = read_lengths(data, most)
    except (ValueError, IndexError):
        return
    assert len(lengths) <= most and (lengths >= 0).all()


def test_a_single_long_text_of_a_dictionary_does_not_stand_for_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TUI_EVAL_MEMORY", "100MB")
    texts = ["x" * 20_000, "", *(f"word {number % 300}" for number in range(200_000))]
    table = pa.table({"a": texts, "b": [[text] for text in texts]})
    pq.write_table(table, tmp_path / "a.parquet")

    with open_parquet(tmp_path / "a.parquet") as file:
        for name in table.column_names:
            assert file.read([name], per_value=100).column(0) == table.column(name)


def test_long_texts_of_a_dictionary_are_counted_as_often_as_they_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TUI_EVAL_MEMORY", "90MB")
    places = pa.array(np.arange(100_000, dtype=np.int32) % 10)
    texts = pa.DictionaryArray.from_arrays(places, pa.array(["x" * 3000, *"abcdefghi"]))
    write(tmp_path / "a.parquet", texts)
    with pytest.raises(TooLargeError, match=r"needs about 9\d MB"):
        read(tmp_path / "a.parquet")
