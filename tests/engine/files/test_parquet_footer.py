"""The footer of a parquet file is read as Arrow reads it, and a damaged one ends no process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.files import thrift
from engine.files.parquet_footer import read_footer
from engine.files.parquet_pages import look_at_pages
from tests.fuzz.mutations.footers import find_chunks, find_field, split_footer

TABLE = pa.table(
    {
        "text": ["a", "bb", None, "bb"] * 5,
        "number": list(range(20)),
        "lists": [[1.0, 2.0], [], None, [3.0]] * 5,
        "flag": [True, False] * 10,
        "place": [{"file": "x", "line": 1}] * 20,
    }
)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"row_group_size": 3},
        {"use_dictionary": False, "compression": "zstd"},
        {"use_dictionary": False, "column_encoding": {"text": "DELTA_BYTE_ARRAY"}},
        {"data_page_version": "2.0", "write_statistics": False, "store_schema": False},
    ],
)
def test_it_says_what_arrow_says(tmp_path: Path, options: dict[str, Any]) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(TABLE, path, **options)
    metadata = pq.ParquetFile(path).metadata

    footer = read_footer(path)

    assert len(footer.groups) == metadata.num_row_groups
    for group in range(metadata.num_row_groups):
        assert footer.rows[group] == metadata.row_group(group).num_rows
        for leaf in range(metadata.num_columns):
            column, chunk = metadata.row_group(group).column(leaf), footer.read_chunk(group, leaf)
            first = column.dictionary_page_offset or column.data_page_offset
            assert (chunk.num_values, chunk.start) == (column.num_values, first)
            assert chunk.end - chunk.start == column.total_compressed_size
            with path.open("rb") as file:
                content = look_at_pages(file.fileno(), chunk)
            assert content.values == column.num_values
            assert bool(content.dictionary) == column.has_dictionary_page
            assert bool(content.referring) == ("RLE_DICTIONARY" in column.encodings)
            if column.physical_type == "BYTE_ARRAY":
                assert bool(content.repeating) == ("DELTA_BYTE_ARRAY" in column.encodings)


def test_a_long_footer_is_read_as_a_short_one_is(tmp_path: Path) -> None:
    """Long ones are passed over by a pattern; texts, lists and structs of all lengths are there."""
    names = [f"{'n' * (number % 70)}{number}" for number in range(600)]
    table = pa.table({name: ["x" * (number % 90)] for number, name in enumerate(names)})
    pq.write_table(table, tmp_path / "t.parquet")
    data = (tmp_path / "t.parquet").read_bytes()
    length = int.from_bytes(data[-8:-4], "little")
    assert length > thrift._LONG

    footer = read_footer(tmp_path / "t.parquet")

    _, wanted = split_footer(data)
    starts = [one.num_values for one in map(footer.read_chunk, [0] * 600, range(600))]
    assert starts == [find_field(chunk, 5)[2] for chunk in find_chunks(wanted)]
    places = [footer.read_chunk(0, leaf).end for leaf in range(600)]
    assert places == sorted(places) and len(set(places)) == 600


@pytest.mark.parametrize(
    "footer",
    [
        b"",
        b"\x19",
        b"\x19\xfc\xff\xff\xff\xff\x0f",
        b"\x1c" * 5000,
        b"\xff" * 50,
        b"\x18\xff\xff\x03",
    ],
)
def test_a_damaged_footer_is_a_value_error(tmp_path: Path, footer: bytes) -> None:
    path = tmp_path / "t.parquet"
    path.write_bytes(b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1")

    with pytest.raises(ValueError, match="its footer"):
        read_footer(path)


@pytest.mark.slow
def test_no_byte_of_a_footer_ends_the_process(tmp_path: Path) -> None:
    """Arrow ends the process where it throws what nobody catches: so this is one of its own."""
    path = tmp_path / "r.parquet"
    run = {"q_id": ["q"] * 9, "doc_id": list("abcdefghi"), "score": [0.5] * 9, "other": [1] * 9}
    pq.write_table(pa.table(run), path)
    code = (
        "import sys; from pathlib import Path\n"
        "from engine.base.errors import InputError\n"
        "from engine.rankings.formats.registry import read_run\n"
        "path = Path(sys.argv[1]); data = path.read_bytes()\n"
        "for place in range(len(data) - 8 - int.from_bytes(data[-8:-4], 'little'), len(data)):\n"
        "    for change in (1, 4, 255):\n"
        "        odd = bytes([data[place] ^ change])\n"
        "        path.write_bytes(data[:place] + odd + data[place + 1:])\n"
        "        try: read_run(path)\n"
        "        except InputError: pass\n"
    )

    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, check=False)

    assert (done.returncode, done.stderr) == (0, b"")
