"""A text of a parquet file that is no UTF-8, though its column says that all are."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.files.parquet import DamagedParquetError
from engine.results.read_results import read_results


def test_a_text_that_is_no_utf8_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "queries.parquet"
    odd = pa.array([b"q\xff"]).view(pa.string())
    columns = {"mode": ["text"], "profile": ["alfa"], "query": odd, "keywords": [["a"]]}
    pq.write_table(pa.table({**columns, "relevant": [1], "P@5": [0.5]}), path)

    with pytest.raises(DamagedParquetError, match="is not a whole parquet file"):
        read_results(path)
