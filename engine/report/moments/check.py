"""The result of a submission check as a document for programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.files.envelope import enclose
from engine.files.input_file import InputFile
from engine.moments.check.submission import SubmissionCheck
from engine.moments.check.submission_fault import FaultExample, SubmissionFault


def check_document(
    checked: SubmissionCheck, inputs: Mapping[str, InputFile] | None = None
) -> dict[str, Any]:
    """Every kind of finding with its count; of the places those that were kept."""
    request = checked.request
    files = {"gt": request.truth, "gt_test": request.test_truth, "videos": request.videos}
    fields = {
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
    return enclose("moments-validate", fields, inputs=inputs)


def _finding(finding: SubmissionFault) -> dict[str, Any]:
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


def _example(example: FaultExample) -> dict[str, Any]:
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
