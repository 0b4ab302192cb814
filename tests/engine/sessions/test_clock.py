"""A clock that goes backwards changes no order."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from engine.keywords.judgement import Judgement
from engine.sessions import SessionStore
from tests.engine.sessions.sessions_by_hand import CYCLIST, HUB, VARIANTS, answer, target

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)


class SetBack:
    """A clock that somebody sets back by an hour each time that it is looked at."""

    def __init__(self) -> None:
        self.time = NOON

    def __call__(self) -> datetime:
        self.time -= timedelta(hours=1)
        return self.time


def test_the_session_that_was_used_last_stays_the_newest(tmp_path: Path) -> None:
    with SessionStore(tmp_path / "sessions.db", SetBack()) as store:
        first, second, third = (store.create("sample", "sample", name) for name in "abc")
        assert store.find("latest").id == third.id
        first.judge(target("x"), HUB)
        second.record(answer())

        assert [one.name for one in store.summaries()] == ["b", "a", "c"]
        latest = store.latest()
        assert latest is not None and latest.id == second.id
        assert first.created < second.created < third.created < first.updated < second.updated


def test_judgements_and_answers_stay_in_their_order(tmp_path: Path) -> None:
    with SessionStore(tmp_path / "sessions.db", SetBack()) as store:
        session = store.create("sample", "sample")
        for clip in "cab":
            session.judge(target(clip), Judgement(note=clip))
        for question in VARIANTS:
            session.record(answer(question))
        session.record(answer(CYCLIST))

        assert [one.target.clip for one in session.all_judgements()] == ["c", "a", "b"]
        times = [one.time for one in sorted(session.asked(), key=lambda one: one.used)]
        assert times == sorted(times) and len(set(times)) == len(times)


def test_another_program_with_a_clock_behind_is_the_last_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    with SessionStore(path, lambda: NOON) as ahead, SessionStore(path, SetBack()) as behind:
        ahead.create("sample", "sample", "ahead")
        behind.create("sample", "sample", "behind")

        assert [one.name for one in ahead.summaries()] == ["behind", "ahead"]


def test_the_end_of_all_time_is_no_obstacle(tmp_path: Path) -> None:
    with SessionStore(tmp_path / "s.db", lambda: datetime.max.replace(tzinfo=UTC)) as store:
        session = store.create("sample", "sample")
        session.judge(target("a"), HUB)

        assert session.judgement(target("a")) == HUB
