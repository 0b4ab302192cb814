"""Opening predictions of either benchmark: the first bytes say which it is."""

from __future__ import annotations

import json
from pathlib import Path

from engine.errors import InputError, Place
from engine.formats.source import read_unpacked
from engine.moments.source import Format, MomentsRequest, MomentsSource


def open_moments(request: MomentsRequest) -> MomentsSource:
    """Read predictions and their ground truth; InputError says what is wrong with them."""
    format_ = request.format
    if format_ == "auto":
        format_ = format_of(request.truth)
    if format_ == "tvr":
        from engine.moments.tvr_source import open_tvr

        return open_tvr(request)
    from engine.moments.qvh import open_qvh

    return open_qvh(request)


def format_of(truth: Path) -> Format:
    """The benchmark of a ground truth, by the keys of its first line.

    Both are JSON lines: TVR's have `desc_id`, those of QVHighlights `qid`.
    """
    data = read_unpacked(truth)
    start = len(data) - len(data.lstrip())
    end = data.find(b"\n", start)
    line = data[start : end if end >= 0 else len(data)]
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        entry = None
    if isinstance(entry, dict):
        if "desc_id" in entry:
            return "tvr"
        if "qid" in entry:
            return "qvh"
    raise InputError(
        "is no ground truth of TVR or QVHighlights: its first line has neither desc_id nor qid",
        Place(truth, data.count(b"\n", 0, start) + 1),
        hint="write JSON lines; --gt names the ground truth, the predictions come before it",
    )
