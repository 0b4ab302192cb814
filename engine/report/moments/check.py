"""The result of a submission check as a document for programs."""

from __future__ import annotations

from typing import Any

from engine.moments.check.finding import Example, Finding
from engine.moments.check.submission import Checked

SCHEMA = "tui-eval/moments-validate@1"


def as_document(checked: Checked) -> dict[str, Any]:
    """Every kind of finding with its count; of the places those that were kept."""
    request = checked.request
    files = {"gt": request.truth, "gt_test": request.test_truth, "videos": request.videos}
    return {
        "schema": SCHEMA,
        "submission": str(request.submission),
        "format": checked.format,
        "zip": checked.split is None,
        "split": checked.split,
        "against": {name: None if path is None else str(path) for name, path in files.items()},
        "limit": request.limit,
        "valid": checked.valid,
        "errors": checked.count("error"),
        "warnings": checked.count("warning"),
        "findings": [_finding(finding) for finding in checked.findings],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "level": finding.level,
        "kind": finding.kind.name,
        "file": finding.file or None,
        "part": finding.part or None,
        "count": finding.count,
        "message": finding.message,
        "examples": [_example(example) for example in finding.examples],
        "more": finding.more,
    }


def _example(example: Example) -> dict[str, Any]:
    where = example.where
    return {
        "place": str(where),
        "file": where.file or None,
        "part": where.part or None,
        "entry": None,
        "line": None,
        where.words.entry: where.number,
        "id": where.id,
        "prediction": where.prediction,
        "message": example.message,
    }
