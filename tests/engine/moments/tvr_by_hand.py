"""The rules of TVR, one prediction at a time, as they are written: slow, and checked by reading."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engine.moments.moments_source import MomentsRequest
from engine.moments.tvr.source import TvrSource, open_tvr
from tests.engine.files_by_hand import write_json, write_json_lines

Json = dict[str, Any]
USED = 100


def query(id_: Any = 1, video: str = "a", ts: Any = (0, 10), **more: Any) -> Json:
    """A line of the ground truth."""
    span = list(ts) if isinstance(ts, tuple) else ts
    return {"desc_id": id_, "desc": f"what {id_} asks", "vid_name": video, "ts": span, **more}


def entry(id_: Any, *predictions: Sequence[float]) -> Json:
    return {
        "desc_id": id_,
        "desc": f"what {id_} asks",
        "predictions": [[*own, 0.5][:4] for own in predictions],
    }


def submission(videos: Sequence[str] = ("a", "b", "c"), **tasks: list[Json]) -> Json:
    """Videos have the indices 0, 1, 2, …"""
    return {"video2idx": {name: index for index, name in enumerate(videos)}, **tasks}


def opened(folder: Path, sent: Json, truth: list[Json], **options: Any) -> TvrSource:
    return open_tvr(
        MomentsRequest(
            write_json(folder / "submission.json", sent),
            write_json_lines(folder / "truth.jsonl", truth),
            **options,
        )
    )


# The rules


def overlap(start: float, end: float, wanted: Sequence[float]) -> np.float32:
    """Intersection over the hull of both, every step in float32."""
    s, e, ws, we = (np.float32(number) for number in (start, end, *wanted))
    inside = max(np.float32(0), min(e, we) - max(s, ws))
    hull = max(e, we) - min(s, ws)
    return np.float32(0) if hull == 0 else np.float32(inside / hull)


def is_right(task: str, prediction: Sequence[float], wanted: Json, index: int, iou: float) -> bool:
    video, start, end = prediction[:3]
    if np.float32(video) != np.float32(index):
        return False
    if task == "VR":
        return True
    spans = wanted["ts"] if isinstance(wanted["ts"][0], list) else [wanted["ts"]]
    enough = 2 if len(spans) >= 4 else 1
    return sum(overlap(start, end, span) >= np.float32(iou) for span in spans) >= enough


def is_hit(task: str, found: Json, wanted: Json, index: int, iou: float, k: int) -> bool:
    used = found["predictions"][:USED]
    if task == "SVMR":
        used = [own for own in used if np.float32(own[0]) == np.float32(index)]
    return any(is_right(task, own, wanted, index, iou) for own in used[:k])


def percentage(hits: Sequence[bool]) -> float:
    return float(np.round(np.float64(sum(hits)) / len(hits) * 100, 2)) if hits else float("nan")


def by_the_rules(
    sent: Json,
    truth: list[Json],
    ious: Sequence[float] = (0.5, 0.7),
    ks: Sequence[int] = (1, 5, 10, 100),
) -> Json:
    """The official document."""
    tasks = [task for task in ("VCMR", "SVMR", "VR") if task in sent]
    queries = {line["desc_id"]: line for line in truth}
    typed = all("type" in line for line in truth)
    document: Json = {}
    by_type: Json = {}
    for task in tasks:
        entries = {found["desc_id"]: found for found in sent[task]}
        document[task] = {}
        by_type[f"{task}_by_type"] = {}
        for kind in ("", "v", "t", "vt"):
            asked = [own for own in queries.values() if not kind or own.get("type") == kind]
            for iou in [None] if task == "VR" else ious:
                for k in ks:
                    hits = [
                        is_hit(
                            task,
                            entries[own["desc_id"]],
                            own,
                            sent["video2idx"][own["vid_name"]],
                            iou or 0,
                            k,
                        )
                        for own in asked
                    ]
                    name = f"r{k}" if iou is None else f"{iou}-r{k}"
                    if kind:
                        by_type[f"{task}_by_type"][f"{kind}-{name}"] = percentage(hits)
                    else:
                        document[task][name] = percentage(hits)
        types = [own.get("type") for own in queries.values()]
        ratios = [f"{kind} {percentage([t == kind for t in types])}" for kind in ("v", "t", "vt")]
        by_type[f"{task}_by_type"]["desc_type_ratio"] = " ".join(ratios)
    return {**document, **by_type} if typed else document
