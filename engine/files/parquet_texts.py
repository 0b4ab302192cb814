"""How many bytes the texts of a parquet column take when each is written out.

A text that stands in full takes what is in the file. One that refers to a dictionary takes as much
as its entry, and one that repeats a part of the text before takes that part again: a few bytes can
stand for a long text. At first all are taken to be as long as the longest; where that would be too
much, those that refer to a dictionary are counted one by one, as a single long text among short
ones is no reason to refuse a file.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.files.parquet_delta import measure_repeated
from engine.files.parquet_dictionary import measure_longest
from engine.files.parquet_pages import ChunkContent

_ROWS_AT_ONCE = 1 << 16


@dataclass(frozen=True, slots=True)
class TextChunk:
    """The texts of a column that are in one group of rows.

    path        of the column
    codec       how its pages are packed
    has_levels  whether it has lists, and whether values may be missing
    """

    group: int
    path: str
    content: ChunkContent
    codec: int
    has_levels: tuple[bool, bool]


def estimate_text_bytes(file: int, text: TextChunk) -> int:
    """Bytes that the texts of an open file take at most."""
    content = text.content
    needed = content.in_full + content.longest
    needed += sum(
        measure_repeated(file, page, text.codec, text.has_levels) for page in content.repeating
    )
    if content.referring and content.dictionary is not None:
        longest = measure_longest(file, content.dictionary, text.codec)
        needed += content.referring * (content.longest if longest is None else longest)
    return needed


def count_text_bytes(path: Path, metadata: Any, text: TextChunk, most: int) -> int:
    """The same, by every reference to the dictionary, which Arrow reads without writing them out.

    most  what is known already, and stays where they cannot be counted
    """
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    content = text.content
    if not content.referring or content.repeating:  # the latter Arrow would write out
        return most
    needed = content.in_full + content.longest
    with pq.ParquetFile(
        path, metadata=metadata, read_dictionary=[text.path], pre_buffer=False
    ) as file:
        batches = file.iter_batches(_ROWS_AT_ONCE, row_groups=[text.group], columns=[text.path])
        for batch in batches:
            references = _find_references(batch.column(0))
            if references is None:
                return most
            lengths = pc.binary_length(references.dictionary).take(references.indices)
            needed += pc.sum(lengths).as_py() or 0
            if needed >= most:
                return most
    return int(needed)


def _find_references(array: Any) -> Any | None:
    """The texts of a column that refer to a dictionary, also inside of lists."""
    import pyarrow as pa

    while not pa.types.is_dictionary(array.type):
        if not pa.types.is_nested(array.type) or pa.types.is_struct(array.type):
            return None
        array = array.values
    return array
