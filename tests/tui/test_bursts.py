"""Keys that arrive together, as over a slow line: each does what it would have done alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.text.encoder import SentenceEncoder
from tests.tui.inspector import CLIP, Inspector, inspect

pytestmark = pytest.mark.slow


def marks(see: Inspector) -> list[str]:
    """What stands in the column of marks, from the top."""
    return [row[4].strip() for row in see.rows()[:5]]


def test_a_mark_is_not_lost_to_the_query_that_is_typed_behind_it(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        see.burst("j", "x", "slash", *"bus")
        await see.until(lambda: see.field == "bus", "the query")
        assert marks(see)[:3] == ["", "✗", ""]
        assert see.focused == "query-field"

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_a_reason_and_the_next_marks_go_to_their_own_rows(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        see.burst("b", "1", "x", "r", "b", "j", "enter")
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
        see.burst("x", "x", "x", "u", "u", "r")
        await see.until(lambda: "✓" in marks(see), "the last mark")
        assert marks(see) == ["✗", "", "", "✓", ""]

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
        see.burst("x", "q")
        await see.until(lambda: not see.app.is_running or see.app._exit, "the end")
        assert see.session().judgements("video", CLIP)[first].mark == "not relevant"

    inspect(flow, tmp_path, encoder, query=("video", CLIP))
