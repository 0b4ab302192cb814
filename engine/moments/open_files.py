"""Opening predictions of either benchmark: the first bytes say which it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.base.errors import InputError, Place
from engine.files.input_file import reading_inputs
from engine.files.large_files import read_unpacked
from engine.files.reader import reads
from engine.files.reading import read_first_bytes
from engine.files.text import parse_json
from engine.moments.moments_source import Benchmark, MomentsRequest, MomentsSource

if TYPE_CHECKING:
    from engine.moments.qvh.source import QvhSource
    from engine.moments.tvr.source import TvrSource

_HEAD = 1 << 12
_ZIP = b"PK\x03\x04"
_FIRST_BYTES = (b"", b"{", b"[", b"\x1f", b"\xef", b"\xff", b"\xfe")
"""Of JSON, of gzip, and of byte order marks."""


@reads("predictions of moments", lambda request: request.predictions)
def open_moments(request: MomentsRequest) -> MomentsSource:
    """Read predictions and their ground truth; InputError says what is wrong with them."""
    with reading_inputs(request.predictions, request.truth) as files:
        source = _open(request)
    inputs = files.named({"predictions": request.predictions, "truth": request.truth})
    return replace(source, inputs=inputs)


def _open(request: MomentsRequest) -> TvrSource | QvhSource:
    benchmark = request.benchmark
    if benchmark == "auto":
        benchmark = find_benchmark(request.truth)
    _refuse_other_kind(request.predictions, benchmark)
    if benchmark == "tvr":
        from engine.moments.tvr.source import open_tvr

        return open_tvr(request)
    from engine.moments.qvh.source import open_qvh

    return open_qvh(request)


def _refuse_other_kind(predictions: Path, wanted: Benchmark) -> None:
    """Name the mistake where a file is plainly something else; what is unclear is read."""
    head = read_first_bytes(predictions, _HEAD)
    place = Place(predictions)
    if head.startswith(_ZIP):
        hint = "unpack it; tui-eval moments validate reads zips as they are"
        raise InputError("is a zip archive", place, hint=hint)
    begin = head.lstrip()[:1]
    if head and begin not in _FIRST_BYTES:
        raise InputError("does not begin like JSON", place, hint="write an object, {…}")
    is_tvr, is_qvh = b'"video2idx"' in head, b'"qid"' in head
    if wanted == "qvh" and is_tvr and not is_qvh:
        hint = "give the ground truth of TVR with --gt"
        raise InputError("is a submission for TVR, not for QVHighlights", place, hint=hint)
    if wanted == "tvr" and is_qvh and not is_tvr:
        hint = "give the ground truth of QVHighlights with --gt"
        raise InputError("holds predictions for QVHighlights, not for TVR", place, hint=hint)


@reads("a ground truth of moments")
def find_benchmark(truth: Path) -> Benchmark:
    """The benchmark of a ground truth, by the keys of its first line.

    Both are JSON lines: TVR's have `desc_id`, those of QVHighlights `qid`.
    """
    data = read_unpacked(truth)
    start = len(data) - len(data.lstrip())
    end = data.find(b"\n", start)
    line = data[start : end if end >= 0 else len(data)]
    place = Place(truth, data.count(b"\n", 0, start) + 1)
    entry = parse_json(line.decode(errors="replace"), place)
    if isinstance(entry, dict):
        if "desc_id" in entry:
            return "tvr"
        if "qid" in entry:
            return "qvh"
    raise InputError(
        "is no ground truth of TVR or QVHighlights: its first line has neither desc_id nor qid",
        place,
        hint="write JSON lines; --gt names the ground truth, the predictions come before it",
    )
