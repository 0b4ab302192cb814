"""What the inspector does when something cannot be saved, without a screen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.sessions import SessionStore
from tests.engine.sessions_by_hand import HUB, answer, target, ticking
from tests.engine.test_sessions_lost import Unreadable, locked, take_the_log
from tui.recorder import Recorder


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sessions.db"


@pytest.fixture
def store(path: Path) -> Iterator[SessionStore]:
    with SessionStore(path, ticking(), patience=0.02) as opened:
        yield opened


@pytest.fixture
def recorder(store: SessionStore, told: list[str]) -> Recorder:
    recorder = Recorder(store, "sample", "sample", told.append)
    recorder.record(answer())
    return recorder


def test_a_session_that_cannot_be_read_for_now_is_gone_on_with(
    recorder: Recorder, store: SessionStore, path: Path, told: list[str]
) -> None:
    session = recorder.session
    take_the_log(store, path, Unreadable)

    with locked(path):
        assert not recorder.judge(target("a"), HUB)
    assert recorder.judge(target("b"), HUB)

    assert recorder.session is session
    assert set(recorder.judgements("text", "a cyclist")) == {"b"}
    assert len(store.summaries()) == 1
    assert not any("deleted elsewhere" in message for message in told)
