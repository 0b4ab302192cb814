"""Documents of moment retrieval for programs: official numbers and why queries fail, and the result
of a submission check."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.base.json_text import dump_attributes, nan_to_none
from engine.files.envelope import enclose
from engine.files.input_file import InputFile
from engine.moments.failures.failures import Failures
from engine.moments.failures.task_analysis import LengthBin, TaskAnalysis
from engine.moments.moments_source import MomentsRequest, MomentsSource
from engine.report.moments.numbers import (
    collect_official_numbers,
    dump_number,
    dump_number_pairs,
    write_recall_formula,
)

if TYPE_CHECKING:  # who scores does not check
    from engine.moments.check.submission import SubmissionCheck
    from engine.moments.check.submission_fault import FaultExample, SubmissionFault


def build_moments_document(
    source: MomentsSource,
    official: Mapping[str, Any],
    found: Sequence[TaskAnalysis],
    whole: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Everything that is known of predictions; null for what is not defined.

    official  what `source.official()` gave
    whole     the same with the predictions that nms drops
    """
    numbers = collect_official_numbers(official, source.benchmark, source.truth)
    fields: dict[str, Any] = {
        "format": source.benchmark,
        "settings": _settings(source, found),
        "queries": len(source.truth),
        "numbers": [dump_number(number) for number in numbers],
        "official": _without_nan(official),
        "tasks": [_task_entry(one) for one in found],
    }
    if whole is not None:
        others = collect_official_numbers(whole, source.benchmark, source.truth)
        fields["numbers"] = dump_number_pairs(numbers, others)
        fields["official_without_nms"] = _without_nan(whole)
    policies = dump_moments_policies(source.request)
    notes = collect_moment_notes(source)
    return enclose("moments", fields, inputs=source.inputs, policies=policies, notes=notes)


def dump_moments_policies(request: MomentsRequest) -> dict[str, Any]:
    """Which predictions count at all."""
    return {"nms": request.nms, "most": request.most}


def collect_moment_notes(source: MomentsSource) -> tuple[str, ...]:
    """What a reader must know beside the numbers, each once."""
    request = source.request
    dropped = []
    if request.nms is not None:
        dropped.append(
            f"predictions that overlap a better one of the same video by more than {request.nms:g} "
            "were dropped (nms): not the official numbers of this file"
        )
    return tuple(dict.fromkeys((*dropped, *source.truth.notes, *source.notes)))


def _settings(source: MomentsSource, found: Sequence[TaskAnalysis]) -> dict[str, Any]:
    request = source.request
    return {
        "tasks": list(source.tasks),
        **dump_attributes(request, "ious", "ks", "nms", "most", "types"),
        "near": found[0].failures.near if found else None,
        "at": {one.task: str(one.failures.at) for one in found},
    }


def _task_entry(found: TaskAnalysis) -> dict[str, Any]:
    failures = found.failures
    counts, shares = failures.counts().tolist(), failures.shares.tolist()
    return {
        "task": found.task,
        "queries": len(failures),
        "at": str(failures.at),
        "formula": write_recall_formula(found.task, failures.at),
        "classes": [
            {
                "class": failures.names[code],
                "about": failures.about(code),
                "queries": counts[code],
                "share": nan_to_none(shares[code]),
            }
            for code in failures.possible
        ],
        "curve": _curve_entry(found),
        "by_video_length": [_bin_entry(one, failures) for one in found.by_video],
        "by_moment_length": [_bin_entry(one, failures) for one in found.by_moment],
    }


def _curve_entry(found: TaskAnalysis) -> dict[str, Any]:
    """recall[i][j] is that of ks[i] at ious[j]; VR has one column, and no IoU."""
    curve = found.curve
    columns = 1 if found.task == "VR" else len(curve.ious)
    return {
        "id": "recall",
        "formula": "queries with a hit among the first k / queries, 0 to 1",
        "ks": list(curve.ks),
        "ious": None if found.task == "VR" else list(curve.ious),
        "recall": [list(map(nan_to_none, row)) for row in curve.values[:, :columns].tolist()],
    }


def _bin_entry(one: LengthBin, failures: Failures) -> dict[str, Any]:
    """Seconds from (included) and to (the last bin includes it); both null: not known."""
    counts = one.counts.tolist()
    return {
        "from": nan_to_none(one.low),
        "to": nan_to_none(one.high),
        "queries": one.n,
        "recall": nan_to_none(one.recall),
        "classes": {failures.names[code]: counts[code] for code in failures.possible},
    }


def _without_nan(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_nan(one) for key, one in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value


def build_check_document(
    checked: SubmissionCheck, inputs: Mapping[str, InputFile] | None = None
) -> dict[str, Any]:
    """Every kind of fault with its count; of the places those that were kept."""
    request = checked.request
    files = {"gt": request.truth, "gt_test": request.test_truth, "videos": request.videos}
    fields = {
        "submission": str(request.submission),
        "format": checked.benchmark,
        "zip": checked.split is None,
        "split": checked.split,
        "against": {name: None if path is None else str(path) for name, path in files.items()},
        "limit": request.limit,
        "valid": checked.valid,
        "errors": checked.count("error"),
        "warnings": checked.count("warning"),
        "findings": [_fault_entry(fault) for fault in checked.faults],
    }
    return enclose("moments-validate", fields, inputs=inputs)


def _fault_entry(fault: SubmissionFault) -> dict[str, Any]:
    return {
        "level": fault.level,
        "kind": fault.kind.name,
        "file": fault.file or None,
        "part": fault.part or None,
        **dump_attributes(fault, "count", "message"),
        "examples": [_example(example) for example in fault.examples],
        "more": fault.more,
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
