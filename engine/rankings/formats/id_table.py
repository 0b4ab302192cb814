"""Ids: a table of distinct ids, kept outside Python until one of them is asked for.

Arrow's own converters from numpy import pandas, which takes longer than reading a run of a million
lines. So arrays cross over as plain memory here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Ints
from engine.files.arrow import view_numbers


class IdTable(Sequence[str]):
    """Distinct ids by number. A million of them take some 20 MB, and no Python object each.

    >>> ids = IdTable.of(["q1", "q2", "q3"])
    >>> len(ids), ids[1], ids.names(np.array([2, 0]))
    (3, 'q2', ['q3', 'q1'])
    """

    __slots__ = ("_array",)

    def __init__(self, array: Any) -> None:
        self._array = array

    @classmethod
    def of(cls, names: Iterable[str]) -> IdTable:
        """These ids, which must be distinct."""
        return cls(_arrow_texts(names))

    @classmethod
    def numbers(cls, count: int) -> IdTable:
        """The ids 0, 1, 2 …, for rows that have no name of their own.

        >>> list(IdTable.numbers(2))
        ['0', '1']
        """
        import pyarrow as pa

        return cls(_arrow_ints(np.arange(count, dtype=np.int64)).cast(pa.large_string()))

    def __len__(self) -> int:
        return len(self._array)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return self._array[place].to_pylist()
        return self._array[int(place)].as_py()

    def __iter__(self) -> Iterator[str]:
        return iter(self._array.to_pylist())

    def names(self, codes: npt.NDArray[np.integer]) -> list[str]:
        """The ids of these numbers, in order."""
        named: list[str] = self._array.take(_arrow_ints(codes.astype(np.int64))).to_pylist()
        return named

    def places_in(self, other: IdTable) -> Ints:
        """Where each id stands in the other table; −1 where it does not.

        >>> IdTable.of(["b", "x"]).places_in(IdTable.of(["a", "b"]))
        array([ 1, -1])
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        found = pc.index_in(self._array, value_set=other._array)
        known = _numbers(found.is_valid().cast(pa.int8())).astype(np.bool_)
        places = np.full(len(self), -1, np.int64)
        places[known] = _numbers(found.drop_null())
        return places


def number_ids(texts: Any) -> tuple[Ints, IdTable]:
    """Numbers of texts in the order of their first appearance, and the table behind them.

    `texts` is a list of str, or an Arrow column of strings.

    >>> codes, ids = number_ids(["b", "a", "b"])
    >>> codes, list(ids)
    (array([0, 1, 0]), ['b', 'a'])
    """
    import pyarrow as pa

    column = pa.chunked_array([_arrow_texts(texts)]) if isinstance(texts, list) else texts
    # Encoded together, all chunks share one table.
    coded = column.dictionary_encode().combine_chunks()
    return _numbers(coded.indices), IdTable(coded.dictionary.cast(pa.large_string()))


def _numbers(array: Any) -> Ints:
    return view_numbers(array).astype(np.int64)


def _arrow_ints(numbers: Ints) -> Any:
    import pyarrow as pa

    memory = pa.py_buffer(np.ascontiguousarray(numbers))
    return pa.Array.from_buffers(pa.int64(), len(numbers), [None, memory])


def _arrow_texts(texts: Iterable[str]) -> Any:
    import pyarrow as pa

    encoded = [text.encode() for text in texts]
    ends = np.cumsum(np.fromiter(map(len, encoded), np.int64, len(encoded)))
    starts = np.concatenate(([0], ends)).astype(np.int64)
    memory = [None, pa.py_buffer(starts), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.large_string(), len(encoded), memory)
