"""The values of a session as JSON holds them, one by one and as an exported document.

A record is written field by field as its types say, and read back so; the store and the document
that `engine.report.session` makes use the same shapes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import is_dataclass
from datetime import UTC, datetime
from functools import cache
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from engine.base.errors import InputError, Place
from engine.files.envelope import is_schema, name_schema
from engine.files.fields import Field
from engine.files.text_cost import JSON_COST
from engine.keywords.judgement import Judgement, Target
from engine.keywords.question import Question
from engine.sessions.records import (
    RESULT_LISTS,
    Answer,
    DatedAnswer,
    SavedJudgement,
    SessionContent,
    SessionView,
)

LONGEST_SAVED_NOTE = 100_000
MOST_ANSWERS = 100_000
_LEFT_OUT_IF_NONE = (
    *("min_similarity", "given", "relevance", "vector", "one_per"),
    *("table", "sort", "row", "models", "note_draft", "query_draft"),
)
_QUESTION = "question"
_NOT_ALWAYS_SAVED = ("lacking", *_LEFT_OUT_IF_NONE)


def to_text(plain: Any) -> str:
    """Compact JSON; the same value is always the same text."""
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def from_text(text: str, what: str, place: Place) -> Field:
    """A stored text as a field that can be read."""
    try:
        if isinstance(text, str):
            JSON_COST.require(text, place)
        return Field(json.loads(text), what, place)
    except (ValueError, TypeError, RecursionError) as error:
        raise Field(None, what, place).wrong("is damaged") from error


def format_time(moment: datetime) -> str:
    """A time in UTC, of one length, so that texts sort as times do.

    >>> format_time(datetime(2026, 11, 16, 4, 30, tzinfo=UTC))
    '2026-11-16T04:30:00.000000+00:00'
    """
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


@cache
def _types(record: type) -> Mapping[str, Any]:
    return get_type_hints(record)


def dump_value(value: Any, kind: Any = None) -> Any:
    """A record, or a part of one, as plain values; a number that may be absent is if not finite.

    >>> dump_value(Target("text", "a car", "clip 7"))
    {'mode': 'text', 'query': 'a car', 'clip': 'clip 7'}
    """
    kind = kind or type(value)
    inner = get_args(kind)
    if value is None or (inner == (float, NoneType) and not math.isfinite(value)):
        return None
    if is_dataclass(kind) and isinstance(kind, type):
        types = _types(kind).items()
        plain = {name: dump_value(getattr(value, name), part) for name, part in types}
        absent = [name for name in _LEFT_OUT_IF_NONE if plain.get(name) is None]
        return {name: part for name, part in plain.items() if name not in absent}
    if get_origin(kind) is tuple:
        return [dump_value(item, inner[0]) for item in value]
    if NoneType in inner:
        return dump_value(value, inner[0])
    return kind(value) if kind in (int, float) else value


def _read_value(field: Field, kind: Any) -> Any:
    """The value of this type that `dump_value` was given."""
    inner = get_args(kind)
    if NoneType in inner:
        return None if field.null else _read_value(field, inner[0])
    if is_dataclass(kind) and isinstance(kind, type):
        parts = {
            name: _read_value(field.part(name) if name in _NOT_ALWAYS_SAVED else field[name], part)
            for name, part in _types(kind).items()
        }
        return kind(**parts)
    if get_origin(kind) is tuple:
        texts = inner[0] is str
        return field.texts() if texts else tuple(_read_value(x, inner[0]) for x in field.items())
    if get_origin(kind) is Literal:
        return field.choice(inner)
    if kind is str:
        return field.text()
    return field.count() if kind is int else field.number()


def read_view(field: Field) -> SessionView:
    field["view"].choice(RESULT_LISTS)
    draft = field.part("note_draft")
    if not draft.null:  # it may become a note
        draft["text"].text(LONGEST_SAVED_NOTE)
    view: SessionView = _read_value(field, SessionView)
    return view


def read_answer(field: Field) -> Answer:
    clips, scores = field["clips"].texts(), len(list(field["scores"].items()))
    if len(set(clips)) < len(clips):
        raise field["clips"].wrong("names a clip twice")
    if len(clips) != scores:
        raise field["scores"].wrong(f"has {scores:,} items for {len(clips):,} clips")
    answer: Answer = _read_value(field, Answer)
    return answer


def dump_dated_answer(asked: DatedAnswer) -> dict[str, Any]:
    when = {"asked": format_time(asked.time), "used": asked.used}
    return {**dump_value(asked.answer), **when}


def _read_dated_answer(field: Field) -> DatedAnswer:
    return DatedAnswer(read_answer(field), field["asked"].moment(), field["used"].count(1))


def dump_judgement(judgement: Judgement, time: datetime) -> dict[str, Any]:
    return {**dump_value(judgement), "time": format_time(time)}


def read_judgement(field: Field) -> tuple[Judgement, datetime]:
    field["note"].text(LONGEST_SAVED_NOTE)
    judgement: Judgement = _read_value(field, Judgement)
    if judgement.empty:
        raise field.wrong("has neither a mark nor a note")
    if judgement.reason is not None and judgement.mark != "bias":
        raise field["reason"].wrong('is given, but the mark is not "bias"')
    return judgement, field["time"].moment()


def dump_question_state(question: Question, time: datetime | None = None) -> dict[str, Any]:
    """A question as the log of changes holds it, told from a judgement by its first field, and
    when it was asked otherwise."""
    timed = {} if time is None else {"time": format_time(time)}
    return {_QUESTION: dump_value(question), **timed}


def is_question_state(body: str | None) -> bool:
    """Whether a text of the log is a question, not a judgement.

    >>> is_question_state(to_text(dump_question_state(Question("text", "a car", "m", ()))))
    True
    """
    return isinstance(body, str) and body.startswith(f'{{"{_QUESTION}":')


def read_question_state(field: Field) -> Question:
    return read_question(field[_QUESTION])


def read_question(field: Field) -> Question:
    question: Question = _read_value(field, Question)
    return question


def dump_saved_judgement(judged: SavedJudgement) -> dict[str, Any]:
    return {**dump_value(judged.target), **dump_judgement(judged.judgement, judged.time)}


def _read_saved_judgement(field: Field) -> SavedJudgement:
    return SavedJudgement(_read_value(field, Target), *read_judgement(field))


def read_document(document: Any, place: Place) -> SessionContent:
    """Check everything in a document and give back what it says.

    >>> read_document({"schema": "tui-eval/run@1"}, Place("run.json"))
    Traceback (most recent call last):
    engine.base.errors.InputError: run.json: is a "tui-eval/run@1", not an exported session; \
