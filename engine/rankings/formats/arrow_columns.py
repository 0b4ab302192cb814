"""Columns of a text in perfect order, which Arrow reads at once; whatever may be odd is left to
readers that go line by line, and find the line to name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.base.arrays import Floats
from engine.rankings.formats.column_names import LARGEST_GRADE
from engine.rankings.formats.triples import FileKind

_BLOCK_BYTES = 1 << 22


def read_columns(
    data: bytes, names: list[str], texts: Sequence[str], number: str, delimiter: str, skipped: int
) -> Any | None:
    """A table of the named `texts` and the `number`; None if some line has too many columns or too
    few, or if there is none."""
    import pyarrow as pa
    import pyarrow.csv as arrow_csv

    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(data),
            arrow_csv.ReadOptions(column_names=names, skip_rows=skipped, block_size=_BLOCK_BYTES),
            arrow_csv.ParseOptions(delimiter=delimiter, quote_char=False, double_quote=False),
            arrow_csv.ConvertOptions(
                column_types={name: pa.string() for name in texts} | {number: pa.float64()},
                include_columns=[*texts, number],
                null_values=[],
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowException:
        return None
    return table if len(table) else None


def has_empty(column: Any) -> bool:
    """Whether one of the texts is empty."""
    import pyarrow.compute as pc

    return bool(pc.min(pc.binary_length(column)).as_py() == 0)


def column_to_floats(column: Any) -> Floats:
    """A column of doubles without gaps as an array."""
    values = np.from_dlpack(column.combine_chunks())
    return np.asarray(values, np.float64)


def find_numbers(column: Any, kind: FileKind) -> Floats | None:
    """The numbers of a column; None if one of them can be no score or grade."""
    values = column_to_floats(column)
    too_large = kind == "qrels" and np.abs(values).max() > LARGEST_GRADE
    return None if too_large or not np.isfinite(values).all() else values
