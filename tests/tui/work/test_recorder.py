"""What the inspector does when something cannot be saved, without a screen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count, pairwise
from pathlib import Path

import pytest

from engine.base.errors import InputError
from engine.keywords.judgement import Judgement
from engine.keywords.question import Question
from engine.sessions import (
    JudgementChange,
    QuestionChange,
    Session,
    SessionStore,
    SessionView,
    UnwritableError,
)
from tests.engine.sessions.sessions_by_hand import CYCLIST, HUB, answer, target, ticking
from tests.engine.sessions.test_sessions_lost import Unreadable, locked, take_the_log
from tui.work import recorder as module
from tui.work.recorder import Recorder

OTHER = replace(CYCLIST, model="beta")


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sessions.db"


@pytest.fixture
def store(path: Path) -> Iterator[SessionStore]:
    with SessionStore(path, ticking(), patience=0.02) as opened:
        yield opened


@pytest.fixture
def recorder(store: SessionStore, said: list[str]) -> Recorder:
    recorder = Recorder(store, "sample", "sample", said.append)
    recorder.record(answer())
    return recorder


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The recorder's clock: the test sets its hand."""
    hand = [100.0]
    monkeypatch.setattr(module, "monotonic", lambda: hand[0])
    return hand


def refuse_answers(store: SessionStore, condition: str = "true") -> None:
    """Answers find no room, as on a full disk; marks do."""
    store._database._connection.execute(
        "CREATE TEMP TRIGGER never BEFORE INSERT ON main.answers"
        f" WHEN {condition} BEGIN SELECT raise(ABORT, 'no room'); END"
    )


def accept_answers(store: SessionStore) -> None:
    store._database._connection.execute("DROP TRIGGER never")


def asked(recorder: Recorder) -> list[Question]:
    assert recorder.session is not None
    return [one.question for one in recorder.session.answers()]


def test_an_answer_that_cannot_be_saved_is_saved_later(
    recorder: Recorder, store: SessionStore, said: list[str], clock: list[float]
) -> None:
    refuse_answers(store)
    recorder.record(answer(OTHER))
    assert asked(recorder) == [CYCLIST]
    assert recorder.judge(target("a"), lambda _: HUB)  # and no mark fails for it
    accept_answers(store)

    clock[0] += module.RESTING
    assert recorder.judge(target("b"), lambda _: HUB)

    assert asked(recorder) == [CYCLIST, OTHER]
    assert set(recorder.judgements("text", "a cyclist")) == {"a", "b"}
    assert [message.partition(":")[0] for message in said] == ["Not saved", "Saving works again."]


