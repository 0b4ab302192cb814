"""One group's cells as plain arrays: which keywords each clip has, and how they are written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.files.arrow import fill_gaps, view_numbers


def clean_keyword(text: str) -> str:
    """Lowercase, no space around, single spaces inside: the form in which keywords are compared.

    >>> clean_keyword("  Entering   ego PATH ")
    'entering ego path'
    """
    return " ".join(text.lower().split())


class BadCellError(ValueError):
    """A cell that cannot be read: the position of its clip, counted from 0, and the remedy."""

    def __init__(self, message: str, position: int, hint: str) -> None:
        super().__init__(message)
        self.position = position
        self.hint = hint


@dataclass(frozen=True, slots=True, eq=False)
class GroupCells:
    """The keywords of one group, each distinct cell stored once.

    Clip `r` has cell `c = cell_of[r]`, whose keywords are
    `names[keywords[starts[c]:starts[c + 1]]]`; `names` is sorted.

    >>> cells = GroupCells.from_lists("object_type", [["Bicyclist", "bollard"], []])
    >>> cells.names, cells.of(0), cells.of(1)
    (('bicyclist', 'bollard'), ('bicyclist', 'bollard'), ())
    """

    group: str
    column: str
    names: tuple[str, ...]
    cell_of: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int64]
    keywords: npt.NDArray[np.int32]

    @classmethod
    def from_lists(cls, group: str, rows: Sequence[Iterable[str]]) -> GroupCells:
        """Build one by hand: a collection of keywords for every clip."""
        builder = _Builder()
        flat = [(row, name) for row, names in enumerate(rows) for name in names]
        lengths = np.bincount([row for row, _ in flat], minlength=len(rows)).astype(np.int64)
        builder.add(
            np.arange(len(rows), dtype=np.int32),
            lengths,
            np.arange(len(flat), dtype=np.int32),
            [name for _, name in flat],
        )
        return builder.build(group, group)

    def of(self, row: int) -> tuple[str, ...]:
        """The keywords of one clip, each once, sorted."""
        return tuple(self.names[number] for number in self._numbers(row))

    def _numbers(self, row: int) -> list[int]:
        cell = self.cell_of[row]
        return sorted(set(self.keywords[self.starts[cell] : self.starts[cell + 1]].tolist()))

    def merge(self, first: npt.NDArray[np.int64], same: Iterable[Sequence[int]]) -> GroupCells:
        """Keep the rows `first`; each set of rows in `same` becomes the union at its first row."""
        cell_of = self.cell_of.copy()
        unions: list[list[int]] = []
        for rows in same:
            cell_of[rows[0]] = len(self.starts) - 1 + len(unions)
            unions.append(sorted({number for row in rows for number in self._numbers(row)}))
        ends = self.starts[-1] + np.cumsum([len(union) for union in unions], dtype=np.int64)
        added = np.array([number for union in unions for number in union], np.int32)
        return GroupCells(
            self.group,
            self.column,
            self.names,
            cell_of[first],
            np.concatenate([self.starts, ends]),
            np.concatenate([self.keywords, added]),
        )


class _Builder:
    """Collects chunks of cells; the keywords get their sorted numbers at the end."""

    def __init__(self) -> None:
        self._number_of: dict[str, int] = {}
        self._cell_of: list[npt.NDArray[np.int32]] = []
        self._lengths: list[npt.NDArray[np.int64]] = []
        self._keywords: list[npt.NDArray[np.int32]] = []
        self._cells = 0

    def add(
        self,
        cell_of: npt.NDArray[np.int32],
        lengths: npt.NDArray[np.int64],
        codes: npt.NDArray[np.int32],
        tokens: Sequence[str],
    ) -> None:
        """`lengths` tokens per cell, `codes` into `tokens` (-1: none), `cell_of` for the clips."""
        numbers = [self._number(token) for token in tokens]
        self._keywords.append(np.array([*numbers, -1], np.int32)[codes])
        self._lengths.append(lengths)
        self._cell_of.append(cell_of + np.int32(self._cells))
        self._cells += len(lengths)

    def _number(self, token: str) -> int:
        name = clean_keyword(token)
        return self._number_of.setdefault(name, len(self._number_of)) if name else -1

    def build(self, group: str, column: str) -> GroupCells:
        lengths = np.concatenate([np.zeros(1, np.int64), *self._lengths])
        starts = np.cumsum(lengths)
        keywords = np.concatenate([np.zeros(0, np.int32), *self._keywords])
        present = keywords >= 0
        if not present.all():
            starts = np.concatenate([[0], np.cumsum(present, dtype=np.int64)])[starts]
            keywords = keywords[present]
        names = sorted(self._number_of)
        rank = np.empty(len(names), np.int32)
        rank[[self._number_of[name] for name in names]] = np.arange(len(names), dtype=np.int32)
        cell_of = np.concatenate([np.zeros(0, np.int32), *self._cell_of])
        return GroupCells(group, column, tuple(names), cell_of, starts, rank[keywords])


def read_cells(group: str, column: str, values: Any) -> GroupCells:
    """Turn a pyarrow column (text, dictionary of text, or lists of text) into `GroupCells`.

    Text is split at commas, or read as a JSON list where it begins with "[". Work is done per
    chunk on its distinct cells, so a million clips with a thousand different cells cost little.
    """
    import pyarrow as pa

    builder = _Builder()
    row = 0
    for chunk in values.chunks:
        if _is_list(pa, chunk.type):
            cell_of = np.arange(len(chunk), dtype=np.int32)
            builder.add(cell_of, *_tokens(chunk))
        else:
            encoded = chunk if pa.types.is_dictionary(chunk.type) else chunk.dictionary_encode()
            cells, cell_of = _cells_with_a_null(pa, encoded)
            try:
                builder.add(cell_of, *_split(pa, cells))
            except BadCellError as error:
                error.position = row + int(np.argmax(cell_of == error.position))
                raise
        row += len(chunk)
    return builder.build(group, column)


def _is_list(pa: Any, kind: Any) -> bool:
    types = pa.types
    return bool(types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind))


def _cells_with_a_null(pa: Any, encoded: Any) -> tuple[Any, npt.NDArray[np.int32]]:
    cells = encoded.dictionary
    if encoded.indices.null_count:  # a missing cell is an empty one, put last
        cells = pa.concat_arrays([cells, pa.array([""], cells.type)])
    cell_of = view_numbers(fill_gaps(encoded.indices, len(cells) - 1))
    return cells, cell_of.astype(np.int32, copy=False)


_Tokens = tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], list[str]]


def _tokens(lists: Any) -> _Tokens:
    """Length of every list, the code of every element, and the distinct elements."""
    import pyarrow as pa
    import pyarrow.compute as pc

    lengths = view_numbers(fill_gaps(pc.list_value_length(lists), 0))
    flat = lists.flatten()
    if not pa.types.is_dictionary(flat.type):
        flat = flat.dictionary_encode()
    codes = view_numbers(fill_gaps(flat.indices, -1))
    distinct = fill_gaps(flat.dictionary, "").to_pylist()
    return lengths.astype(np.int64), codes.astype(np.int32, copy=False), distinct


def _split(pa: Any, cells: Any) -> _Tokens:
    """The tokens of text cells: split at commas, or parsed where a cell is a JSON list.

    What is odd (brackets, stray marks) is looked for in the few distinct tokens, and only if
    found there in all cells.
    """
    import pyarrow.compute as pc

    lists = pc.split_pattern(cells, ",")
    tokens = _tokens(lists)
    if any(token.lstrip().startswith("[") or _STRAY & set(token) for token in tokens[2]):
        pairs = zip(cells.to_pylist(), lists.to_pylist(), strict=True)
        parsed = [_parse(cell, text, plain) for cell, (text, plain) in enumerate(pairs)]
        tokens = _tokens(pa.array(parsed, pa.list_(pa.string())))
    return tokens


_STRAY = frozenset('"\0')


def _parse(cell: int, text: str, plain: list[str]) -> list[str]:
    """The tokens of one cell; an error names the cell's position among the distinct cells."""
    if "\0" in text:
        message = f"a cell holds a NUL byte: {_short(text)}"
        raise BadCellError(message, cell, "write the file as plain UTF-8 text")
    if text.lstrip().startswith("["):
        try:
            return _json_list(text)
        except (ValueError, RecursionError):
            message = f"not a JSON list of texts: {_short(text)}"
            hint = 'write ["a", "b"], or a, b without brackets'
            raise BadCellError(message, cell, hint) from None
    if '"' in text:
        message = f"a cell holds a stray quote mark: {_short(text)}"
        raise BadCellError(message, cell, 'put the whole cell in quotes: "a, b"')
    return plain


def _json_list(text: str) -> list[str]:
    values = [value for value in json.loads(text) if value is not None]
    if not all(isinstance(value, str) and "\0" not in value for value in values):
        raise ValueError("not texts")
    "".join(values).encode()  # an escaped half of a surrogate pair is no text either
    return values


def _short(text: str, limit: int = 60) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
