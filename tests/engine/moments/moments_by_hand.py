"""Moments judged as plainly as it can be written: lists, loops, one prediction after another."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from engine.files.input_file import InputFile
from engine.moments.judged_predictions import TYPES, JudgedPredictions, MomentTruth, Predictions
from engine.moments.moments_source import Benchmark, MomentsRequest
from engine.moments.tasks import HitRule, Task

Span = tuple[float, float]


@dataclass(frozen=True)
class Query:
    """A query with its right video and spans, and (video, start, end) of its predictions."""

    video: str
    spans: Sequence[Span]
    predictions: Sequence[tuple[str, float, float]] = field(default=())
    duration: float = 100.0
    text: str = "somebody opens a door"
    type: str | None = None


def truth_of(queries: Sequence[Query]) -> MomentTruth:
    spans = [span for query in queries for span in query.spans]
    typed = bool(queries) and all(query.type is not None for query in queries)
    return MomentTruth(
        file=Path("truth.jsonl"),
        ids=tuple(range(100, 100 + len(queries))),
        texts=tuple(query.text for query in queries),
        videos=tuple(query.video for query in queries),
        durations=np.array([query.duration for query in queries], np.float64),
        span_offsets=np.cumsum([0, *(len(query.spans) for query in queries)]),
        spans=np.array(spans, np.float64).reshape(-1, 2),
        types=np.array([TYPES.index(str(q.type)) for q in queries]) if typed else None,
        lines=np.arange(1, len(queries) + 1),
    )


def write_tvr(queries: Sequence[Query], folder: Path, tasks: Sequence[Task]) -> None:
    """The queries as gt.jsonl, and as p.json what is predicted for them, the same in every task."""
    truth = truth_of(queries)
    lines = []
    for id_, query in zip(truth.ids, queries, strict=True):
        spans: Any = list(query.spans[0]) if len(query.spans) == 1 else list(query.spans)
        entry = {"vid_name": query.video, "duration": query.duration, "ts": spans}
        entry |= {"desc": query.text, "desc_id": id_}
        lines.append(json.dumps(entry if query.type is None else {**entry, "type": query.type}))
    (folder / "gt.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    names = sorted({p[0] for q in queries for p in q.predictions} | {q.video for q in queries})
    found = [
        {
            "desc_id": id_,
            "desc": query.text,
            "predictions": [
                [names.index(video), start, end, 1 / rank]
                for rank, (video, start, end) in enumerate(query.predictions, start=1)
            ],
        }
        for id_, query in zip(truth.ids, queries, strict=True)
    ]
    submission = {"video2idx": {name: number for number, name in enumerate(names)}}
    text = json.dumps({**submission, **dict.fromkeys(tasks, found)})
    (folder / "p.json").write_text(text, encoding="utf-8")


def overlap(one: Span, other: Span) -> np.float32:
    """Intersection over the hull of both, in float32."""
    (a, b), (c, d) = (tuple(map(np.float32, span)) for span in (one, other))
    shared, hull = max(np.float32(0), min(b, d) - max(a, c)), max(b, d) - min(a, c)
    return np.float32(0) if hull == 0 else np.float32(shared / hull)


def overlap_that_counts(span: Span, truth: Sequence[Span]) -> np.float32:
    """The best overlap; of four spans or more the second best."""
    found = sorted((overlap(span, other) for other in truth), reverse=True)
    return found[1] if len(truth) >= 4 else max(found, default=np.float32(0))


def assess(task: Task, queries: Sequence[Query], most: int = 100) -> JudgedPredictions:
    """What the rules say about every prediction."""
    names = sorted({p[0] for q in queries for p in q.predictions} | {q.video for q in queries})
    videos, spans, right, ious, ranks = [], [], [], [], []
    for query in queries:
        rank = 0
        for place, (video, start, end) in enumerate(query.predictions):
            same = video == query.video
            counts = place < most and (same or task != "SVMR")
            rank += counts
            videos.append(names.index(video))
            spans.append((start, end))
            right.append(same)
            ious.append(overlap_that_counts((start, end), query.spans) if same else np.float32(0))
            ranks.append(rank if counts else 0)
    predictions = Predictions(
        offsets=np.cumsum([0, *(len(query.predictions) for query in queries)]),
        videos=np.array(videos, np.int32),
        spans=np.array(spans, np.float32).reshape(-1, 2),
        scores=None,
        names=dict(enumerate(names)),
    )
    return JudgedPredictions(
        task=task,
        truth=truth_of(queries),
        predictions=predictions,
        right=np.array(right, np.bool_),
        ious=np.array(ious, np.float32),
        ranks=np.array(ranks, np.int32),
    )


def class_of(task: Task, query: Query, at: HitRule, near: float, most: int = 100) -> str:
    """The class of one query, rule by rule."""
    counted = list(query.predictions)[:most]
    if task == "SVMR":
        counted = [one for one in counted if one[0] == query.video]
    overlaps = [
        overlap_that_counts((start, end), query.spans) if video == query.video else None
        for video, start, end in counted
    ]
    times_count = task != "VR"
    hits = [
        o is not None and (not times_count or (at.iou is not None and o >= np.float32(at.iou)))
        for o in overlaps
    ]
    if any(hits[: at.k]):
        return "hit"
    if any(hits):
        return "ranked low"
    in_video = [o for o in overlaps if o is not None]
    if times_count and any(o >= np.float32(near) for o in in_video):
        return "nearly right"
    return "wrong time" if in_video else "wrong video"


@dataclass(frozen=True)
class SourceByHand:
    """Opened predictions whose official document of TVR is counted query by query."""

    queries: Sequence[Query]
    tasks: tuple[Task, ...] = ("VCMR", "SVMR", "VR")
    request: MomentsRequest = field(default=MomentsRequest(Path("p.json"), Path("truth.jsonl")))
    benchmark: Benchmark = "tvr"
    notes: tuple[str, ...] = ()
    inputs: Mapping[str, InputFile] = field(
        default_factory=lambda: {"truth": InputFile("truth.jsonl", "ab")}
    )

    @property
    def truth(self) -> MomentTruth:
        return truth_of(self.queries)

    def judge(self, task: Task, *, scores: bool = False) -> JudgedPredictions:
        return assess(task, self.queries, self.request.most)

    def official(self) -> dict[str, Any]:
        whole = {task: self._recalls(task, self.queries) for task in self.tasks}
        typed = {task: {} for task in self.tasks} if self.truth.types is not None else {}
        for task, numbers in typed.items():
            for name in TYPES:
                own = [query for query in self.queries if query.type == name]
                numbers |= {f"{name}-{key}": v for key, v in self._recalls(task, own).items()}
            numbers["desc_type_ratio"] = "v 0.0 t 0.0 vt 0.0"
        return whole | {f"{task}_by_type": numbers for task, numbers in typed.items()}

    def _recalls(self, task: Task, queries: Sequence[Query]) -> dict[str, Any]:
        ious = (None,) if task == "VR" else self.request.ious
        ats = [HitRule(iou, k) for iou in ious for k in self.request.ks]
        return {str(at): self._recall(task, queries, at) for at in ats}

    def _recall(self, task: Task, queries: Sequence[Query], at: HitRule) -> float:
        hits = [class_of(task, one, at, 0.3, self.request.most) == "hit" for one in queries]
        return round(100 * sum(hits) / len(hits), 2) if hits else float("nan")
