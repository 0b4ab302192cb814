"""A session that was read from a document, as rows of the store."""

from __future__ import annotations

from engine.sessions.document import dump_judgement, dump_value, format_time, to_text
from engine.sessions.records import SessionContent
from engine.sessions.sql_rows import SqlRow


def list_answer_rows(saved: SessionContent) -> list[SqlRow]:
    by_use = sorted(range(len(saved.asked)), key=lambda place: saved.asked[place].used)
    used = {place: number for number, place in enumerate(by_use, start=1)}
    return [
        (
            place + 1,
            used[place],
            format_time(asked.time),
            asked.answer.question.mode,
            asked.answer.question.query,
            to_text(dump_value(asked.answer.question)),
            to_text(dump_value(asked.answer)),
        )
        for place, asked in enumerate(saved.asked)
    ]


def list_judgement_rows(saved: SessionContent) -> list[SqlRow]:
    return [
        (
            judged.target.mode,
            judged.target.query,
            judged.target.clip,
            to_text(dump_judgement(judged.judgement, judged.time)),
        )
        for judged in saved.judged
    ]
