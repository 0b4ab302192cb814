"""Annotations as parquet: only the columns in use are read, and their types are checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.base.errors import InputError, Place
from engine.dataset.annotations.layout import Layout
from engine.files.parquet import open_parquet

_AS_VALUE = 130
"""Bytes that an id or a keyword takes beside its characters, as a value of Python."""


@dataclass(frozen=True, slots=True, eq=False)
class ParquetFile:
    """A parquet file whose schema was read."""

    path: Path
    header: tuple[str, ...]
    encoding: str = "parquet"
    delimiter: str = ""

    @classmethod
    def open(cls, path: Path) -> ParquetFile:
        """Read the schema; raises `InputError` if the file is no sound parquet."""
        with open_parquet(path) as file:
            return cls(path, file.names)

    def read(self, layout: Layout) -> tuple[ParquetFile, dict[int, Any]]:
        """Columns by position: groups as text or lists of text, the others as text."""
        with open_parquet(self.path) as file:
            wanted = [self.header[i] for i in layout.positions]
            table = file.read(wanted, per_value=_AS_VALUE)
        groups = {position for _, position in layout.groups}
        columns = {}
        for i in layout.positions:
            values = table[self.header[i]]
            if i in groups:
                columns[i] = self._cells(i, values)
            else:
                columns[i] = self._text(i, values, is_id=i == layout.slice_id)
        return self, columns

    def lines(self, rows: Sequence[int]) -> list[int | None]:
        """Parquet has no lines."""
        return [None] * len(rows)

    def _text(self, position: int, values: Any, *, is_id: bool) -> Any:
        import pyarrow as pa

        kind, types = _plain(values.type), pa.types
        if is_id and not (_is_text(kind) or types.is_integer(kind)):
            raise self._wrong_type(position, values.type, "text or whole numbers")
        if types.is_nested(kind):
            raise self._wrong_type(position, values.type, "plain values")
        return self._cast(position, values, pa.string())

    def _cells(self, position: int, values: Any) -> Any:
        import pyarrow as pa

        kind, types = _plain(values.type), pa.types
        if types.is_null(kind) or _is_text(kind):
            return self._cast(position, values, pa.string())
        is_list = types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)
        item = _plain(kind.value_type) if is_list else kind
        if not is_list or not (_is_text(item) or types.is_null(item)):
            raise self._wrong_type(position, values.type, "text or lists of text")
        return self._cast(position, values, pa.large_list(pa.string()))

    def _cast(self, position: int, values: Any, kind: Any) -> Any:
        import pyarrow as pa

        try:
            text = values.cast(kind)
            text.validate(full=True)  # parquet may claim to hold UTF-8 and not do so
            return text
        except pa.ArrowException as error:
            raise self._wrong_type(position, values.type, "UTF-8 text") from error

    def _wrong_type(self, position: int, kind: Any, wanted: str) -> InputError:
        return InputError(
            f"holds values of type {kind}",
            Place(self.path, column=self.header[position]),
            hint=f"store it as {wanted}",
        )


def _plain(kind: Any) -> Any:
    import pyarrow as pa

    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    types = pa.types
    return bool(
        types.is_string(kind)
        or types.is_large_string(kind)
        or types.is_string_view(kind)
        or types.is_binary(kind)
        or types.is_large_binary(kind)
    )
