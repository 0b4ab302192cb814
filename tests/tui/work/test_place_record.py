"""Where the user is, as it is kept for those who lose their connection."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from engine.keywords.judgement import Target
from engine.keywords.question import Question
from engine.sessions import (
    NoteDraft,
    QueryDraft,
    SessionStore,
    SessionView,
    TableRow,
    TableSort,
    TableView,
)
from tests.engine.sessions.sessions_by_hand import CYCLIST, answer, ticking
from tests.engine.sessions.test_sessions_lost import locked
from tui.work.recorder import Recorder

SETTINGS = Question("text", "", "beta", ("weather",))
TABLE = TableView("evaluate", "text", ("text",), "kw:car")
NOTE = NoteDraft(Target("text", "a cyclist", "b"), "half a thou")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SessionStore]:
    with SessionStore(tmp_path / "sessions.db", ticking(), patience=0.02) as opened:
        yield opened


@pytest.fixture
def recorder(store: SessionStore) -> Recorder:
    """Of a session with one answer, on whose clip "b" the user is; nothing else is saved soon."""
    recorder = make_recorder(store)
    recorder.record(answer())
    recorder.place.remember(SessionView(CYCLIST, "b"))
    return recorder


def make_recorder(store: SessionStore) -> Recorder:
    recorder = Recorder(store, "sample", "sample", lambda _: None)
    recorder.place.save_soon = lambda: None
    return recorder


def saved(store: SessionStore) -> SessionView | None:
    latest = store.latest()
    return None if latest is None else latest.view


def test_what_waits_to_be_saved_goes_with_the_next_move(
    recorder: Recorder, store: SessionStore
) -> None:
    recorder.place.remember_table(TABLE)
    recorder.place.remember_note(NOTE)
    assert saved(store) == SessionView(CYCLIST, "b")

    recorder.place.remember(SessionView(CYCLIST, "c"))

    assert saved(store) == SessionView(CYCLIST, "c", table=TABLE, note_draft=NOTE)


def test_only_what_is_new_is_written(recorder: Recorder, store: SessionStore) -> None:
    asked = []
    recorder.place.save_soon = lambda: asked.append("soon")
    for _ in range(3):
        recorder.place.remember_table(TABLE)
    assert asked == ["soon"]

    recorder.place.save()
    session = store.latest()
    assert session is not None
    written = session.updated
    recorder.place.save()
    recorder.save_unfinished(SETTINGS)

    assert session.updated == written and saved(store) == SessionView(CYCLIST, "b", table=TABLE)


def test_a_place_that_could_not_be_saved_is_saved_at_the_end(
    recorder: Recorder, store: SessionStore
) -> None:
    recorder.place.remember_note(NOTE)
    with locked(store.path):
        recorder.place.save()
    recorder.place.save()  # it rests: no key is held up
    assert saved(store) == SessionView(CYCLIST, "b")

    recorder.save_unfinished(SETTINGS)

    assert saved(store) == SessionView(CYCLIST, "b", note_draft=NOTE)


def test_a_draft_is_kept_also_if_another_window_of_the_session_has_moved_since(
    recorder: Recorder, store: SessionStore
) -> None:
    recorder.place.remember_note(NOTE)
    recorder.place.save()
    other = Recorder(store, "sample", "sample", lambda _: None, store.latest())
    other.place.remember(SessionView(CYCLIST, "c"))

    recorder.save_unfinished(SETTINGS)

    assert saved(store) == SessionView(CYCLIST, "b", note_draft=NOTE)


def test_the_end_may_come_in_another_thread_with_nobody_to_be_told(
    recorder: Recorder, store: SessionStore
) -> None:
    def refuse(text: str) -> None:
        raise AssertionError(f"said: {text}")

    recorder._warn = refuse
    recorder.place.remember_note(NOTE)
    failed = Thread(target=recorder.save_unfinished, args=[SETTINGS])
    with locked(store.path):
        failed.start()
        failed.join()
    again = Thread(target=recorder.save_unfinished, args=[SETTINGS])
    again.start()
    again.join()

    assert saved(store) == SessionView(CYCLIST, "b", note_draft=NOTE)


def test_who_was_cut_off_before_asking_anything_has_a_session_with_the_settings(
    store: SessionStore,
) -> None:
    recorder = make_recorder(store)
    draft = QueryDraft("text", "a cyc")
    recorder.place.remember_query(draft)
    recorder.place.save(at_any_cost=True)
    assert saved(store) is None  # as long as one leaves because one wants to

    recorder.save_unfinished(SETTINGS)

    assert saved(store) == SessionView(SETTINGS, None, query_draft=draft)


@pytest.mark.parametrize("table", [None, TableView("evaluate", "text", (), "")])
def test_who_had_begun_nothing_leaves_no_session(
    store: SessionStore, table: TableView | None
) -> None:
    recorder = make_recorder(store)
    recorder.place.remember_table(table)

    recorder.save_unfinished(SETTINGS)

    assert store.summaries() == []


def test_what_is_left_stays_until_it_is_shown_again(store: SessionStore) -> None:
    row, sort = TableRow("a car", 3), TableSort("query", "ascending")
    table = TableView("evaluate", "text", ("text",), "", sort, row)
    recorder = make_recorder(store)
    recorder.record(answer())
    recorder.place.take_up(SessionView(CYCLIST, "b", table=table, note_draft=NOTE))

    recorder.place.remember(SessionView(CYCLIST, "c"))

    assert saved(store) == SessionView(CYCLIST, "c", table=table, note_draft=NOTE)


def test_a_session_that_was_deleted_elsewhere_begins_again_at_the_same_place(
    recorder: Recorder, store: SessionStore
) -> None:
    recorder.place.remember_query(QueryDraft("text", "a cyc"))
    assert recorder.session is not None
    store.delete(recorder.session.id)

    recorder.record(answer())
    recorder.place.remember(SessionView(CYCLIST, "b"))

    draft = QueryDraft("text", "a cyc")
    assert saved(store) == SessionView(CYCLIST, "b", query_draft=draft)


def test_another_session_begins_elsewhere(recorder: Recorder, store: SessionStore) -> None:
    recorder.place.remember_query(QueryDraft("text", "a cyc"))
    first = recorder.session
    recorder.begin(None)
    recorder.record(answer())
    recorder.place.remember(SessionView(CYCLIST, "c"))

    assert first is not None and first.view is not None
    assert first.view.query_draft == QueryDraft("text", "a cyc")
    assert saved(store) == SessionView(CYCLIST, "c")