write one with tui-eval sessions export
    """
    whole = Field(document, "", place)
    _check_schema(whole, place)
    view, dataset = whole["view"], whole["dataset"]
    saved = SessionContent(
        name=whole["name"].filled(),
        dataset_name=dataset["name"].text(),
        dataset_source=dataset["source"].text(),
        created=whole["created"].moment(),
        view=None if view.null else read_view(view),
        asked=tuple(map(_read_dated_answer, whole["answers"].items(MOST_ANSWERS))),
        judged=tuple(map(_read_saved_judgement, whole["judgements"].items())),
    )
    _refuse_twins(whole["answers"], [item.answer.question for item in saved.asked])
    _refuse_twins(whole["judgements"], [item.target for item in saved.judged])
    return saved


def _check_schema(whole: Field, place: Place) -> None:
    found = whole.optional("schema")
    named = "" if found is None else found.text()
    if is_schema(named, "session"):
        return
    latest = name_schema("session")
    if named.startswith(latest.partition("@")[0] + "@"):
        hint = "update tui-eval"
        raise InputError(
            f'is a "{named}"; this version reads {latest} and earlier', place, hint=hint
        )
    what = f'is a "{named}", not an exported session' if named else "is not an exported session"
    raise InputError(what, place, hint="write one with tui-eval sessions export")


def _refuse_twins(field: Field, keys: list[Any]) -> None:
    first: dict[Any, int] = {}
    for number, key in enumerate(keys):
        if first.setdefault(key, number) != number:
            raise field.wrong(f"has the same at [{first[key]}] and [{number}]")
