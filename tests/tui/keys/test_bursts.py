"""Keys that arrive together, as over a slow line: each does what it would have done alone."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from engine.text.encoder import SentenceEncoder
from tests.tui.inspector import CLIP, Inspector, inspect
from tui.widgets.lines_view import Paragraphs
from tui.work import questions

pytestmark = pytest.mark.slow

OTHER = "urban_pedestrian_0040"


def marks(see: Inspector) -> list[str]:
    """What stands in the column of marks, from the top."""
    return [row[4].strip() for row in see.rows()[:5]]


def test_a_mark_is_not_lost_to_the_query_that_is_typed_behind_it(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        see.burst("j", "minus", "slash", *"bus")
        await see.until(lambda: see.field == "bus", "the query")
        assert marks(see)[:3] == ["", "✗", ""]
        assert see.focused == "query-field"

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_a_reason_and_the_next_marks_go_to_their_own_rows(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        see.burst("b", "1", "minus", "plus", "b", "j", "enter")
        await see.until(lambda: marks(see)[3] == "⚑", "the last mark")
        assert marks(see) == ["⚑", "✗", "✓", "⚑", ""]
        said = see.session().judgements("video", CLIP)
        assert [said[see.results.rows.clip(row)].reason for row in (0, 3)] == [  # type: ignore[union-attr]
            "look-alike",
            "missing keyword",
        ]

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_a_note_that_comes_with_its_key_is_written_whole(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        first = str(see.results.clip)
        see.burst("a", *"qxj", "space", *"12", "enter")
        await see.until(lambda: see.session().judgements("video", CLIP).get(first), "the note")
        assert see.session().judgements("video", CLIP)[first].note == "qxj 12"

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_undo_follows_marks_in_their_order(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        see.burst("minus", "minus", "minus", "u", "u", "plus")
        await see.until(lambda: "✓" in marks(see), "the last mark")
        assert marks(see) == ["✗", "✓", "", "", ""]  # where the last mark was undone

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_keys_reach_the_screen_that_the_key_before_them_opened(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        see.burst("2", "t", "r")
        await see.says("mean of n")
        see.burst("slash", *"kw:bollard", "enter", "s", "1", "j", "ctrl+o", "d")
        await see.until(lambda: see.focused == "detail", "the pane that was jumped to")
        assert see.app.evaluate_screen.listing.filter_text == "kw:bollard"
        assert see.results.cursor == 1

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_leaving_at_once_after_a_mark_keeps_it(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        first = str(see.results.clip)
        see.burst("minus", "q")
        await see.until(lambda: not see.app.is_running or see.app._exit, "the end")
        assert see.session().judgements("video", CLIP)[first].mark == "not relevant"

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


# The numbers that follow from a mark are computed in the background


@pytest.fixture
def slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is marked takes a while to be scored."""
    score_answer = questions.score_answer

    def slow(inspection: Any, judgements: Any, language: Any) -> Any:
        if judgements:
            time.sleep(1.0)
        return score_answer(inspection, judgements, language)

    monkeypatch.setattr(questions, "score_answer", slow)


def adjudicated(see: Inspector, query: str) -> list[float | None]:
    """The first metric of a query at every K, as it is saved."""
    (saved,) = [one for one in see.session().answers() if one.question.query == query]
    return [metric.adjudicated for metric in saved.metrics[:3]]


@pytest.mark.usefixtures("slowly")
def test_leaving_at_once_after_a_mark_keeps_its_numbers(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        assert adjudicated(see, CLIP)[0] == 0.0
        see.burst("plus", "q")
        await see.until(lambda: see.app._exit, "the end")
        assert adjudicated(see, CLIP)[0] == 1.0

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


@pytest.mark.usefixtures("slowly")
@pytest.mark.parametrize("keys", [("c", *OTHER, "enter"), ("3", "i", "c", *OTHER, "enter")])
def test_a_query_and_a_session_that_follow_a_mark_at_once_leave_it_its_numbers(
    keys: tuple[str, ...], tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        first = see.session()
        see.burst("plus", *(key.replace("_", "underscore") for key in keys))
        await see.answered(OTHER)
        (saved,) = [one for one in first.answers() if one.question.query == CLIP]
        assert saved.metrics[0].adjudicated == 1.0

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


@pytest.mark.usefixtures("slowly")
def test_the_metrics_that_are_asked_for_after_a_mark_are_those_after_it(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        see.burst("plus", "M")
        await see.until(lambda: see.app.screen.query(Paragraphs), "the metrics")
        table = str(see.app.screen.query_one(Paragraphs).render())
        assert "adjudicated" in table

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


@pytest.mark.usefixtures("slowly")
def test_a_mark_is_seen_before_its_numbers_and_what_is_listed_stays(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.press("d")
        see.burst("minus")
        await see.until(lambda: marks(see)[0] == "✗", "the mark")
        assert "adjudicated" not in see.metrics
        await see.until(lambda: not see.app.services.questions.scoring, "the numbers")
        assert "Listed now" in see.metrics and "6 missed" in see.screen_text

    inspect(flow, tmp_path, encoder, query=("video", CLIP))
