"""The Sessions screen: rename, export, delete, begin again, go on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.base.errors import InputError, Place
from engine.keywords.judgement import Judgement, Target
from engine.sessions import SessionStore
from engine.text.encoder import SentenceEncoder
from tests.engine.sessions.sessions_by_hand import ticking
from tests.tui.inspector import CLIP, Inspector, answer, inspect, small_dataset
from tui.dialogs.smallest_size import SMALLEST_TERMINAL
from tui.look.glyphs import UNICODE
from tui.sessions.screen import SessionRows
from tui.widgets.line_layout import COLUMN_GAP, GUTTER, compute_column_widths
from tui.widgets.line_table import LineTable

OTHER = "urban_pedestrian_0004"


def sessions(see: Inspector) -> LineTable:
    return see.app.sessions_screen.query_one("#sessions", LineTable)


def test_without_a_session_the_screen_says_how_one_begins(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.press("3")
        await see.says("No session is saved yet.")
        assert "1 goes to Inspect" in see.screen_text
        assert not {"Resume", "Rename", "Export", "Delete"} & see.footer.keys()
        await see.press("e", "w", "x", "enter")
        assert not see.app.screen.is_modal
        await see.press("1")
        assert see.app.screen is see.home

    inspect(flow, tmp_path, encoder)


def test_the_list_counts_queries_marks_and_bias_cases(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.press("minus", "b", "1", "3")
        (row,) = see.rows(sessions(see))
        assert row[:3] == ["now", "1", "sample 2026-11-16 04:30"]
        assert row[3:8] == ["sample", "1", "2", "1", "0"]
        assert row[8] == CLIP
        await see.pilot.resize_terminal(60, 20)
        narrow = ["now", "sample 2026-11-16 04:30", "1", "2"]
        await see.until(lambda: see.rows(sessions(see)) == [narrow], "fewer columns")
        await see.press("escape")
        assert see.app.screen is see.home

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_a_session_is_renamed(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.press("3", "e")
        assert "Name of the session" in see.screen_text
        await see.press("ctrl+u")
        await see.type("night [b]shift[/b]")
        await see.press("enter")
        assert see.session().name == "night [b]shift[/b]"
        assert "night [b]shift[/b]" in see.rows(sessions(see))[0]
        await see.press("1")
        assert "night [b]shift[/b]" in see.title
        await see.press("3", "e", "ctrl+u", "enter")  # no name: it keeps the one it has
        assert see.session().name == "night [b]shift[/b]"
        await see.press("e")
        await see.type("x" * 300)
        await see.press("enter")
        await see.says("at most 200")
        assert see.session().name == "night [b]shift[/b]"
        await see.press("home", *["delete"] * 118, "enter")  # what was typed is still there
        assert see.session().name == "x" * 200
        assert not see.app.screen.is_modal

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_the_last_query_is_whole_where_other_columns_leave_room_and_the_title_stays(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    asked = "person crossing the street"

    async def flow(see: Inspector) -> None:
        await see.answered(asked)
        await see.press("3")
        await see.says(asked)
        await see.pilot.resize_terminal(60, 20)
        await see.says("Sessions  1 session")

    inspect(flow, tmp_path, encoder, query=("text", asked))


def test_no_column_stands_beyond_the_end_of_a_line() -> None:
    def measure(width: int) -> int:
        columns = SessionRows(None, (), None, UNICODE, lambda: width).columns
        gaps = GUTTER + COLUMN_GAP * (len(columns) - 1)
        return sum(compute_column_widths(columns, width)) + gaps

    widths = range(SMALLEST_TERMINAL.width - 2, 200)  # there may be a scrollbar
    assert [width for width in widths if measure(width) > width] == []


def test_where_no_file_can_be_written_the_command_that_exports_elsewhere_is_named(
    tmp_path: Path, encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TUI_EVAL_DATA", str(tmp_path))

    def refuse(_: object, path: Path) -> bool:
        raise InputError("cannot be written (Read-only file system)", path, hint="name a file")

    monkeypatch.setattr("engine.files.atomic.make_whole", refuse)

    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.press("3", "w")
        await see.says("write it elsewhere: tui-eval sessions export 1 --out FILE")

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_a_session_is_exported_to_files_that_hold_it(
    tmp_path: Path, encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.press("b", "5", "3", "w")
        await see.says("Wrote ")

    inspect(flow, tmp_path, encoder, query=("video", CLIP))

    (data,) = tmp_path.glob("session-*.json")
    (text,) = tmp_path.glob("session-*.md")
    document = json.loads(data.read_text())
    written = text.read_text().replace("\\_", "_")
    assert CLIP in written
    assert "### Hub (1)" in written
    copy = SessionStore(tmp_path / "copy.db", ticking())
    session = copy.import_document(document, Place(data))
    (said,) = session.judgements("video", CLIP).values()
    assert (said.mark, said.reason) == ("bias", "hub")
    marks = [
        mark for group in answer(encoder, CLIP, "video").result(0).groups for mark in group.marks
    ]
    lacking = tuple(str(keyword) for keyword, has in marks if not has)
    assert lacking and said.seen is not None and said.seen.lacking == lacking
    assert f"| {', '.join(lacking)} |" in written


def test_deleting_asks_first(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.press("minus", "3", "x")
        assert "Delete “sample 2026-11-16 04:30”" in see.screen_text
        await see.press("enter")  # the first choice is No
        assert len(see.store.summaries()) == 1
        await see.press("x", "escape")
        assert len(see.store.summaries()) == 1
        await see.press("x", "y")
        assert see.store.summaries() == []
        assert "No session is saved yet." in see.screen_text
        # The query is still there; the next question begins another session.
        await see.press("1")
        assert see.rows()
        await see.ask_clip(OTHER)
        (made,) = see.store.summaries()
        assert made.queries == 1

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_where_one_is_in_a_session_that_is_deleted_is_not_saved_any_more(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.press("2")
        place = see.app.recorder.place
        place.save()
        place.save_soon = lambda: None  # that Evaluate is left is not saved yet
        await see.press("3", "x", "y")
        assert see.store.summaries() == [] and see.toasts == []

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_a_new_session_begins_empty_and_the_old_one_is_resumed_where_it_stood(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    expected = answer(encoder, CLIP, "video")

    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.press("j", "j", "minus")
        await see.shows(expected.clip(3))
        await see.press("3", "i")
        assert see.app.screen is see.home
        assert "Nothing is asked yet." in see.screen_text
        assert "new session" in see.title
        assert see.field == ""
        assert "Undo" not in see.footer
        await see.ask_clip(OTHER)
        assert all(row[4] == "" for row in see.rows())
        assert len(see.store.summaries()) == 2
        await see.press("3")
        assert [row[0] for row in see.rows(sessions(see))] == ["now", ""]
        await see.press("j", "enter")
        await see.answered(CLIP)
        assert see.app.screen is see.home
        assert see.results.clip == expected.clip(3)
        assert see.rows()[2][4] == "✗ "
        assert see.footer["Undo"] == "u"

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_a_session_of_another_dataset_is_not_opened_here_and_says_how(
    tmp_path: Path, encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TUI_EVAL_DATA", str(tmp_path))
    other = small_dataset(tmp_path / "other", "a,,,car,city\nb,,,car,city").source
    with SessionStore(tmp_path / "sessions.db", ticking()) as store:
        store.create("gone", "/data/gone")
        store.create("small", str(other))

    async def flow(see: Inspector) -> None:
        await see.press("3", "enter")
        await see.says(f"session 2 is about another dataset, {other}")
        await see.says("tui-eval --session 2 opens the session with that dataset")
        await see.press("j", "enter")
        await see.says('session 1 is about "gone", which is gone from /data/gone')
        await see.says("tui-eval --session 1 --dataset FOLDER")
        assert see.app.screen is see.app.sessions_screen

    inspect(flow, tmp_path, encoder)


def test_what_another_window_judges_is_seen_in_this_one(
    tmp_path: Path, encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.app.inspector.LOOK_AFTER", 0.1)

    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        clip = str(see.results.clip)
        with SessionStore(see.store.path) as other:
            session = other.latest()
            assert session is not None
            session.judge(Target("video", CLIP, clip), Judgement("relevant"))
        await see.until(lambda: see.rows()[0][4] == "✓ ", "the mark of the other window")
        await see.says("Recall@1 0.000→1.000")

    inspect(flow, tmp_path, encoder, query=("video", CLIP))
