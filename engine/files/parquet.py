"""Parquet files: one door for all readers, so that a small file never becomes a huge table.

A column of a thousand bytes may hold a million times the same long text: parquet writes it once
into a dictionary, and Arrow writes it out a million times. So the headers of the pages are read to
count the values, and the dictionaries of texts are looked at before anything else is.

The pages are counted, whatever the footer says, because Arrow goes by them. To watch memory while
reading would not do: a single row, or page, can be larger than all that is free.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from engine.base.errors import InputError
from engine.files.budget import measure_limit, require_room
from engine.files.parquet_footer import Footer, read_footer
from engine.files.parquet_pages import ChunkContent, look_at_pages
from engine.files.parquet_slots import count_leaves, count_slots
from engine.files.parquet_texts import TextChunk, count_text_bytes, estimate_text_bytes
from engine.files.reading import guard_reading

_COPIES = 3
"""Of a text: Arrow's, as it is read and as it is trimmed, and the one of Python."""
_HINT = "write it again with fewer or shorter values"
_BUFFER = 1 << 18
"""Bytes that Arrow reads at once; it would read all of a column's chunk."""
_FIXED_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "INT64": 8, "INT96": 12, "FLOAT": 4, "DOUBLE": 8}
_DECIMAL = 32
"""Bytes that a decimal number takes beside what is written, which Arrow widens."""
_PER_VALUE = 10
"""Bytes that Arrow takes beside a value: an offset, whether it is there, a place in a list."""
_PER_LIST = 9
"""Bytes for every further list around it: an offset, and whether it is there."""

