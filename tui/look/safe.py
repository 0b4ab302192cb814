"""Text from a user's file, made harmless for a terminal."""

from __future__ import annotations

from engine.base.visible import make_visible as escape

__all__ = ["escape"]
