"""Reading an exported session, as `engine.report.session` writes it."""

from __future__ import annotations

from typing import Any

from engine.base.errors import InputError, Place
from engine.files.envelope import is_schema, schema
from engine.files.fields import Field
from engine.sessions.json_values import read_dated_answer, read_saved_judgement, read_view
from engine.sessions.records import SessionContent

MOST_ANSWERS = 100_000


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
        asked=tuple(map(read_dated_answer, whole["answers"].items(MOST_ANSWERS))),
        judged=tuple(map(read_saved_judgement, whole["judgements"].items())),
    )
    _refuse_twins(whole["answers"], [item.answer.question for item in saved.asked])
    _refuse_twins(whole["judgements"], [item.target for item in saved.judged])
    return saved


def _check_schema(whole: Field, place: Place) -> None:
    found = whole.optional("schema")
    named = "" if found is None else found.text()
    if is_schema(named, "session"):
        return
    latest = schema("session")
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
