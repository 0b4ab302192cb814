"""Parquet files: one door for all readers, so that a small file never becomes a huge table.

A column of a thousand bytes may hold a million times the same long text: parquet writes it once
into a dictionary, and Arrow writes it out a million times. So the metadata say how many values
there are, and the dictionaries of texts are looked at before anything is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.base.errors import InputError
from engine.files.budget import require_room
from engine.files.reading import guard_reading

_HINT = "write it again with fewer or shorter values"
_FIXED_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "INT64": 8, "INT96": 12, "FLOAT": 4, "DOUBLE": 8}
_PER_VALUE = 10
"""Bytes that Arrow takes beside a value: an offset, whether it is there, a place in a list."""


class DamagedParquetError(InputError):
    """A file that is no parquet, or not a whole one."""


@contextmanager
def open_parquet(path: Path) -> Iterator[ParquetInput]:
    """A parquet file whose metadata were read; whatever is wrong with it is an InputError."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with guard_reading(path) as size:
            if not size:
                raise InputError("is empty", path)
            with pq.ParquetFile(path, memory_map=False, pre_buffer=False) as file:
                yield ParquetInput(path, file, tuple(file.schema_arrow.names))
    except (pa.ArrowException, OSError, ValueError, LookupError, OverflowError) as error:
        if isinstance(error, PermissionError):
            raise
        reason = " ".join(str(error).split())[:120]
        message = f"is not a whole parquet file ({reason})"
        raise DamagedParquetError(message, path, hint="write or copy it again") from error


@dataclass(frozen=True, slots=True)
class ParquetInput:
    """An open parquet file: the names of its columns, and what is in them."""

    path: Path
    file: Any
    names: tuple[str, ...]

    @property
    def schema(self) -> Any:
        return self.file.schema_arrow

    @property
    def rows(self) -> int:
        return int(self.file.metadata.num_rows)

    def read(self, columns: Sequence[str], *, per_value: int = 0) -> Any:
        """These columns as a table.

        per_value  bytes that the reader will need for each value beside Arrow's
        """
        self.require_room(columns, per_value)
        return self.file.read(columns=list(columns))

    def read_batches(self, columns: Sequence[str], rows: int) -> Any:
        """These columns, for which there is room, so many rows at a time."""
        return self.file.iter_batches(rows, columns=list(columns))

    def require_room(self, columns: Sequence[str], per_value: int = 0) -> None:
        """Refuse columns that would take more memory than there is for them."""
        wanted = [i for i in range(self.file.metadata.num_columns) if self._is_in(i, columns)]
        needed = sum(self._measure_fixed(i, per_value) for i in wanted)
        require_room(needed, self.path, hint=_HINT)
        texts = [i for i in wanted if self._is_text(i)]
        if sum(map(self._bound_texts, texts)) + needed > _NOT_WORTH_LOOKING:
            needed += self._measure_texts(texts)
            require_room(needed, self.path, hint=_HINT)

    def _is_in(self, leaf: int, columns: Sequence[str]) -> bool:
        path = self.file.schema.column(leaf).path
        return any(path == name or path.startswith(f"{name}.") for name in columns)

    def _is_text(self, leaf: int) -> bool:
        return bool(self.file.schema.column(leaf).physical_type == "BYTE_ARRAY")

    def _chunks(self, leaf: int) -> Iterator[Any]:
        """The parts of a column, one for each group of rows."""
        metadata = self.file.metadata
        for group in range(metadata.num_row_groups):
            yield metadata.row_group(group).column(leaf)

    def _measure_fixed(self, leaf: int, per_value: int) -> int:
        """Bytes of the values, without what differs from text to text."""
        column = self.file.schema.column(leaf)
        width = _FIXED_WIDTHS.get(column.physical_type, column.length or 0)
        values = sum(chunk.num_values for chunk in self._chunks(leaf))
        return int(values) * (width + _PER_VALUE + per_value)

    def _bound_texts(self, leaf: int) -> int:
        """Bytes that the texts of a column cannot exceed: each value might be all there is."""
        return sum(
            chunk.total_uncompressed_size * (1 if _is_plain(chunk) else chunk.num_values)
            for chunk in self._chunks(leaf)
        )

    def _measure_texts(self, leaves: Sequence[int]) -> int:
        """Bytes that the texts of columns take at most, by the longest entry of each dictionary."""
        import pyarrow.parquet as pq

        paths = [self.file.schema.column(leaf).path for leaf in leaves]
        needed = 0
        with pq.ParquetFile(
            self.path, metadata=self.file.metadata, read_dictionary=paths, pre_buffer=False
        ) as file:
            for group in range(self.file.metadata.num_row_groups):
                chunks = [self.file.metadata.row_group(group).column(leaf) for leaf in leaves]
                needed += sum(chunk.total_uncompressed_size for chunk in chunks)
                require_room(needed, self.path, hint=_HINT)
                for path, chunk in zip(paths, chunks, strict=True):
                    if chunk.num_values and not _is_plain(chunk):
                        needed += chunk.num_values * _measure_longest(file, group, path, chunk)
        return needed


def _measure_longest(file: Any, group: int, path: str, chunk: Any) -> int:
    """The most bytes that one text of a part of a column has.

    Arrow reads a dictionary when the first value is read. Without one, each text may repeat all
    of those before.
    """
    import pyarrow.compute as pc

    entries = None
    if chunk.has_dictionary_page:
        first = next(iter(file.iter_batches(1, row_groups=[group], columns=[path])))
        entries = _find_dictionary(first.column(0))
    if entries is None or not len(entries):
        return int(chunk.total_uncompressed_size)
    return int(pc.max(pc.binary_length(entries)).as_py() or 0)


_NOT_WORTH_LOOKING = 64 << 20
"""Bytes; a column that cannot take more than this is read as it is."""


def _is_plain(chunk: Any) -> bool:
    """Whether every value stands there in full."""
    return not any("DICTIONARY" in kind or "DELTA" in kind for kind in chunk.encodings)


def _find_dictionary(array: Any) -> Any | None:
    """The dictionary of a column of texts, also inside of lists."""
    import pyarrow as pa

    while not pa.types.is_dictionary(array.type):
        if not pa.types.is_nested(array.type) or pa.types.is_struct(array.type):
            return None
        array = array.values
    return array.dictionary