def test_an_answer_that_cannot_be_saved_is_not_tried_with_every_key(
    recorder: Recorder, store: SessionStore, clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse_answers(store)
    recorder.record(answer(OTHER))
    tried = []
    assert recorder.session is not None
    monkeypatch.setattr(recorder.session, "record", tried.append)

    for clip in "abc":
        recorder.judge(target(clip), lambda _: HUB)
    assert tried == []
    clock[0] += module.RESTING
    recorder.judge(target("d"), lambda _: HUB)
    assert tried == [answer(OTHER)]


def test_an_answer_that_can_never_be_saved_stands_in_no_others_way(
    recorder: Recorder, store: SessionStore
) -> None:
    refuse_answers(store, "new.query = 'never'")
    recorder.record(answer(replace(CYCLIST, query="never")))

    recorder.record(answer(OTHER))

    assert asked(recorder) == [CYCLIST, OTHER]


@pytest.mark.parametrize("undone", [False, True])
def test_a_mark_makes_the_numbers_of_an_answer_that_waits_void(
    recorder: Recorder, store: SessionStore, clock: list[float], undone: bool
) -> None:
    if undone:
        recorder.judge(target("a"), lambda _: Judgement("relevant"))
    refuse_answers(store)
    recorder.record(answer(OTHER))
    if undone:
        assert recorder.undo() is not None
    else:
        assert recorder.judge(target("a"), lambda _: Judgement("relevant"))
    accept_answers(store)

    clock[0] += module.RESTING
    recorder.judge(target("b"), lambda _: HUB)

    assert recorder.session is not None
    assert [metric.adjudicated for metric in recorder.session.answers()[1].metrics] == [None]


def test_a_bias_case_leaves_the_numbers_of_an_answer_that_waits(
    recorder: Recorder, store: SessionStore, clock: list[float]
) -> None:
    refuse_answers(store)
    recorder.record(answer(OTHER))
    recorder.judge(target("a"), lambda _: HUB)
    accept_answers(store)

    clock[0] += module.RESTING
    recorder.judge(target("b"), lambda _: HUB)

    assert recorder.session is not None
    assert recorder.session.answers()[1] == answer(OTHER)


def test_only_so_many_answers_wait_and_giving_one_up_is_reported(
    recorder: Recorder, store: SessionStore, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_UNSAVED", 2)
    refuse_answers(store)
    for query in ("one", "two", "three"):
        recorder.record(answer(replace(CYCLIST, query=query)))

    assert said[-1] == "Not saved, and given up: what was found for “one”."
    assert len(said) == 2
    accept_answers(store)
    before = recorder.session
    recorder.begin(None)  # a last try, without a rest
    assert before is not None
    assert [one.question.query for one in before.answers()] == ["a cyclist", "two", "three"]


def test_answers_that_are_lost_with_their_session_are_reported(
    recorder: Recorder, store: SessionStore, said: list[str]
) -> None:
    refuse_answers(store)
    recorder.record(answer(OTHER))

    recorder.begin(None)

    assert said[-1] == "Not saved: 1 query of the session before."


def test_a_session_that_cannot_be_read_for_now_is_gone_on_with(
    recorder: Recorder, store: SessionStore, path: Path, said: list[str]
) -> None:
    session = recorder.session
    take_the_log(store, path, Unreadable)

    with locked(path):
        assert not recorder.judge(target("a"), lambda _: HUB)
    assert recorder.judge(target("b"), lambda _: HUB)

    assert recorder.session is session
    assert set(recorder.judgements("text", "a cyclist")) == {"b"}
    assert len(store.summaries()) == 1
    assert not any("deleted elsewhere" in message for message in said)


def test_on_a_full_disk_marks_are_kept_in_memory_and_that_is_said_once(
    recorder: Recorder, store: SessionStore, said: list[str]
) -> None:
    store._database._connection.execute("PRAGMA max_page_count=1")
    big = Judgement(note="x" * 90_000)

    assert recorder.judge(target("a"), lambda _: big) and recorder.judge(target("b"), lambda _: HUB)
    recorder.record(answer(OTHER))
    recorder.look_after_store()

    assert recorder.judgements("text", "a cyclist") == {"a": big, "b": HUB}
    assert recorder.undo() is not None and asked(recorder) == [CYCLIST, OTHER]
    (message,) = said
    assert message.startswith("Nothing can be saved: ") and "the disk is full" in message
    assert recorder.saving == "NOT SAVED" and recorder.name.startswith("sample")


def test_a_store_that_was_never_a_file_is_said_at_the_start(
    tmp_path: Path, said: list[str]
) -> None:
    (tmp_path / "file").touch()
    store = SessionStore.open_anyway(tmp_path / "file" / "sessions.db")
    recorder = Recorder(store, "sample", "sample", said.append)

    recorder.look_after_store()
    recorder.look_after_store()

    assert isinstance(store.unsaved, UnwritableError)
    assert len(said) == 1 and "kept in memory" in said[0]
    assert (recorder.saving, recorder.name) == ("NOT SAVED", "new session")
    store.close()


def test_ten_inspectors_of_one_session_see_all_marks_of_each_other(
    path: Path, said: list[str]
) -> None:
    stores = [SessionStore(path, patience=0.25) for _ in range(10)]
    session = stores[0].create("sample", "sample").id
    inspectors = [
        Recorder(store, "sample", "sample", said.append, store.open(session)) for store in stores
    ]
    for turn in range(3):
        for number, inspector in enumerate(inspectors):
            inspector.was_changed_elsewhere()
            assert inspector.judge(target(f"{number}.{turn}"), lambda _: HUB)

    for inspector in inspectors:
        assert len(inspector.judgements("text", "a cyclist")) == 30
        inspector.was_changed_elsewhere()
    assert inspectors[7].undo() is not None  # the last mark, whoever made it
    others = [one.was_changed_elsewhere() for one in inspectors if one is not inspectors[7]]
    assert all(others) and said == []
    assert "9.2" not in inspectors[0].judgements("text", "a cyclist")
    for store in stores:
        store.close()


def test_a_session_that_was_deleted_elsewhere_is_reported_once_and_begins_with_the_next_mark(
    recorder: Recorder, store: SessionStore, said: list[str]
) -> None:
    recorder.judge(target("a"), lambda _: HUB)
    store.delete(1)

    for _ in range(2):
        assert (recorder.name, recorder.position, recorder.can_undo) == (
            "new session",
            (0, 0),
            False,
        )
        assert recorder.changed_earlier is None and recorder.undo() is None

    assert said == [
        "The session was deleted elsewhere: a new one begins with the next query or mark."
    ]
    assert recorder.judge(target("b"), lambda _: HUB) and recorder.position == (2, 1)
    assert len(said) == 1


def test_a_place_in_a_session_that_was_deleted_elsewhere_is_no_failure_to_save(
    recorder: Recorder, store: SessionStore, said: list[str]
) -> None:
    store.delete(1)

    recorder.place.remember(SessionView(CYCLIST, "b"))

    (line,) = said
    assert line.startswith("The session was deleted elsewhere") and recorder.session is None


def test_changes_from_before_the_first_question_are_kept_if_one_of_them_cannot_be_written(
    store: SessionStore, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = Recorder(store, "sample", "sample", said.append)
    steps = [replace(CYCLIST, query="", groups=groups) for groups in ((), ("a",), ("a", "b"))]
    for before, after in pairwise(steps):
        recorder.change_question(QuestionChange(before, after, None))
    write, tries = Session.change_question, count(1)

    def fail_at_the_second(session: Session, change: QuestionChange) -> object:
        if next(tries) == 2:
            raise InputError("not now")
        return write(session, change)

    monkeypatch.setattr(Session, "change_question", fail_at_the_second)
    assert not recorder.judge(target("a"), lambda _: HUB)
    assert recorder.judge(target("a"), lambda _: HUB)

    assert recorder.position[1] == 3  # two changes, and the mark behind them
    assert isinstance(recorder.undo(), JudgementChange)
    undone = [recorder.undo(), recorder.undo(), recorder.undo()]
    assert [one and one.after for one in undone] == [steps[1], steps[0], None]


def test_the_first_change_after_a_session_was_deleted_elsewhere_can_be_undone(
    recorder: Recorder, store: SessionStore
) -> None:
    recorder.judge(target("a"), lambda _: HUB)
    store.delete(1)
    change = QuestionChange(CYCLIST, replace(CYCLIST, groups=()), None)

    assert recorder.change_question(change) is not None

    undone = recorder.undo()
    assert isinstance(undone, QuestionChange) and undone.after == CYCLIST
