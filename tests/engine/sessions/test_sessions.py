"""What is saved is there again: after a restart, in a second window, for any text."""

from __future__ import annotations

import stat
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.base.errors import InputError
from engine.keywords.judgement import Judgement
from engine.sessions import DeletedError, Session, SessionStore, SessionView, find_default_path
from tests.engine.sessions.sessions_by_hand import (
    CLIP,
    CYCLIST,
    HOSTILE,
    HUB,
    answer,
    target,
    ticking,
)


@pytest.fixture
def store(path: Path) -> Iterator[SessionStore]:
    with SessionStore(path, ticking()) as opened:
        yield opened


@pytest.fixture
def session(store: SessionStore) -> Session:
    return store.create("sample", "sample")


def test_the_store_lies_in_the_data_folder_that_the_environment_names(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TUI_EVAL_DATA", str(tmp_path))
    assert find_default_path() == tmp_path / "sessions.db"

    monkeypatch.delenv("TUI_EVAL_DATA")
    assert find_default_path().parent.name == "tui-eval"


def test_a_new_folder_is_for_its_user_alone(store: SessionStore, path: Path) -> None:
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_the_folder_of_a_file_that_is_no_store_is_left_as_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "qrels"
    folder.mkdir(mode=0o755)
    (folder / "test.tsv").write_text("query\tdocument\n")

    with pytest.raises(InputError, match="is not a session store"):
        SessionStore(folder / "test.tsv").summaries()

    assert stat.S_IMODE(folder.stat().st_mode) == 0o755


def test_a_new_session_is_named_by_its_dataset_and_the_time(session: Session) -> None:
    assert session.name == "sample 2026-11-16 04:30"
    assert (session.view, session.answers(), session.history("text")) == (None, (), ())
    assert (session.can_undo, session.can_redo) == (False, False)


def test_everything_is_there_again_after_a_restart(path: Path) -> None:
    with SessionStore(path, ticking()) as store:
        session = store.create("jaad", "/data/jaad", "my work")
        session.record(answer())
        session.judge(target("b"), HUB)
        session.remember(SessionView(CYCLIST, "b", "missed"))

    with SessionStore(path) as store:
        again = store.open(1)
        assert (again.name, again.dataset_name, again.dataset_source) == (
            "my work",
            "jaad",
            "/data/jaad",
        )
        assert again.view == SessionView(CYCLIST, "b", "missed")
        assert again.answers() == (answer(),)
        assert again.judgement(target("b")) == HUB
        assert again.judgement(target("a")) == Judgement()


def test_answers_keep_the_place_where_they_were_first_asked(session: Session) -> None:
    session.record(answer(CYCLIST))
    session.record(answer(CLIP))
    session.record(answer(CYCLIST, clips="c b a"))

    assert session.answers() == (answer(CYCLIST, clips="c b a"), answer(CLIP))


def test_the_history_has_each_query_once_and_the_latest_last(session: Session) -> None:
    bus = replace(CYCLIST, query="a bus")
    for question in (CYCLIST, bus, CLIP, replace(CYCLIST, model="beta")):
        session.record(answer(question))

    assert session.history("text") == ("a bus", "a cyclist")
    assert session.history("video") == ("clip_1",)


def test_an_undefined_metric_is_saved_as_none(session: Session) -> None:
    metric = answer().metrics[0]
    session.record(answer(metrics=(replace(metric, published=float("nan")),)))

    assert session.answers()[0].metrics == (replace(metric, published=None),)


def test_judgements_are_found_by_query_and_all_in_the_order_of_time(session: Session) -> None:
    note = Judgement(note="look again")
    session.judge(target("b"), HUB)
    session.judge(target("a"), note)
    session.judge(target("a", "a bus"), Judgement("relevant"))

    assert session.judgements("text", "a cyclist") == {"b": HUB, "a": note}
    assert [row[0].clip for row in session.all_judgements()] == ["b", "a", "a"]
    times = [time for _, _, time in session.all_judgements()]
    assert times == sorted(times)


def test_a_judgement_that_says_the_same_again_is_no_step_to_undo(session: Session) -> None:
    session.judge(target("a"), HUB)
    session.judge(target("a"), HUB)
    session.undo()

    assert session.judgement(target("a")) == Judgement()


def test_undo_says_what_it_took_back_so_that_the_screen_can_go_there(session: Session) -> None:
    session.judge(target("a"), HUB)

    change = session.undo()

    assert change is not None
    assert (change.target, change.before, change.after) == (target("a"), HUB, Judgement())
    assert session.undo() is None


def test_what_can_be_undone_survives_a_restart(path: Path) -> None:
    with SessionStore(path) as store:
        session = store.create("sample", "sample")
        session.judge(target("a"), HUB)
        session.judge(target("b"), HUB)
        session.undo()

    with SessionStore(path) as store:
        session = store.open(1)
        assert session.can_undo and session.can_redo
        session.redo()
        assert session.judgement(target("b")) == HUB
        session.undo()
        session.undo()
        assert session.all_judgements() == () and not session.can_undo


def test_a_reason_without_a_bias_case_is_refused(session: Session) -> None:
    with pytest.raises(ValueError, match="bias"):
        session.judge(target("a"), Judgement("relevant", "hub"))


def test_a_note_as_long_as_a_book_is_refused_before_it_is_saved(session: Session) -> None:
    with pytest.raises(InputError, match="note has"):
        session.judge(target("a"), Judgement(note="x" * 200_000))

    assert not session.can_undo


def test_any_text_comes_back_as_it_was(store: SessionStore) -> None:
    question = replace(CYCLIST, query=HOSTILE, model=HOSTILE, groups=(HOSTILE,))
    session = store.create(HOSTILE, HOSTILE, HOSTILE[:100])
    session.record(answer(question, clips="x", keywords=(HOSTILE,)))
    session.judge(target(HOSTILE, HOSTILE), Judgement(note=HOSTILE))
    session.remember(SessionView(question, HOSTILE))

    assert (session.name, session.dataset_source) == (HOSTILE[:100], HOSTILE)
    assert session.history("text") == (HOSTILE,)
    assert session.answers()[0].keywords == (HOSTILE,)
    assert session.judgements("text", HOSTILE) == {HOSTILE: Judgement(note=HOSTILE)}
    assert session.view == SessionView(question, HOSTILE)
    assert store.summaries()[0].last_query == HOSTILE


def test_half_a_character_is_refused_and_nothing_of_it_saved(session: Session) -> None:
    with pytest.raises(InputError, match="not valid Unicode"):
        session.judge(target("a"), Judgement(note="\ud800"))

    assert session.all_judgements() == () and not session.can_undo


def test_summaries_count_and_the_last_used_stands_first(store: SessionStore) -> None:
    first, second = store.create("one", "/one"), store.create("two", "/two")
    second.record(answer(CYCLIST))
    second.record(answer(CLIP))
    first.judge(target("a"), HUB)
    first.judge(target("b"), Judgement("relevant"))
    first.judge(target("c"), Judgement(note="hm"))

    one, two = store.summaries()
    assert (one.id, one.judgements, one.bias_cases, one.notes, one.queries) == (1, 3, 1, 2, 0)
    assert (two.id, two.judgements, two.queries, two.last_query) == (2, 0, 2, "clip_1")
    assert one.last_query is None and one.created < one.updated


def test_the_latest_session_is_that_of_the_dataset_if_one_is_named(store: SessionStore) -> None:
    assert store.latest() is None
    store.create("one", "/one")
    store.create("two", "/two")

    latest, of_one = store.latest(), store.latest("/one")
    assert latest is not None and latest.id == 2
    assert of_one is not None and of_one.id == 1
    assert store.latest("/three") is None


def test_a_session_is_found_by_id_name_beginning_or_as_the_latest(store: SessionStore) -> None:
    for name in ("night", "night drive", "rain"):
        store.create("sample", "sample", name)

    found = {text: store.find(text).id for text in ("1", "latest", "night", "night d", "ra")}

    assert found == {"1": 1, "latest": 3, "night": 1, "night d": 2, "ra": 3}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ni", '2 sessions have names that begin with "ni"; name one by its number: 1, 2'),
        ("nigth", 'no session "nigth".*did you mean "night"'),
        ("7", 'no session "7".*sessions: 2 "nights"'),
        ("", 'no session ""'),
    ],
)
def test_a_session_that_is_not_there_is_reported_with_those_that_are(
    store: SessionStore, text: str, words: str
) -> None:
    for name in ("night", "nights"):
        store.create("sample", "sample", name)

    with pytest.raises(InputError, match=words):
        store.find(text)


