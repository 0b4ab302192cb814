"""kill -9 of the real app at any moment: what the screen has shown is in the store."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.keywords.judgement import Judgement, Target
from engine.keywords.question import Question
from engine.sessions import SessionStore, SessionView
from tests.faults.judged_state import CLIP, Said, Shown, State, compare, find_ranking
from tests.faults.kills import run

KILLS = 5


@pytest.mark.slow
def test_kills_of_the_app_lose_nothing_that_was_on_the_screen(tmp_path: Path) -> None:
    found = run(KILLS, 1, 0, tmp_path)

    assert sum(one.times for one in found) == KILLS
    assert [one.what for one in found] == [(), (), ()]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with one mark, at the second of three clips."""
    path = tmp_path / "sessions.db"
    with SessionStore(path) as opened:
        session = opened.create("sample", "sample")
        first, second, *_ = find_ranking().clips
        session.remember(SessionView(Question("video", CLIP, "alfa-0.1", ()), second, "ranking"))
        session.judge(Target("video", CLIP, first), Judgement("relevant"))
    return path


def test_a_mark_that_was_shown_and_is_saved_is_not_lost(store: Path) -> None:
    shown = Shown(2, {1: "✓"}, undid=False)

    saved, lost = compare(store, State(1, {}), ["+", "+"], shown)

    assert saved == State(2, {1: Said("relevant")}) and lost == []


def test_a_mark_that_was_shown_and_is_not_saved_is_lost(store: Path) -> None:
    shown = Shown(2, {1: "✓", 2: "✓"}, undid=False)

    _, lost = compare(store, State(1, {}), ["+", "+"], shown)

    assert lost == ["what was said of #2: ✓"]
