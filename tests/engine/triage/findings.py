"""Findings made by hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.base.arrays import Floats
from engine.stats import Interval
from engine.triage.finding import Finding, Topic


def make_finding(name: str = "who:a", **more: Any) -> Finding:
    """Of 100 queries, a third of all, that lose 0.2 points each."""
    usual: dict[str, Any] = {
        "analysis": "slices",
        "subject": Topic("slice", (name,)),
        "claim": "It fails.",
        "otherwise": "It does not differ.",
        "effect": -0.2,
        "unit": "P@5",
        "interval": Interval(-0.3, -0.1, 0.95),
        "p": 0.001,
        "cost": -1.0,
        "support": 100,
        "share": 1 / 3,
        "mode": "text",
    }
    return Finding(**{**usual, **more})


def draw(value: float, spread: float, seed: int = 0) -> Floats:
    return np.random.default_rng(seed).normal(value, spread, 400)
