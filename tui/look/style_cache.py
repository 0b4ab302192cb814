"""A cache of Textual's that would keep what was painted of every dialog that was ever closed."""

from __future__ import annotations

from functools import lru_cache
from inspect import signature
from typing import Any

from textual import widget

_COLOURS_KEPT = 1024


def forget_closed_widgets() -> None:
    """Let two colours be remembered by themselves, and not by the widget that was painted in them.

    Textual remembers the last 1024 widgets with all their lines for it: 150 MB in a day.
    """
    styles: Any = getattr(widget, "StylesCache", None)
    kept: Any = getattr(styles, "get_inner_outer", None)
    # Only as long as Textual does so: it may learn better.
    if hasattr(kept, "cache_info") and len(signature(kept).parameters) == 3:
        blend = lru_cache(_COLOURS_KEPT)(lambda base, top: kept.__wrapped__(None, base, top))
        styles.get_inner_outer = staticmethod(blend)
