"""Known: what a submission is held against. Of the ground truth only ids are needed; videos and
durations are used where a file has them (those of test sets do not)."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.base.errors import InputError, Place
from engine.files.large_files import read_data
from engine.files.reader import reads
from engine.files.text import parse_json, read_json_objects
from engine.moments.check.fault_kinds import TERMS_BY_BENCHMARK
from engine.moments.json_values import shorten
from engine.moments.judged_predictions import QueryId
from engine.moments.moments_source import Benchmark
from engine.moments.query_ids import parse_id


@dataclass(frozen=True, slots=True)
class KnownQuery:
    """One line of the ground truth; None for what it does not say."""

    line: int
    text: str | None
    video: str | None
    duration: float | None


@dataclass(frozen=True, slots=True)
class KnownTruth:
    """The queries of a ground-truth file, by id, in its order."""

    file: Path
    queries: dict[QueryId, KnownQuery] = field(default_factory=dict)

    @property
    def has_videos(self) -> bool:
        return any(query.video is not None for query in self.queries.values())

    @property
    def durations(self) -> dict[str, float]:
        """The length of every video whose length is known."""
        return {
            query.video: query.duration
            for query in self.queries.values()
            if query.video is not None and query.duration is not None
        }


@dataclass(frozen=True, slots=True)
class VideoList:
    """The official list of videos: how long each is, and its index."""

    file: Path
    durations: dict[str, float]
    indices: dict[str, int]


@reads("a ground truth of moments")
def read_known(path: Path, benchmark: Benchmark) -> KnownTruth:
    """The ground truth, one JSON object per line, as far as a check needs it."""
    names = TERMS_BY_BENCHMARK[benchmark]
    queries: dict[QueryId, KnownQuery] = {}
    for number, record in read_json_objects(path, read_data(path).decode()):
        id_ = parse_id(record.get(names.id))
        if id_ is None:
            raise InputError(
                f"has no {names.id} that is a whole number or a text",
                Place(path, number),
                hint=f"give a ground truth of {'TVR' if benchmark == 'tvr' else 'QVHighlights'}",
            )
        queries[id_] = KnownQuery(
            number,
            _text(record.get(names.text)),
            _text(record.get(names.video)),
            _duration(record.get("duration")),
        )
    return KnownTruth(path, queries)


@reads("a list of videos")
def read_videos(path: Path) -> VideoList:
    """`{split: {name: [duration, index]}}`, as tvr_video2dur_idx.json is, or one split of it."""
    document = parse_json(read_data(path).decode("utf-8"), Place(path))
    hint = "write {split: {name: [duration, index]}}, as tvr_video2dur_idx.json has it"
    if not isinstance(document, dict):
        raise InputError("is not an object of videos", Place(path), hint=hint)
    nested = all(isinstance(value, dict) for value in document.values())
    durations: dict[str, float] = {}
    indices: dict[str, int] = {}
    for videos in document.values() if nested else (document,):
        for name, value in videos.items():
            pair = value if isinstance(value, list) and len(value) == 2 else (None, None)
            duration = _duration(pair[0])
            if duration is None or type(pair[1]) is not int:
                message = f"the video {shorten(name)} has {shorten(value)}, not [duration, index]"
                raise InputError(message, Place(path), hint=hint)
            durations[name], indices[name] = duration, pair[1]
    if not indices:
        raise InputError("names no video", Place(path), hint=hint)
    return VideoList(path, durations, indices)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _duration(value: Any) -> float | None:
    usable = type(value) in (int, float) and 0 < value < 1e9
    return float(value) if usable else None
