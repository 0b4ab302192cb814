"""Moment retrieval: predicted spans of videos against the moments that queries ask for.

predictions, ground truth ─▶ MomentsSource (open_moments) ─▶ official numbers
                                   └▶ JudgedPredictions of one task ─▶ Failures (explain)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.base.lazy_names import load_name

if TYPE_CHECKING:
    from engine.moments.failures.failures import explain
    from engine.moments.moments_source import MomentsRequest
    from engine.moments.open_files import open_moments
    from engine.moments.tasks import HitRule

__all__ = ["HitRule", "MomentsRequest", "explain", "open_moments"]

# Imported when they are asked for: who only names files here must not wait for numpy.
_HOMES = {
    "HitRule": "tasks",
    "MomentsRequest": "moments_source",
    "explain": "failures.failures",
    "open_moments": "open_files",
}


def __getattr__(name: str) -> Any:
    return load_name(__name__, _HOMES, name)
