"""Known: what a submission is held against. Of the ground truth only ids are needed; videos and
durations are used where a file has them (those of test sets do not)."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.base.errors import InputError, Place
from engine.files.data import read_data
from engine.files.json_lines import json_objects
from engine.files.text import parse_json
from engine.moments.check.finding import shown, usable_id
from engine.moments.check.words import WORDS
from engine.moments.source import Format
from engine.moments.truth import Id


@dataclass(frozen=True, slots=True)
class Query:
    """One line of the ground truth; None for what it does not say."""

    line: int
    text: str | None
    video: str | None
    duration: float | None


@dataclass(frozen=True, slots=True)
class Known:
    """The queries of a ground-truth file, by id, in its order."""

    file: Path
    queries: dict[Id, Query] = field(default_factory=dict)

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
class Videos:
    """The official list of videos: how long each is, and its index."""

    file: Path
    durations: dict[str, float]
    indices: dict[str, int]


def read_known(path: Path, format: Format) -> Known:
    """The ground truth, one JSON object per line, as far as a check needs it."""
    names = WORDS[format]
    queries: dict[Id, Query] = {}
    for number, record in json_objects(path, read_data(path).decode()):
        id_ = usable_id(record.get(names.id))
        if id_ is None:
            raise InputError(
                f"has no {names.id} that is a whole number or a text",
                Place(path, number),
                hint=f"give a ground truth of {'TVR' if format == 'tvr' else 'QVHighlights'}",
            )
        queries[id_] = Query(
            number,
            _text(record.get(names.text)),
            _text(record.get(names.video)),
            _duration(record.get("duration")),
        )
    return Known(path, queries)


def read_videos(path: Path) -> Videos:
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
                message = f"the video {shown(name)} has {shown(value)}, not [duration, index]"
                raise InputError(message, Place(path), hint=hint)
            durations[name], indices[name] = duration, pair[1]
    if not indices:
        raise InputError("names no video", Place(path), hint=hint)
    return Videos(path, durations, indices)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _duration(value: Any) -> float | None:
    usable = type(value) in (int, float) and 0 < value < 1e9
    return float(value) if usable else None
