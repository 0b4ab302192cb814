"""What parsing a text takes of memory, by what can be counted in it beforehand.

Short values cost most: an empty object of JSON has two characters, and takes hundreds of bytes as
a value. The costs were measured on texts that hold nothing else, and rounded up.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from engine.base.errors import Place
from engine.files.budget import SURELY_FREE, measure_limit, require_room

Text: TypeAlias = str | bytes | memoryview

_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class TextCost:
    """Bytes of memory for each byte of a text, and for each of the marks in it."""

    per_byte: int
    marks: Mapping[str, int]

    @property
    def worst(self) -> int:
        """Bytes for a byte of a text that holds nothing but the dearest mark."""
        return self.per_byte + max(self.marks.values())

    def estimate(self, text: Text) -> int:
        """Bytes that parsing it takes at most.

        >>> JSON_COST.estimate("[" + "{}," * 1000 + "{}]") > 100 * len("{}," * 1000)
        True
        """
        held = sys.getsizeof(text) if isinstance(text, str) else len(text)
        marks = sum(cost * _count(text, mark) for mark, cost in self.marks.items())
        return held * self.per_byte + marks

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
            require_room(self.estimate(text), place, hint=hint)


def _count(text: Text, mark: str) -> int:
    if isinstance(text, str):
        return text.count(mark)
    import numpy as np

    data = np.frombuffer(text, np.uint8)  # several times as fast as bytes.count
    starts = range(0, len(data), _BLOCK)
    return sum(int((data[start : start + _BLOCK] == ord(mark)).sum()) for start in starts)


LINES_COST = TextCost(6, {"\n": 170})
CSV_COST = TextCost(6, {",": 72, "\t": 72, ";": 72, "\n": 350})
JSON_COST = TextCost(4, {",": 80, ":": 150, "[": 90, "{": 450})
"""Also as objects that know which of their keys are repeated."""
