"""What parsing a text takes of memory, by what can be counted in it beforehand.

Short values cost most: an empty object of JSON has two characters, and takes hundreds of bytes as
a value. The costs were measured on texts that hold nothing else, and rounded up.
"""

from __future__ import annotations

import codecs
import math
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from engine.base.errors import Place
from engine.files.budget import SURELY_FREE, measure_limit, require_room

Text: TypeAlias = str | bytes | memoryview

LINE_END = "\r\n"
"""The mark that is the end of a line, whichever way it is written."""

_BLOCK = 1 << 20
_BEGINNING = 4096
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_GZIP_MAGIC = b"\x1f\x8b"

PART, _PARTS = 1 << 18, 64
"""Bytes of each part of a large file that is looked at, and how many parts."""


class TextCost(NamedTuple):
    """Bytes of memory for each byte of a text, and for each of the marks in it."""

    per_byte: int
    marks: Mapping[str, int]

    @property
    def worst(self) -> int:
        """Bytes for a byte of a text that holds nothing but the dearest mark."""
        return self.per_byte + max(self.marks.values())

    def estimate(self, text: Text, width: float = 1) -> int:
        """Bytes that parsing it takes at most; `width` is what a byte becomes when it is decoded.

        >>> JSON_COST.estimate("[" + "{}," * 1000 + "{}]") > 100 * len("{}," * 1000)
        True
        """
        held = sys.getsizeof(text) if isinstance(text, str) else len(text) * width
        marks = sum(cost * _count(text, mark) for mark, cost in self.marks.items())
        return int(held * self.per_byte) + marks

    def require(self, text: Text, place: Path | Place, *, hint: str = "") -> None:
        """Refuse a text that would take more memory than there is for it.

        Counting takes time: it is done if the text, whatever it holds, might be too large.
        """
        wide = isinstance(text, str) and not text.isascii()
        most = self.worst * len(text) * (4 if wide else 1)
        if most <= SURELY_FREE:
            return
        file = place.file if isinstance(place, Place) else place
        if most > measure_limit(file):
            later = partial(estimate_parsing, text, file)
            require_room(self.estimate(text), place, hint=hint, later=later)

    def require_decoded(self, data: bytes, place: Path) -> None:
        """The same for a text that is still to be decoded, and may take four times as much."""
        most = self.worst * len(data) * (1 if data.isascii() else 4)
        if most > SURELY_FREE and most > measure_limit(place):
            needed = self.estimate(data, measure_width(data))
            require_room(needed, place, later=partial(estimate_parsing, data, place))


def estimate_parsing(text: Text, file: Path | str | None) -> int:
    """Bytes for a text by whoever may parse it in the end, as its name and beginning tell."""
    width = 1.0 if isinstance(text, str) else measure_width(text)
    return max(cost.estimate(text, width) for cost in _list_costs(text, file))


def estimate_file(path: Path, size: int) -> float:
    """The same for a file, by parts from all over it; of a packed one, nobody knows."""
    sample = bytearray()
    with path.open("rb") as file:
        if file.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC:
            return math.inf
        for start in range(0, size, max(PART, size // _PARTS)):
            file.seek(start)
            sample += file.read(PART)
    return estimate_parsing(memoryview(sample), path) * size / max(1, len(sample))


def measure_width(data: bytes | memoryview) -> float:
    """Bytes that a byte of UTF-8 takes as part of a text of Python: every character takes as much
    as the widest of them.

    >>> [round(measure_width(text.encode()), 1) for text in ("abc", "aé", "aя", "a🚲bc")]
    [1.0, 1.0, 1.3, 2.3]
    """
    import numpy as np

    if bytes(data[:2]) in _UTF16_MARKS:
        return 2.0
    codes = np.frombuffer(data, np.uint8)
    widest = max((int(part.max()) for part in _split(codes)), default=0)
    if widest < 0xC4:  # nothing but characters of one byte in either
        return 1.0
    characters = sum(int(np.count_nonzero((part & 0xC0) != 0x80)) for part in _split(codes))
    return max(1.0, (4 if widest >= 0xF0 else 2) * characters / len(codes))


def _list_costs(text: Text, file: Path | str | None) -> list[TextCost]:
    start = text[:_BEGINNING]
    start = start if isinstance(start, str) else bytes(start).decode("latin1")
    suffixes = [] if file is None else Path(file).suffixes
    costs = [LINES_COST]
    if start.lstrip("\ufeff\xef\xbb\xbf \t\r\n").startswith(("{", "[")):
        costs.append(JSON_COST)
    if {".csv", ".tsv"} & {suffix.lower() for suffix in suffixes}:
        costs.append(CSV_COST)
    return costs


def _count(text: Text, mark: str) -> int:
    if mark == LINE_END:
        feeds, returns = _count(text, "\n"), _count(text, "\r")
        return feeds + returns - (_count_pairs(text) if feeds and returns else 0)
    if isinstance(text, str):
        return text.count(mark)
    import numpy as np

    data = np.frombuffer(text, np.uint8)  # several times as fast as bytes.count
    return sum(int(np.count_nonzero(part == ord(mark))) for part in _split(data))


def _count_pairs(text: Text) -> int:
    """Line feeds behind a carriage return; in bytes, those at the seams of blocks are missed."""
    if isinstance(text, str):
        return text.count(LINE_END)
    import numpy as np

    parts = _split(np.frombuffer(text, np.uint8))
    return sum(int(np.count_nonzero((part[:-1] == 13) & (part[1:] == 10))) for part in parts)


def _split(data: Any) -> Iterator[Any]:
    return (data[start : start + _BLOCK] for start in range(0, len(data), _BLOCK))


LINES_COST = TextCost(6, {LINE_END: 170})
CSV_COST = TextCost(6, {",": 72, "\t": 72, ";": 72, LINE_END: 350})
JSON_COST = TextCost(4, {",": 80, ":": 150, "[": 90, "{": 450})
"""Also as objects that know which of their keys are repeated."""
TOML_COST = TextCost(6, {".": 1000, "[": 1000, "=": 200, ",": 40, "{": 80})
"""The parser remembers of every part of a key how it was written."""
