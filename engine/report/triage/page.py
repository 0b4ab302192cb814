"""A triage as one HTML page (see the helper that writes it)."""

from __future__ import annotations

from engine.triage.saved_triage import SavedTriage


def format_triage_page(found: SavedTriage, top: int) -> str:
    raise NotImplementedError
