"""Runs for reports: two of the sample, and one whose texts mean harm."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import sample_data
from engine.compare import CompareSettings
from engine.dataset.settings_file import open_dataset
from engine.keywords.run import RunRequest, run_request
from engine.keywords.workbench import Workbench
from engine.report.run.document import build_run_document
from engine.text.opening import open_encoder

QUICK = CompareSettings(resamples=1_000)

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "]]><svg onload=alert(1)>",
    "' onmouseover='alert(1)",
    "&amp;&#60;b&#62;",
    "javascript:alert(1) https://evil.example/x //evil.example",
    "\u202egnirts detrever\u202c שלום \u2066hidden\u2069",
    "bell\x07 escape\x1b[31m zero\x00 c1\x9b tab\t line\nbreak",
    "\\end{table} $x$ % # _ ^ ~ & {",
    "| a | b |\n| --- | `code` **bold**",
    "{{7*7}} ${7*7} {0} %s",
    "x" * 5_000,
)


def sample_document(model: str) -> dict[str, Any]:
    """A run over the clips of the sample; video queries need no model to be started."""
    with Workbench(open_dataset(sample_data.folder()), open_encoder()) as bench:
        return build_run_document(
            run_request(RunRequest(modes="video", model=model), bench), "sample"
        )


def hostile_document() -> dict[str, Any]:
    """A run in which every text that a user may write is one of `HOSTILE`."""
    entries = [
        {
            "mode": "text",
            "query": text,
            "keywords": [f"{text[:60]}:{text[:60]}", "no group"],
            "relevant": 3,
            "retrieved": [f"{n}{text}" for n in range(5)],
            "scores": [0.9, 0.8, 0.7, 0.6, 0.5],
            "hits": [int(bit) for bit in f"{number % 8:05b}"],
            "values": {"P@5": bin(number % 8).count("1") / 5},
        }
        for number, text in enumerate(HOSTILE)
    ]
    alone = [
        {
            "keyword": f"{text[:60]}:{text[:60]}",
            "queries": 1,
            "clips": 2,
            "values": {"P@5": 0.4},
            "chance": {"P@5": 0.1},
        }
        for text in HOSTILE
    ]
    return {
        "schema": "tui-eval/run@1",
        "keywords_at_k": {"text": alone},
        "tool": {"name": "tui-eval", "version": HOSTILE[0]},
        "dataset": {"name": HOSTILE[1], "clips": 9, "source": HOSTILE[7]},
        "model": {"name": HOSTILE[2], "metric": HOSTILE[3], "dimension": 2},
        "groups": list(HOSTILE),
        "k": [5],
        "profile": "alfa",
        "metrics": [
            {"mode": "text", "id": "P@5", "label": HOSTILE[0], "formula": HOSTILE[1],
             "mean": 0.2, "std": 0.1, "n": len(HOSTILE)}
        ],
        "queries": {"text": {"source": HOSTILE[4], "total": 12, "scored": 12}},
        "skipped": {"text": {HOSTILE[0]: 2}},
        "policies": {HOSTILE[1]: HOSTILE[0]},
        "notes": list(HOSTILE),
        "inputs": {HOSTILE[0]: {"sha256": HOSTILE[1]}},
        "per_query": entries,
    }  # fmt: skip


def saved(document: dict[str, Any], path: Path) -> Path:
    path.write_text(json.dumps(document), encoding="utf-8")
    return path
