"""A session as a document that can be imported and replayed, and what a replay found.

`engine.sessions.document` reads a session back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from engine.files.envelope import enclose
from engine.files.input_file import InputFile
from engine.sessions import Session
from engine.sessions.document import (
    dump_dated_answer,
    dump_saved_judgement,
    dump_value,
    format_time,
)
from engine.sessions.replay import (
    SCORE_DRIFT,
    AnswerChange,
    MetricChange,
    QuestionReplay,
    SessionReplay,
)


def build_session_document(session: Session) -> dict[str, Any]:
    """The whole session as plain values, ready for JSON."""
    fields = {
        "name": session.name,
        "dataset": {"name": session.dataset_name, "source": session.dataset_source},
        "created": format_time(session.created),
        "updated": format_time(session.updated),
        "view": dump_value(session.view),
        "answers": [dump_dated_answer(asked) for asked in session.asked()],
        "judgements": [dump_saved_judgement(judged) for judged in session.all_judgements()],
    }
    return enclose("session", fields)


def build_replay_document(
    replay: SessionReplay,
    *,
    session: str = "",
    dataset: str = "",
    inputs: Mapping[str, InputFile] | None = None,
) -> dict[str, Any]:
    """A replay as plain values, ready for JSON; `inputs` are the files behind it."""
    fields = {
        "session": session,
        "dataset": dataset,
        "verdict": replay.verdict,
        "queries": len(replay.questions),
        "changed": replay.changed,
        "failed": replay.failed,
        "score_drift": SCORE_DRIFT,
        "results": [_replayed(item) for item in replay.questions],
    }
    return enclose("replay", fields, inputs=inputs)


def _replayed(item: QuestionReplay) -> dict[str, Any]:
    found = item.difference
    return {
        "question": dump_value(item.question),
        "status": item.status,
        "error": item.error,
        "difference": None if found is None else _difference(found),
    }


def _difference(found: AnswerChange) -> dict[str, Any]:
    return {
        "keywords": {
            "added": list(found.keywords_added),
            "dropped": list(found.keywords_dropped),
        },
        "relevant": _pair(*found.relevant),
        "collection": _pair(*found.collection),
        "ranking": {
            "entered": [asdict(place) for place in found.entered],
            "left": [asdict(place) for place in found.left],
            "moved": [asdict(move) for move in found.moved],
            "drifted": found.drifted,
            "largest_drift": found.largest_drift,
        },
        "metrics": [_metric(change) for change in found.metrics],
    }


def _metric(change: MetricChange) -> dict[str, Any]:
    old, new = change.before, change.after
    return {
        "id": old.id,
        "label": old.label,
        "formula": old.formula,
        "published": _pair(old.published, None if new is None else new.published),
        "adjudicated": _pair(old.adjudicated, None if new is None else new.adjudicated),
    }


def _pair(before: float | None, after: float | None) -> dict[str, float | None]:
    return {"before": before, "after": after}
