"""The longest text of a dictionary, without Arrow, which would hash all of them to tell.

A dictionary lies in the file as one page: of every text its length, in four bytes, and then the
text. Ids are often all of one length, which a look at where the lengths must then be tells at once.
Nearly all other dictionaries have texts of 1 to 255 bytes without a zero byte, so that every zero
byte belongs to a length. Where each length begins is then known, and that they lie end to end is
the proof that nothing else was taken for one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.files.parquet_pages import Page, unpack_page

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_LENGTH = 4
"""Bytes before a text."""


def measure_longest(file: int, page: Page, codec: int) -> int | None:
    """The most bytes that a text has in the dictionary of an open file; None: it takes Arrow."""
    data = unpack_page(file, page, codec)
    return None if data is None else find_longest(data)


def find_longest(data: Any) -> int | None:
    """The longest of the texts that lie in bytes end to end, each behind its length.

    >>> find_longest(b"\\x02\\0\\0\\0ab\\x05\\0\\0\\0abcde"), find_longest(b"\\x01\\0\\0\\0ab")
    (5, None)
    >>> find_longest(b"\\x02\\0\\0\\0ab\\x02\\0\\0\\0cd")
    2
    """
    import numpy as np

    codes = np.frombuffer(data, np.uint8)
    length = int.from_bytes(codes[:_LENGTH].tobytes(), "little")
    if len(codes) and len(codes) % (_LENGTH + length) == 0:
        step = _LENGTH + length
        lengths = np.ndarray(len(codes) // step, "<u4", codes, strides=(step,))
        if (lengths == length).all():
            return length
    return _find_longest_by_zeros(codes)


def _find_longest_by_zeros(codes: npt.NDArray[np.uint8]) -> int | None:
    import numpy as np

    zeros = np.flatnonzero(codes == 0)
    if not len(zeros) or len(zeros) % (_LENGTH - 1) or zeros[0] != 1:
        return None
    first, second, third = (zeros[place :: _LENGTH - 1] for place in range(_LENGTH - 1))
    starts = first - 1
    lengths = codes[starts]
    ends = starts + _LENGTH + lengths
    is_proved = (
        ends[-1] == len(codes)
        and np.array_equal(starts[1:], ends[:-1])
        and np.array_equal(second, first + 1)
        and np.array_equal(third, first + 2)
    )
    return int(lengths.max()) if is_proved else None
