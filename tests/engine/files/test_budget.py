"""Memory is asked for before a file is read; the answer says what is needed and what is free."""

from __future__ import annotations

import errno
import gzip
import re
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base.errors import InputError, Place
from engine.files.budget import (
    ALWAYS_FINE,
    TooLargeError,
    format_setting,
    measure_limit,
    parse_size,
    require_room,
    show_size,
)
from engine.files.large_files import read_data
from engine.files.memory import NO_LIMIT
from engine.files.parquet import open_parquet
from engine.files.text import read_text
from engine.files.text_cost import CSV_COST, JSON_COST, LINE_END, LINES_COST

GB = 1 << 30


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "small"
    path.write_bytes(b"x")
    return path


def pretend_free(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    monkeypatch.setattr("engine.files.budget.measure_free_memory", lambda: count)


def test_what_is_nearly_all_that_is_free_is_refused_with_the_way_to_allow_it(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend_free(monkeypatch, GB)
    with pytest.raises(TooLargeError) as caught:
        require_room(900 << 20, file)
    assert str(caught.value) == (
        f"{file}: needs about 900 MB of memory, 1.0 GB are free; split it, "
        "or set TUI_EVAL_MEMORY=991MB if you trust it"
    )


def test_no_setting_is_offered_for_what_is_more_than_all_that_is_free(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend_free(monkeypatch, GB)
    with pytest.raises(TooLargeError) as caught:
        require_room(10**400, file, hint="read it as .npy")
    assert str(caught.value) == (
        f"{file}: needs about 4,294,967,296 GB of memory, 1.0 GB are free; "
        "free some memory, or read it as .npy"
    )
    monkeypatch.setenv("TUI_EVAL_MEMORY", "100MB")
    with pytest.raises(TooLargeError) as caught:
        require_room(2 * GB, file)
    assert str(caught.value).endswith(
        "TUI_EVAL_MEMORY allows 100MB and 1.0 GB are free; free some memory, or split it"
    )


def test_a_small_file_does_not_become_huge_however_much_is_free(file: Path) -> None:
    require_room(ALWAYS_FINE, file)
    with pytest.raises(TooLargeError, match="1,000 times its size or more"):
        require_room(1.6 * GB, file)


def test_a_large_file_may_grow_a_thousandfold(tmp_path: Path) -> None:
    path = tmp_path / "large"
    path.write_bytes(b"x" * (2 << 20))
    require_room(1.9 * GB, path)


def make_sparse(path: Path) -> Path:
    """A few bytes at both ends of a hole of 64 GB."""
    with path.open("wb") as file:
        file.write(b"x")
        file.seek(64 * GB)
        file.write(b"x")
    return path


def test_the_holes_of_a_file_promise_nothing(tmp_path: Path) -> None:
    path = make_sparse(tmp_path / "sparse")
    require_room(ALWAYS_FINE, path)
    with pytest.raises(TooLargeError, match="1,000 times its size or more, holes aside"):
        require_room(1.6 * GB, path)


def test_a_hole_at_the_end_promises_nothing_either(tmp_path: Path) -> None:
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.write(b"x")
        file.truncate(64 * GB)
    with pytest.raises(TooLargeError):
        require_room(1.6 * GB, path)


def test_where_holes_cannot_be_told_the_size_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """File systems that compress, or say nothing of blocks, make every file look sparse."""

    def seek(*_: int) -> int:
        raise OSError(errno.EINVAL, "Invalid argument")

    path = make_sparse(tmp_path / "compressed")
    monkeypatch.setattr("engine.files.budget.os.lseek", seek)
    require_room(1.6 * GB, path)


def test_the_limit_can_be_set_for_more_and_for_less(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TUI_EVAL_MEMORY", "4000GB")
    require_room(3000 * GB, file)
    monkeypatch.setenv("TUI_EVAL_MEMORY", "100 MB")
    with pytest.raises(TooLargeError, match=r"TUI_EVAL_MEMORY allows 100 MB"):
        require_room(200 << 20, file)


@pytest.mark.parametrize("text", ["much", "-1GB", "1 PB", "GB", "1e3", "1,000GB", "9" * 400])
def test_a_limit_that_is_no_size_is_named(
    file: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv("TUI_EVAL_MEMORY", text)
    with pytest.raises(InputError, match="TUI_EVAL_MEMORY is"):
        measure_limit(file)


@given(st.integers(0, NO_LIMIT))
def test_a_setting_that_is_offered_is_read_and_allows_what_is_needed(count: int) -> None:
    allowed = parse_size(format_setting(count))
    assert count <= allowed <= max(1.11 * count, count + (1 << 20))


@given(st.floats(0, 999.4 * GB))
def test_sizes_that_are_shown_are_read(count: float) -> None:
    assert parse_size(show_size(count)) == pytest.approx(count, rel=0.06, abs=1 << 20)


@pytest.fixture
def rankings(tmp_path: Path) -> Path:
    path = tmp_path / "run.trec"
    path.write_text("".join(f"q{n // 100} Q0 d{n} 1 {n} x\n" for n in range(400_000)))
    return path


@pytest.mark.parametrize("packed", [False, True])
def test_the_setting_that_is_offered_works_at_the_first_try(
    rankings: Path, packed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if packed:
        rankings.write_bytes(gzip.compress(rankings.read_bytes(), 1))
    monkeypatch.setenv("TUI_EVAL_MEMORY", "8MB")
    with pytest.raises(TooLargeError) as caught:
        read_data(rankings)

    offered = re.search(r"TUI_EVAL_MEMORY=(\d+MB)", str(caught.value))
    assert offered is not None
    monkeypatch.setenv("TUI_EVAL_MEMORY", offered[1])
    assert read_data(rankings).count(b"\n") == 400_000


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.json", "[" + '{"a": [1, 2]}, ' * 200_000 + "1]"), ("a.csv", "a,b,c,d\n" * 400_000)],
)
def test_what_parsing_will_take_is_said_at_once(
    name: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / name
    path.write_text(text)
    cost = JSON_COST if name.endswith("json") else CSV_COST
    for allowed in ("1MB", "64MB"):  # refused by its size, and by its lines
        monkeypatch.setenv("TUI_EVAL_MEMORY", allowed)
        with pytest.raises(TooLargeError) as caught:
            read_data(path)
            cost.require(read_text(path), path)
        assert f"needs about {show_size(cost.estimate(text))} of" in str(caught.value)


def test_a_text_is_refused_before_its_characters_become_four_times_as_wide(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "words.txt"
    path.write_text("x" * (24 << 20) + "🚲")
    monkeypatch.setenv("TUI_EVAL_MEMORY", "200MB")
    tracemalloc.start()
    with pytest.raises(TooLargeError):
        read_text(path)
    _, peak = tracemalloc.get_traced_memory()
    monkeypatch.setenv("TUI_EVAL_MEMORY", "40MB")
    tracemalloc.reset_peak()
    before, _ = tracemalloc.get_traced_memory()
    with pytest.raises(TooLargeError):
        read_text(path)
    _, unread = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 40 << 20, "it was decoded"
    assert unread - before < 20 << 20, "it was read"


def test_the_limit_of_the_process_counts() -> None:
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30));"
        "from engine.files.memory import measure_free_memory; print(measure_free_memory())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 1 << 30 < int(done.stdout) < 2 << 30


@pytest.mark.parametrize(
    ("cost", "dear", "cheap"),
    [
        (JSON_COST, "{}," * 1000, "1" * 3000),
        (CSV_COST, "a\n" * 1000, "a" * 2000),
        (LINES_COST, "ab\n" * 1000, "a" * 3000),
        (LINES_COST, "ab\r" * 1000, "a" * 3000),
    ],
)
def test_short_values_cost_more_than_long_ones(cost: object, dear: str, cheap: str) -> None:
    assert cost.estimate(dear) > 10 * cost.estimate(cheap)  # type: ignore[attr-defined]
    assert cost.estimate(memoryview(dear.encode())) == cost.estimate(dear.encode())  # type: ignore[attr-defined]


@pytest.mark.parametrize("ends", ["\n", "\r", "\r\n", "\n\r\n\r"])
def test_a_line_costs_the_same_whichever_way_it_ends(ends: str) -> None:
    lines = {"\n\r\n\r": 3}.get(ends, 1) * 500
    by_lines = LINES_COST.marks[LINE_END] * lines
    text = f"a{ends}" * 500

    assert LINES_COST.estimate(text.encode()) == by_lines + LINES_COST.per_byte * len(text)
    assert LINES_COST.estimate(text) == by_lines + LINES_COST.per_byte * sys.getsizeof(text)


def test_a_text_that_would_explode_is_refused_before_it_is_parsed(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TUI_EVAL_MEMORY", "64MB")
    JSON_COST.require("1" * (1 << 20), Place(file))
    with pytest.raises(TooLargeError, match="needs about"):
        JSON_COST.require("[" + "{}," * (1 << 20) + "1]", Place(file))


def write(path: Path, **columns: object) -> Path:
    pq.write_table(pa.table(columns), path, compression="zstd")
    return path


def repeat(text: str, times: int) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array([0] * times, pa.int32()), pa.array([text]))


def test_a_dictionary_that_would_be_written_out_is_measured_by_its_longest_entry(
    tmp_path: Path,
) -> None:
    bomb = write(tmp_path / "bomb.parquet", a=repeat("x" * 100_000, 100_000))
    assert bomb.stat().st_size < 10_000
    with open_parquet(bomb) as file, pytest.raises(TooLargeError, match=r"needs about 9\.3 GB"):
        file.read(["a"])


def test_lists_of_a_dictionary_are_measured_too(tmp_path: Path) -> None:
    flat = repeat("x" * 100_000, 100_000)
    lists = pa.ListArray.from_arrays(pa.array([0, 100_000], pa.int32()), flat)
    bomb = write(tmp_path / "bomb.parquet", a=lists)
    with open_parquet(bomb) as file, pytest.raises(TooLargeError, match="needs about"):
        file.read(["a"])


def test_values_that_are_not_there_take_room_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TUI_EVAL_MEMORY", "33MB")
    bomb = write(tmp_path / "nulls.parquet", a=pa.nulls(2_000_000, pa.int64()))
    assert bomb.stat().st_size < 10_000
    with open_parquet(bomb) as file, pytest.raises(TooLargeError, match="needs about"):
        file.read(["a"])


def test_only_the_columns_that_are_read_count(tmp_path: Path) -> None:
    both = write(
        tmp_path / "both.parquet", a=repeat("x" * 100_000, 100_000), b=repeat("y", 100_000)
    )
    with open_parquet(both) as file:
        assert len(file.read(["b"])) == 100_000


def test_sound_columns_are_read(tmp_path: Path) -> None:
    ids = write(tmp_path / "ids.parquet", a=[f"clip_{number}" for number in range(200_000)])
    with open_parquet(ids) as file:
        assert file.read(["a"], per_value=130).num_rows == 200_000
