"""The values of a session as JSON holds them: each way of writing beside its way of reading.

The store and the exported document use the same shapes.
"""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from typing import Any, get_args

from engine.base.errors import Place
from engine.base.mode import Mode
from engine.files.fields import Field
from engine.keywords.judgement import MARKS, REASONS, Judgement, JudgementContext, Target
from engine.keywords.question import Question
from engine.sessions.records import (
    RESULT_LISTS,
    Answer,
    DatedAnswer,
    MetricValue,
    SavedJudgement,
    SessionView,
)

_MODES: tuple[Mode, ...] = get_args(Mode)
LONGEST_SAVED_NOTE = 100_000


def to_text(plain: Any) -> str:
    """Compact JSON; the same value is always the same text."""
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def from_text(text: str, what: str, place: Place) -> Field:
    """A stored text as a field that can be read."""
    try:
        return Field(json.loads(text), what, place)
    except (ValueError, TypeError, RecursionError) as error:
        raise Field(None, what, place).wrong("is damaged") from error


def format_time(moment: datetime) -> str:
    """A time in UTC, of one length, so that texts sort as times do.

    >>> format_time(datetime(2026, 11, 16, 4, 30, tzinfo=UTC))
    '2026-11-16T04:30:00.000000+00:00'
    """
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def dump_question(question: Question) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "mode": question.mode,
        "query": question.query,
        "model": question.model,
        "groups": list(question.groups),
        "left_out": list(question.left_out),
        "keywords": None if question.keywords is None else list(question.keywords),
    }
    if question.min_similarity is not None:
        plain["min_similarity"] = question.min_similarity
    return plain


def read_question(field: Field) -> Question:
    keywords, least = field["keywords"], field.optional("min_similarity")
    return Question(
        mode=field["mode"].choice(_MODES),
        query=field["query"].text(),
        model=field["model"].text(),
        groups=field["groups"].texts(),
        left_out=field["left_out"].texts(),
        keywords=None if keywords.null else keywords.texts(),
        min_similarity=None if least is None or least.null else least.number(),
    )


def dump_view(view: SessionView) -> dict[str, Any]:
    question = view.question
    return {
        "question": None if question is None else dump_question(question),
        "clip": view.clip,
        "view": view.view,
    }


def read_view(field: Field) -> SessionView:
    question, clip = field["question"], field["clip"]
    return SessionView(
        question=None if question.null else read_question(question),
        clip=None if clip.null else clip.text(),
        view=field["view"].choice(RESULT_LISTS),
    )


def dump_answer(answer: Answer) -> dict[str, Any]:
    return {
        "question": dump_question(answer.question),
        "keywords": list(answer.keywords),
        "relevant": int(answer.relevant),
        "collection": int(answer.collection),
        "clips": list(answer.clips),
        "scores": [float(score) for score in answer.scores],
        "metrics": [
            {
                "id": metric.id,
                "label": metric.label,
                "formula": metric.formula,
                "published": _defined(metric.published),
                "adjudicated": _defined(metric.adjudicated),
            }
            for metric in answer.metrics
        ],
    }


def _defined(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)


def read_answer(field: Field) -> Answer:
    clips = field["clips"].texts()
    scores = tuple(item.number() for item in field["scores"].items())
    if len(set(clips)) < len(clips):
        raise field["clips"].wrong("names a clip twice")
    if len(clips) != len(scores):
        raise field["scores"].wrong(f"has {len(scores):,} items for {len(clips):,} clips")
    return Answer(
        question=read_question(field["question"]),
        keywords=field["keywords"].texts(),
        clips=clips,
        scores=scores,
        relevant=field["relevant"].count(),
        collection=field["collection"].count(),
        metrics=tuple(map(_read_metric, field["metrics"].items())),
    )


def _read_metric(field: Field) -> MetricValue:
    published, adjudicated = field["published"], field["adjudicated"]
    return MetricValue(
        id=field["id"].text(),
        label=field["label"].text(),
        formula=field["formula"].text(),
        published=None if published.null else published.number(),
        adjudicated=None if adjudicated.null else adjudicated.number(),
    )


def dump_dated_answer(asked: DatedAnswer) -> dict[str, Any]:
    when = {"asked": format_time(asked.time), "used": asked.used}
    return {**dump_answer(asked.answer), **when}


def read_dated_answer(field: Field) -> DatedAnswer:
    return DatedAnswer(read_answer(field), field["asked"].moment(), field["used"].count(1))


def dump_judgement(judgement: Judgement, time: datetime) -> dict[str, Any]:
    seen = judgement.seen
    return {
        "mark": judgement.mark,
        "reason": judgement.reason,
        "note": judgement.note,
        "seen": None if seen is None else _seen_plain(seen),
        "time": format_time(time),
    }


def read_judgement(field: Field) -> tuple[Judgement, datetime]:
    mark, reason, seen = field["mark"], field["reason"], field["seen"]
    judgement = Judgement(
        mark=None if mark.null else mark.choice(MARKS),
        reason=None if reason.null else reason.choice(REASONS),
        note=field["note"].text(LONGEST_SAVED_NOTE),
        seen=None if seen.null else _read_seen(seen),
    )
    if judgement.empty:
        raise field.wrong("has neither a mark nor a note")
    if judgement.reason is not None and judgement.mark != "bias":
        raise reason.wrong('is given, but the mark is not "bias"')
    return judgement, field["time"].moment()


def _seen_plain(seen: JudgementContext) -> dict[str, Any]:
    return {
        "model": seen.model,
        "groups": list(seen.groups),
        "keywords": list(seen.keywords),
        "rank": int(seen.rank),
        "score": float(seen.score),
        "lacking": None if seen.lacking is None else list(seen.lacking),
    }


def _read_seen(field: Field) -> JudgementContext:
    lacking = field.optional("lacking")  # it was not always saved
    return JudgementContext(
        model=field["model"].text(),
        groups=field["groups"].texts(),
        keywords=field["keywords"].texts(),
        rank=field["rank"].count(),
        score=field["score"].number(),
        lacking=None if lacking is None or lacking.null else lacking.texts(),
    )


def dump_saved_judgement(judged: SavedJudgement) -> dict[str, Any]:
    target = judged.target
    about = {"mode": target.mode, "query": target.query, "clip": target.clip}
    return {**about, **dump_judgement(judged.judgement, judged.time)}


def read_saved_judgement(field: Field) -> SavedJudgement:
    target = Target(
        mode=field["mode"].choice(_MODES), query=field["query"].text(), clip=field["clip"].text()
    )
    return SavedJudgement(target, *read_judgement(field))
