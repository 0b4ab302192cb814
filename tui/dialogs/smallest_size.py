"""The smallest terminal in which the screens can be used."""

from __future__ import annotations

from typing import Final

from textual.geometry import Size

SMALLEST_TERMINAL: Final = Size(60, 20)


def is_too_small(size: Size) -> bool:
    """
    >>> is_too_small(Size(59, 40)), is_too_small(Size(60, 20))
    (True, False)
    """
    return size.width < SMALLEST_TERMINAL.width or size.height < SMALLEST_TERMINAL.height
