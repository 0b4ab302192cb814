"""What the themes are called: for whoever checks a name without painting anything."""

from __future__ import annotations

from typing import Final

THEME_NAMES: Final = ("dark", "light", "high-contrast", "colour-blind")
"""The first is the usual one."""
