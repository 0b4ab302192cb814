"""Documents of triages made by hand: a few findings, and what became of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.base.errors import Place
from engine.files.fields import Field
from engine.triage.saved_triage import SavedTriage, parse_triage
from tests.engine.report.triage.drawn_triage import write_pictures

BLAME = "blame/text/who-pedestrian"
LOOKS = "looks/video"
HUBS = "hubs/video"


def write_finding(id: str, **more: Any) -> dict[str, Any]:
    """A finding of a triage as its document has it: proven, and 0.1 points severe."""
    usual: dict[str, Any] = {
        "id": id,
        "analysis": id.partition("/")[0],
        "mode": "text" if "/text" in id else "video",
        "subject": {"kind": "keyword", "names": ["who:pedestrian"], "label": "pedestrian"},
        "outcome": "found",
        "sentence": f"{id} costs something.",
        "effect": 0.4,
        "unit": "P@5",
        "interval": [0.3, 0.5],
        "p": 0.001,
        "corrected_p": 0.004,
        "severity": 0.1,
        "harm": 0.4,
        "share": 0.25,
        "support": 30,
        "support_of": "query",
        "needed": None,
        "queries": ["a pedestrian"],
        "clips": ["clip_1"],
        "remedy": "add clips",
        "numbers": {"excess": 0.2, "unknown": None},
        "notes": [],
    }
    return usual | more


def write_finding_change(id: str, kind: str = "new", **more: Any) -> dict[str, Any]:
    """What became of a finding: it is worse by 0.3, and that is sure."""
    usual: dict[str, Any] = {
        "id": id,
        "kind": kind,
        "before": 0.1,
        "after": 0.4,
        "difference": 0.3,
        "added_harm": 0.3,
        "interval": [0.2, 0.4],
        "corrected_p": 0.002,
        "paired": True,
        "unit": "P@5",
        "sentence": f"{id} costs something.",
    }
    return usual | more


def write_triage(**more: Any) -> dict[str, Any]:
    """A whole document: two findings, of which one is new, and one that nothing was found of."""
    quiet = write_finding(HUBS, outcome="nothing", severity=0.0, corrected_p=1.0, needed=200)
    usual: dict[str, Any] = {
        "schema": "tui-eval/triage@1",
        "inputs": {"annotations": {"path": "ann.csv", "sha256": "ab12"}},
        "policies": {"ties": "insertion"},
        "notes": ["text: 9 have no relevant clip: left out"],
        "dataset": {"name": "small", "source": None},
        "model": {"name": "new", "metric": "cosine"},
        "baseline": "old",
        "measure": "P@5",
        "settings": {"k": 5, "level": 0.95},
        "correction": {"alpha": 0.05, "analyses": 3},
        "verdicts": [
            {
                "group": "who",
                "verdict": "fine",
                "selectivity": {"value": 0.4, "interval": [0.3, 0.5]},
                "reliance": {"value": None, "interval": None},
                "kept": {"value": 0.7, "interval": [0.6, 0.8]},
                "winner": None,
                "sentence": "Who is used.",
            }
        ],
        "shortfall": [
            {
                "mode": "text",
                "queries": 30,
                "mean": 0.6,
                "interval": [0.5, 0.7],
                "ceiling": 1.0,
                "chance": 0.1,
                "parts": [{"cause": "outvoted", "points": 0.4, "interval": [0.3, 0.5]}],
            }
        ],
        "findings": [write_finding(BLAME), write_finding(LOOKS, severity=0.05), quiet],
        "evidence": [
            {
                "mode": "text",
                "query": "a pedestrian",
                "keywords": ["who:pedestrian"],
                "value": 0.2,
                "relevant": 3,
                "results": [
                    {
                        "clip": "clip_1",
                        "score": 0.7,
                        "hit": False,
                        "missing": ["who:pedestrian"],
                        "instead": ["who:bicyclist"],
                    }
                ],
                "missed": ["clip_2"],
            }
        ],
        "changes": [
            write_finding_change(BLAME),
            write_finding_change(LOOKS, "worse"),
            write_finding_change(HUBS, "same", corrected_p=1.0),
        ],
        "pictures": write_pictures(),
    }
    return usual | more


def make_saved_triage(document: Mapping[str, Any] | None = None, **more: Any) -> SavedTriage:
    """The triage of a document by hand."""
    return parse_triage(Field({**(document or write_triage()), **more}, "", Place("t.json")))
