"""A small triage, written by hand, and one in which every text means harm."""

from __future__ import annotations

from typing import Any

from engine.base.errors import Place
from engine.files.fields import Field
from engine.triage.saved_triage import SavedTriage, parse_triage
from tests.engine.report.report_by_hand import HOSTILE

PARTS = {
    "too few relevant clips exist": 0.04,
    "lost by the mapper": 0.0,
    "lost by the index": 0.01,
    "not readable from the vectors": 0.05,
    "readable but unused": 0.1,
    "used but outvoted": 0.2,
}
MEAN = 0.6
"""What is had and what is lacking add up to 1."""


def number(value: float | None, low: float = 0.0, high: float = 1.0) -> dict[str, Any]:
    return {"value": value, "interval": None if value is None else [low, high]}


def write_finding(**changed: Any) -> dict[str, Any]:
    return {
        "id": "slices/video/way-crossing",
        "analysis": "slices",
        "mode": "video",
        "subject": {"kind": "slice", "names": ["way:crossing"], "label": "crossing"},
        "outcome": "found",
        "sentence": "The 30 video queries with 'crossing' have 0.200 points of P@5 less.",
        "effect": -0.2,
        "unit": "P@5",
        "interval": [-0.3, -0.1],
        "p": 0.001,
        "corrected_p": 0.002,
        "severity": 0.06,
        "harm": 0.2,
        "share": 0.3,
        "support": 30,
        "support_of": "query",
        "needed": None,
        "queries": ["clip_1"],
        "clips": ["clip_9"],
        "remedy": "look at the worst of these queries",
        "numbers": {"inside": 0.4, "outside": 0.6},
        "notes": ["Tested: 11 slices."],
        **changed,
    }


def write_pictures() -> dict[str, Any]:
    count = 60
    return {
        "looks": {
            "reference": "frames",
            "clips": 40,
            "pairs": 780,
            "correlation": 0.1,
            "balances": [
                {"group": None, "meaning": 0.5, "index": number(-0.6, -0.8, -0.4)},
                {"group": "way", "meaning": 0.3, "index": number(-0.5, -0.7, -0.2)},
            ],
            "similarity": [0.5 + n / 200 for n in range(count)],
            "look": [n / count for n in range(count)],
            "overlap": [(0.0, 0.25, 0.5)[n % 3] for n in range(count)],
        },
        "substitutions": [
            {
                "mode": "video",
                "group": "way",
                "keywords": ["way:crossing", "way:turning right"],
                "left_out": 1,
                "results": [[0, 40], [12, 0]],
                "instead": [[0, 31], [3, 0]],
                "lift": [[None, 2.5], [None, None]],
                "proven": [[False, True], [False, False]],
            }
        ],
        "slices": [
            {
                "mode": "video",
                "tested": 11,
                "mean": 0.55,
                "slices": [
                    {
                        "keywords": ["way:crossing"],
                        "support": 30,
                        "inside": number(0.4, 0.3, 0.5),
                        "chance": 0.05,
                        "ceiling": 0.9,
                        "difference": -0.2,
                        "corrected_p": 0.002,
                        "proven": True,
                    },
                    {
                        "keywords": ["way:turning right", "who:pedestrian"],
                        "support": 21,
                        "inside": number(0.5, 0.35, 0.65),
                        "chance": 0.02,
                        "ceiling": 1.0,
                        "difference": -0.06,
                        "corrected_p": 0.9,
                        "proven": False,
                    },
                ],
            }
        ],
        "reliance": {
            "groups": ["who", "way"],
            "left_out": 0,
            "before": [0.6, 0.5],
            "chance": [0.1, 0.1],
            "ceiling": [1.0, 0.9],
            "costs": [
                [number(0.31, 0.2, 0.4), number(-0.02, -0.05, 0.01)],
                [number(0.04, -0.01, 0.09), number(None)],
            ],
        },
    }


def write_document() -> dict[str, Any]:
    """A triage of one mode, in which the parts of the shortfall add up."""
    return {
        "schema": "tui-eval/triage@1",
        "tool": {"name": "tui-eval", "version": "0.1.0"},
        "inputs": {"annotations": {"path": "a.csv", "sha256": "ab" * 32}},
        "notes": ["video: 13 have no relevant clip: left out"],
        "dataset": {"name": "sample", "source": None},
        "model": {"name": "alfa-0.2", "metric": "cosine"},
        "baseline": "alfa-0.1",
        "measure": "P@5",
        "settings": {"level": 0.95},
        "correction": {"analyses": 3, "alpha": 0.05},
        "verdicts": [
            {
                "group": "way",
                "verdict": "used but outvoted",
                "selectivity": number(0.45, 0.4, 0.5),
                "reliance": number(0.3, 0.2, 0.4),
                "kept": number(0.5, 0.4, 0.6),
                "winner": "who",
                "sentence": "Way: used but outvoted. Who wins instead.",
            }
        ],
        "shortfall": [
            {
                "mode": "video",
                "queries": 100,
                "mean": MEAN,
                "interval": [0.5, 0.7],
                "ceiling": 0.96,
                "chance": 0.04,
                "parts": [
                    {"cause": cause, "points": points, "interval": [0.0, 0.3]}
                    for cause, points in PARTS.items()
                ],
            }
        ],
        "findings": [
            write_finding(),
            write_finding(
                id="hubs/video", analysis="hubs", outcome="nothing", severity=0.0, queries=[],
                clips=[], sentence="Hubs cost nothing: 0.001.",
            ),
        ],
        "evidence": [
            {
                "mode": "video",
                "query": "clip_1",
                "keywords": ["way:crossing"],
                "value": 0.2,
                "relevant": 7,
                "results": [
                    {"clip": "clip_2", "score": 0.9, "hit": True, "missing": [], "instead": []},
                    {
                        "clip": "clip_3", "score": 0.8, "hit": False,
                        "missing": ["way:crossing"], "instead": ["way:turning right"],
                    },
                ],
                "missed": ["clip_4"],
            }
        ],
        "changes": [
            {
                "id": "slices/video/way-crossing", "kind": "worse", "before": -0.1, "after": -0.2,
                "difference": -0.1, "interval": [-0.15, -0.05], "corrected_p": 0.01,
                "paired": True, "unit": "P@5", "sentence": "It is worse.",
            }
        ],
        "pictures": write_pictures(),
    }  # fmt: skip


_KEPT = ("schema", "outcome", "kind")
"""Fields that a document may fill with a few values only."""


def make_hostile(value: Any, at: int = 0, name: str = "") -> Any:
    """The same with every text that a document may hold replaced by one that means harm."""
    if isinstance(value, dict):
        return {
            key: make_hostile(one, at + place, key)
            for place, (key, one) in enumerate(value.items())
        }
    if isinstance(value, list):
        return [make_hostile(one, at + place, name) for place, one in enumerate(value)]
    if not isinstance(value, str) or name in _KEPT:
        return value
    return HOSTILE[at % len(HOSTILE)]


def parse(document: dict[str, Any]) -> SavedTriage:
    return parse_triage(Field(document, "", Place("t.json")))