def test_an_unknown_id_is_reported_with_the_nearest(store: SessionStore) -> None:
    with pytest.raises(InputError, match=r"no session 4.*none is saved"):
        store.open(4)
    for _ in range(8):
        store.create("sample", "sample")

    with pytest.raises(InputError, match="no session 99; there are: 4, 5, 6, 7, 8"):
        store.open(99)


def test_a_session_can_be_renamed_but_not_to_nothing(store: SessionStore, session: Session) -> None:
    store.rename(session.id, "rain")
    assert session.name == "rain"

    for name in ("  ", "x" * 201):
        with pytest.raises(InputError, match="name"):
            store.rename(session.id, name)
    assert session.name == "rain"


def test_a_deleted_session_is_gone_with_all_it_held(store: SessionStore, session: Session) -> None:
    session.record(answer())
    session.judge(target("a"), HUB)
    store.delete(session.id)

    assert store.summaries() == []
    rows = store._database.rows
    assert [rows(f"SELECT count(*) FROM {table}")[0][0] for table in _TABLES] == [0, 0, 0, 0]
    with pytest.raises(InputError, match="was deleted"):
        session.judge(target("a"), HUB)
    with pytest.raises(DeletedError, match="was deleted; start a new one"):  # no damage
        _ = session.name
    assert store.create("sample", "sample").id == 2


_TABLES = ("sessions", "answers", "judgements", "changes")


def test_two_windows_on_one_session_see_each_other(path: Path) -> None:
    with SessionStore(path) as one, SessionStore(path) as two:
        here = one.create("sample", "sample")
        there = two.open(here.id)
        here.judge(target("a"), HUB)
        there.judge(target("b"), HUB)
        there.remember(SessionView(CYCLIST, "b"))

        assert here.judgements("text", "a cyclist") == {"a": HUB, "b": HUB}
        assert here.view == there.view
        assert here.undo() is not None
        assert there.undo() is not None
        assert here.all_judgements() == () and there.can_redo


def test_a_write_costs_far_less_than_a_frame(session: Session) -> None:
    session.record(answer())
    costs = []
    for number in range(200):
        start = time.perf_counter()
        session.judge(target(f"clip_{number % 20}"), replace(HUB, note=str(number)))
        session.remember(SessionView(CYCLIST, str(number)))
        costs.append(time.perf_counter() - start)

    assert sorted(costs)[100] < 0.004  # two writes
