"""Small submissions without a fault, to put faults into, and what a check says of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from engine.moments.check.submission import CheckRequest, SubmissionCheck, check_submission
from engine.moments.check.submission_fault import SubmissionFault

VIDEOS = {"kitchen": (10.0, 1), "garden": (20.0, 2), "street": (30.0, 3)}
QUERIES = (
    (901, "Ann opens the fridge.", "kitchen", [2.0, 4.0]),
    (902, "Bo waters the roses.", "garden", [5.0, 9.0]),
    (903, "Cy waves at a bus.", "street", [20.0, 25.5]),
)


def tvr_truth() -> list[dict[str, Any]]:
    return [
        {"desc_id": i, "desc": d, "vid_name": v, "duration": VIDEOS[v][0], "ts": ts, "type": "v"}
        for i, d, v, ts in QUERIES
    ]


def tvr_test_truth() -> list[dict[str, Any]]:
    """As test-public is published: no video, no times."""
    return [{"desc_id": i, "desc": d} for i, d, _, _ in QUERIES]


def tvr_submission() -> dict[str, Any]:
    def entries(predictions: Any) -> list[dict[str, Any]]:
        return [
            {"desc_id": i, "desc": d, "predictions": predictions(VIDEOS[v][1])}
            for i, d, v, _ in QUERIES
        ]

    return {
        "video2idx": {name: index for name, (_, index) in VIDEOS.items()},
        "VCMR": entries(lambda _: [[1, 2.0, 4.5, 0.9], [2, 0, 20, 0.5], [3, 1.5, 30.0, 0.5]]),
        "SVMR": entries(lambda own: [[own, 2.0, 4.5, 9.0], [own, 0.0, 10, 8.0]]),
        "VR": entries(lambda _: [[3, 0, 0, 0.3], [1, 0, 0, 0.2], [2, 0, 0, 0.1]]),
    }


def tvr_test_submission() -> dict[str, Any]:
    return {key: value for key, value in tvr_submission().items() if key != "SVMR"}


def qvh_truth() -> list[dict[str, Any]]:
    return [
        {"qid": i, "query": d, "vid": v, "duration": VIDEOS[v][0], "relevant_windows": [ts]}
        for i, d, v, ts in QUERIES
    ]


def qvh_submission() -> list[dict[str, Any]]:
    return [
        {
            "qid": i,
            "query": d,
            "vid": v,
            "pred_relevant_windows": [[2, 4.5, 0.9], [0.0, VIDEOS[v][0], 0.5]],
            "pred_saliency_scores": [0.5] * int(VIDEOS[v][0] / 2),
        }
        for i, d, v, _ in QUERIES
    ]


def write_json(path: Path, document: Any) -> Path:
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def write_lines(path: Path, records: list[Any]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def check_tvr_document(folder: Path, document: Any, **options: Any) -> SubmissionCheck:
    """A check of one validation file, against the ground truth unless another is given."""
    if not {"truth", "test_truth"}.intersection(options):
        options["truth"] = write_lines(folder / "truth.jsonl", tvr_truth())
    return check_submission(CheckRequest(write_json(folder / "val.json", document), **options))


def check_qvh_records(folder: Path, records: list[Any], **options: Any) -> SubmissionCheck:
    options.setdefault("truth", write_lines(folder / "truth.jsonl", qvh_truth()))
    return check_submission(CheckRequest(write_lines(folder / "val.jsonl", records), **options))


def of_kind(checked: SubmissionCheck, kind: str) -> SubmissionFault:
    """The one fault of a kind."""
    (found,) = (fault for fault in checked.faults if fault.kind.name == kind)
    return found


def places(checked: SubmissionCheck, kind: str) -> list[str]:
    """Where a kind was found, and what is there."""
    return [
        str(example)
        for fault in checked.faults
        if fault.kind.name == kind
        for example in fault.examples
    ]


def faults(checked: SubmissionCheck) -> list[str]:
    """The kinds of errors and warnings, in the order in which they are reported."""
    return [f.kind.name for f in checked.faults if f.level != "info"]
