"""A triage as one HTML page (see the helper that writes it)."""

from __future__ import annotations

from engine.report.triage.markdown import format_triage_markdown
from engine.triage.saved_triage import SavedTriage


def format_triage_page(found: SavedTriage, top: int) -> str:
    raise NotImplementedError