Contents: TypeAlias = list[ChunkContent]
"""Of a column, one for each group of rows."""


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
            footer = read_footer(path)  # before Arrow, which would believe it
            with pq.ParquetFile(
                path, memory_map=False, pre_buffer=False, buffer_size=_BUFFER
            ) as file:
                names = tuple(file.schema_arrow.names)
                yield ParquetInput(path, file, names, _check_footer(footer, file))
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
    footer: Footer

    @property
    def schema(self) -> Any:
        return self.file.schema_arrow

    @property
    def rows(self) -> int:
        return int(self.file.metadata.num_rows)

    def read(self, columns: Sequence[str], *, per_value: int = 0) -> Any:
        """These columns as a table.

        per_value  bytes that the reader will need for each value beside Arrow's, and beside the
                   characters of a text, which it will have several times
        """
        self.require_room(columns, per_value)
        return self.file.read(columns=list(columns))

    def read_batches(self, columns: Sequence[str], rows: int) -> Any:
        """These columns, for which there is room, so many rows at a time."""
        return self.file.iter_batches(rows, columns=list(columns))

    def require_room(self, columns: Sequence[str], per_value: int = 0) -> None:
        """Refuse columns that would take more memory than there is for them."""
        kinds = self._find_leaves(columns)
        leaves = list(kinds)
        contents = self._look_at_pages(leaves)
        needed = sum(
            self._measure_fixed(leaf, column, kinds[leaf], per_value)
            for leaf, column in zip(leaves, contents, strict=True)
        )
        require_room(needed, self.path, hint=_HINT)
        texts = [
            text
            for leaf, column in zip(leaves, contents, strict=True)
            for text in self._list_texts(leaf, column)
        ]
        if needed + sum(text.content.most_text for text in texts) > _NOT_WORTH_LOOKING:
            copies = _COPIES if per_value else 1
            text_bytes = copies * self._measure_texts(texts, needed, copies)
            require_room(needed + text_bytes, self.path, hint=_HINT)

    def _find_leaves(self, columns: Sequence[str]) -> dict[int, Any]:
        """Where the values of columns are; a column that has others inside has several places. For
        each, Arrow's type of the whole column, by its place: a name may have a dot, and look like
        the inside of another."""
        wanted, lengths = set(columns), {len(name) for name in columns}
        kinds = [field.type for field in self.schema for _ in range(count_leaves(field.type))]
        if len(kinds) != self.file.metadata.num_columns:
            raise ValueError("its columns are not those of its schema")
        schema = self.file.schema
        return {
            leaf: kind
            for leaf, kind in enumerate(kinds)
            if _leads_into(schema.column(leaf).path, wanted, lengths)
        }

    def _look_at_pages(self, leaves: Sequence[int]) -> list[Contents]:
        """What is in every chunk of these columns."""
        footer = self.footer
        groups = range(len(footer.groups))
        chunks = [[footer.read_chunk(group, leaf) for group in groups] for leaf in leaves]
        if sum(chunk.end - chunk.start for column in chunks for chunk in column) > footer.size:
            raise ValueError("columns share their bytes")  # which would be looked at for each
        with self.path.open("rb", buffering=0) as file:
            return [[look_at_pages(file.fileno(), chunk) for chunk in column] for column in chunks]

    def _measure_fixed(self, leaf: int, contents: Contents, kind: Any, per_value: int) -> int:
        """Bytes of the values and of a page, without what differs from text to text.

        kind  Arrow's type of the column that they are in
        """
        column = self.file.schema.column(leaf)
        width = _FIXED_WIDTHS.get(column.physical_type, column.length or 0)
        width += _DECIMAL if column.logical_type.type == "DECIMAL" else 0
        further = max(0, column.max_repetition_level - 1)
        nesting = _PER_LIST * further + column.max_definition_level // 8
        values = sum(content.values for content in contents)
        values = count_slots(kind, sum(self.footer.rows), values)
        page = max((content.largest for content in contents), default=0)
        return int(values * (width + _PER_VALUE + nesting + per_value) + page)

    def _list_texts(self, leaf: int, contents: Contents) -> Iterator[TextChunk]:
        """The chunks of a column, if it is one of texts."""
        column = self.file.schema.column(leaf)
        if column.physical_type != "BYTE_ARRAY":
            return
        has_levels = (column.max_repetition_level > 0, column.max_definition_level > 0)
        for group, content in enumerate(contents):
            codec = self.footer.read_chunk(group, leaf).codec
            yield TextChunk(group, column.path, content, codec, has_levels)

    def _measure_texts(self, texts: Sequence[TextChunk], held: int, copies: int) -> int:
        """Bytes that texts take at most; each counted where that is needed to tell.

        held    bytes that are needed anyway
        copies  that there will be of every text
        """
        bare = sum(text.content.in_full + text.content.longest for text in texts)
        require_room(held + bare, self.path, hint=_HINT)  # also to look at them
        with self.path.open("rb", buffering=0) as file:
            sizes = [estimate_text_bytes(file.fileno(), text) for text in texts]
        if held + copies * sum(sizes) > measure_limit(self.path):
            sizes = [
                count_text_bytes(self.path, self.file.metadata, text, size)
                for text, size in zip(texts, sizes, strict=True)
            ]
        return sum(sizes)


def _leads_into(path: str, wanted: Set[str], lengths: Set[int]) -> bool:
    """Whether a path leads into one of the wanted columns.

    >>> _leads_into("a.list.element", {"a", "bc"}, {1, 2}), _leads_into("ab", {"a"}, {1})
    (True, False)
    """
    ends = (length for length in lengths if path[length : length + 1] in ("", "."))
    return any(path[:end] in wanted for end in ends)


_NOT_WORTH_LOOKING = 64 << 20
"""Bytes; a column that cannot take more than this is read as it is."""


def _check_footer(footer: Footer, file: Any) -> Footer:
    """Every group of rows has a chunk for each column."""
    columns, groups = file.metadata.num_columns, file.metadata.num_row_groups
    if len(footer.groups) != groups or any(len(group) != columns for group in footer.groups):
        raise ValueError("a group of rows lacks a column")
    return footer
