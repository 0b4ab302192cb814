"""A small store of many pages, and what of it can be expected after a page of it is damaged."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from pathlib import Path

from engine.keywords.judgement import Judgement, Target
from engine.sessions import SessionStore
from tests.engine.sessions.sessions_by_hand import CYCLIST, answer, ticking

PAGE = 4096


@dataclass(frozen=True)
class Rows:
    """The rows of a store, each by a word that stands nowhere else."""

    sessions: frozenset[str]
    answers: frozenset[str]
    judgements: frozenset[str]
    changes: frozenset[str]

    @classmethod
    def of(cls, path: Path) -> Rows:
        with SessionStore(path) as store:
            sessions = [store.open(one.id) for one in store.summaries()]
            rows = store._database.rows("SELECT session, number, before, after FROM changes")
            return cls(
                frozenset(one.name for one in sessions),
                frozenset(each.question.query for one in sessions for each in one.answers()),
                frozenset(said.judgement.note for one in sessions for said in one.all_judgements()),
                frozenset(f"{session}.{number}" for session, number, *_ in rows),
            )


def make_store(path: Path, marks: int = 60) -> None:
    """Three sessions, short and long answers, marks and notes; some undone, a session deleted."""
    with SessionStore(path, ticking()) as store:
        gone = store.create("sample", "/sample", "deleted")
        for number in range(marks):
            gone.judge(Target("text", "gone", f"clip {number}"), Judgement(note=f"gone{number}"))
        for name in ("one", "two", "three"):
            session = store.create("sample", "/sample", f"session-{name}")
            for number in range(8):
                query = f"query-{name}-{number}-"
                clips = tuple(f"{query}{clip}" for clip in range(1 if number % 2 else 300))
                asked = replace(CYCLIST, query=query)
                session.record(replace(answer(asked), clips=clips, scores=(0.5,) * len(clips)))
            for number in range(marks):
                target = Target("text", "a cyclist", f"clip {number:04d}")
                session.judge(target, Judgement("bias", "hub", f"note-{name}-{number:04d}-"))
            for _ in range(5):
                session.undo()
        store.delete(gone.id)


def zero_page(data: bytes, page: int) -> bytes:
    return data[: page * PAGE] + bytes(PAGE) + data[(page + 1) * PAGE :]


def scramble_page(data: bytes, page: int) -> bytes:
    noise = random.Random(page).randbytes(PAGE)
    return data[: page * PAGE] + noise + data[(page + 1) * PAGE :]
