"""Another program holds the store: keys wait once at most, it is reported, and nothing is lost."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.sessions import SessionStore
from engine.sessions.database import Database
from engine.text.encoder import SentenceEncoder
from tests.engine.sessions.sessions_by_hand import ticking
from tests.tui.inspector import CLIP, Flow, Inspector, inspect
from tui.opening.stores import open_store
from tui.work import recorder

OTHER = "urban_pedestrian_0004"


@contextlib.contextmanager
def locked(see: Inspector) -> Iterator[None]:
    """A real second connection that writes and does not end."""
    other = sqlite3.connect(see.store.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How often each key waited for the lock; whoever presses one begins a new count."""
    counts = [0]
    real = Database.writing

    @contextlib.contextmanager
    def counting(database: Database) -> Iterator[sqlite3.Connection]:
        counts[-1] += 1
        with real(database) as connection:
            counts[-1] -= 1
            yield connection

    monkeypatch.setattr(Database, "writing", counting)
    return counts


def inspect_impatiently(flow: Flow, folder: Path, encoder: SentenceEncoder) -> None:
    """As `inspect`, with the patience of the inspector's own start or less."""
    store = SessionStore(folder / "sessions.db", ticking(), patience=0.02)
    with store:
        inspect(flow, folder, encoder, store=store, query=("video", CLIP))


def not_saved(see: Inspector) -> int:
    return len([toast for toast in see.toasts if toast.startswith("Not saved: ")])


def test_the_inspectors_own_store_waits_for_less_than_half_a_second(tmp_path: Path) -> None:
    """And once per key: see below."""
    with open_store(tmp_path / "sessions.db") as store:
        (milliseconds,) = store._database._connection.execute("PRAGMA busy_timeout").fetchone()
        assert 0 < milliseconds < 500


@pytest.mark.parametrize(
    "keys", ["j", "minus", "plus", "b 1", "u", "ctrl+r", "a n enter", "v", "d", "m", "R"]
)
def test_no_key_waits_for_the_lock_twice(
    keys: str, waits: list[int], tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.press("minus", "minus", "u")
        with locked(see):
            see.app.recorder._resting_until = 0.0
            place = see.app.recorder.place
            place.save_soon.cancel()  # type: ignore[attr-defined]
            place.save_soon = lambda: None  # later, and by no key
            for key in keys.split():
                waits.append(0)
                await see.press(key)
            if keys == "m":
                await see.until(lambda: see.home.question.model == "alfa-0.2", "the other model")
            await see.answered()  # with the detail, whose cursor is saved last
            assert max(waits) <= 1

    inspect_impatiently(flow, tmp_path, encoder)


def test_each_judgement_is_reported_the_cursor_once(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.press("minus")
        with locked(see):
            await see.press("j", "k", "j")
            assert not_saved(see) == 1
            for count, keys in enumerate(["minus", "plus", "u", "u", "b 1"], start=2):
                await see.press(*keys.split())
                assert not_saved(see) == count, keys
            assert see.results.cursor == 2  # none of the marks is there, so none moved on
            assert [row[4] for row in see.rows()[:4]] == ["✗ ", "", "", ""]

    inspect_impatiently(flow, tmp_path, encoder)


def test_when_the_lock_is_gone_everything_is_saved_again(
    tmp_path: Path, encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1000.0]
    monkeypatch.setattr(recorder, "monotonic", lambda: now[0])

    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        with locked(see):
            await see.ask_clip(OTHER)
            await see.press("m")
            await see.until(lambda: see.inspection and see.inspection.question.model == "alfa-0.2")
            await see.press("g", "minus")
            assert see.rows()[0][4] == ""
        now[0] += recorder.RESTING  # however long that took
        clip = see.results.clip
        await see.press("minus")

        assert see.rows()[0][4] == "✗ "
        await see.until(lambda: "Saving works again." in see.toasts, "the toast")
        session = see.session()
        asked = [(answer.question.query, answer.question.model) for answer in session.answers()]
        assert asked == [(CLIP, "alfa-0.1"), (OTHER, "alfa-0.1"), (OTHER, "alfa-0.2")]
        assert list(session.judgements("video", OTHER)) == [clip]
        # The answer that waited was adjudicated without the mark: that number is not kept.
        assert {metric.adjudicated for metric in session.answers()[1].metrics} == {None}
        await see.press("j")
        assert session.view is not None and session.view.clip == see.results.clip

    inspect_impatiently(flow, tmp_path, encoder)


def test_the_cursor_alone_brings_saving_back_after_a_rest(
    tmp_path: Path, encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1000.0]
    monkeypatch.setattr(recorder, "monotonic", lambda: now[0])

    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        with locked(see):
            await see.ask_clip(OTHER)
        await see.press("j")
        await see.shows(str(see.results.clip))
        assert [answer.question.query for answer in see.session().answers()] == [CLIP]  # it rests
        now[0] += recorder.RESTING
        await see.press("j")
        await see.shows(str(see.results.clip))

        session = see.session()
        assert [answer.question.query for answer in session.answers()] == [CLIP, OTHER]
        assert session.view is not None and session.view.clip == see.results.clip

    inspect_impatiently(flow, tmp_path, encoder)


def test_a_note_that_could_not_be_saved_is_still_in_the_editor(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        clip = see.results.clip
        with locked(see):
            await see.press("a")
            await see.type("a long thought")
            await see.until(lambda: not_saved(see) == 1, "that what is typed is not saved")
            await see.press("enter")
            assert not_saved(see) == 2, see.toasts
            await see.says("a long thought")
            assert see.app.screen.is_modal
        await see.press("enter")

        assert not see.app.screen.is_modal
        said = see.session().judgements("video", CLIP)
        assert {name: one.note for name, one in said.items()} == {clip: "a long thought"}

    inspect_impatiently(flow, tmp_path, encoder)


def test_a_session_that_could_not_begin_begins_later(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        with locked(see):
            await see.ask_clip(CLIP)
            await see.ask_clip(OTHER)
            assert see.store.summaries() == []
        await see.press("minus")

        assert [answer.question.query for answer in see.session().answers()] == [CLIP, OTHER]

    store = SessionStore(tmp_path / "sessions.db", ticking(), patience=0.02)
    with store:
        inspect(flow, tmp_path, encoder, store=store)


def test_an_answer_that_can_never_be_saved_does_not_keep_marks_from_being_saved(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        see.store._database._connection.execute(
            "CREATE TEMP TRIGGER never BEFORE INSERT ON main.answers BEGIN"
            " SELECT raise(ABORT, 'never'); END"
        )
        await see.ask_clip(OTHER)
        await see.press("minus")

        assert list(see.session().judgements("video", OTHER))

    inspect_impatiently(flow, tmp_path, encoder)


def test_leaving_saves_what_could_not_be_saved_before(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        with locked(see):
            await see.ask_clip(OTHER)
            session = see.store.latest()
            assert session is not None and len(session.answers()) == 1
        await see.press("q")
        asked = [answer.question.query for answer in see.session().answers()]
        assert asked == [CLIP, OTHER]

    inspect_impatiently(flow, tmp_path, encoder)
