"""What can be asked for of the frames of a clip."""

from __future__ import annotations

from typing import Literal, TypeAlias

ImageMode: TypeAlias = Literal[
    "auto", "halfcell", "quadrant", "sextant", "octant", "kitty", "sixel", "off"
]
"""How they are drawn."""

FrameView: TypeAlias = Literal["large", "filmstrip", "none"]
"""How many are shown, and how large: one large picture in the detail, a row of small ones below, or
none at all."""
