"""Mode: what a query is."""

from __future__ import annotations

from typing import Literal, TypeAlias

Mode: TypeAlias = Literal["text", "video"]
"""What a query is: a text, or a clip of the dataset."""
