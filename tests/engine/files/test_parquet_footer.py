"""The footer of a parquet file is read as Arrow reads it, and a damaged one ends no process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.files.parquet_footer import read_row_groups

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

    groups = read_row_groups(path)

    assert len(groups) == metadata.num_row_groups
    for number, group in enumerate(groups):
        columns = [metadata.row_group(number).column(i) for i in range(metadata.num_columns)]
        assert [chunk.num_values for chunk in group] == [c.num_values for c in columns]
        sizes = [chunk.total_uncompressed_size for chunk in group]
        assert sizes == [column.total_uncompressed_size for column in columns]
        assert [c.has_dictionary_page for c in group] == [c.has_dictionary_page for c in columns]
        odd = ("DICTIONARY" in f"{c.encodings}" or "DELTA" in f"{c.encodings}" for c in columns)
        assert [not chunk.plain for chunk in group] == list(odd)


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
        read_row_groups(path)


@pytest.mark.slow
def test_no_byte_of_a_footer_ends_the_process(tmp_path: Path) -> None:
    """Arrow ends the process where it throws what nobody catches: so this is one of its own."""
    path = tmp_path / "r.parquet"
    run = {"q_id": ["q"] * 9, "doc_id": list("abcdefghi"), "score": [0.5] * 9}
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
