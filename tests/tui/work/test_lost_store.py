"""The store is deleted or replaced under the running inspector: it is said, and nothing is lost."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.sessions import SessionStore
from engine.text.encoder import SentenceEncoder
from tests.engine.sessions.sessions_by_hand import HUB, target, ticking
from tests.tui.inspector import CLIP, Inspector, inspect

OTHER = "urban_pedestrian_0004"


def inspected(see: Inspector) -> set[str]:
    return set(see.session().judgements("video", CLIP))


@pytest.mark.parametrize("what", ["file", "files", "folder", "log"])
def test_marks_go_on_after_the_store_was_deleted(
    what: str, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    folder = tmp_path / "data"

    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        clips = [row[3] for row in see.rows()[:3]]
        await see.press("minus", "plus")
        if what == "folder":
            shutil.rmtree(folder)
        else:
            names = {"file": [""], "files": ["", "-wal", "-shm"], "log": ["-wal"]}[what]
            for name in names:
                (folder / f"sessions.db{name}").unlink()
        await see.press("minus")

        assert inspected(see) == set(clips)
        assert [row[4] for row in see.rows()[:3]] == ["✗ ", "✓ ", "✗ "]
        (said,) = see.toasts
        assert "was deleted" in said and str(folder / "sessions.db") in said
        await see.press("u", "u", "u")  # the log of judgements came along
        assert inspected(see) == set()
        await see.press("3")
        await see.says("now ")

    folder.mkdir()
    inspect(flow, folder, encoder, query=("video", CLIP))
    with SessionStore(folder / "sessions.db") as store:
        assert len(store.summaries()) == 1


def test_it_is_noticed_while_nothing_is_pressed(
    tmp_path: Path, encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.app.inspector.LOOK_AFTER", 0.05)

    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.press("minus")
        see.store.path.unlink()
        await see.says("was deleted: it is made again")
        assert len(inspected(see)) == 1

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_another_store_in_its_place_gets_the_session(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    theirs = tmp_path / "theirs.db"
    with SessionStore(theirs, ticking(datetime(2026, 1, 1, tzinfo=UTC))) as other:
        other.create("theirs", "/theirs").judge(target("x"), HUB)

    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.press("minus")
        theirs.replace(see.store.path)
        await see.press("minus")

        await see.says("was replaced: all that was saved here is carried over")
        assert len(inspected(see)) == 2
        await see.press("3", "e", "ctrl+u")
        await see.type("mine")
        await see.press("enter", "1")
        assert "mine" in see.title
        with SessionStore(see.store.path) as again:
            assert {one.name for one in again.summaries()} > {"mine"}
            assert len(again.open(1).all_judgements()) == 1

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_while_it_cannot_be_made_again_work_goes_on_in_memory(
    tmp_path: Path, encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.sessions.database.TRY_AGAIN", 0.0)
    monkeypatch.setattr("tui.app.inspector.LOOK_AFTER", 0.05)
    folder = tmp_path / "data"

    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.press("minus")
        shutil.rmtree(folder)
        folder.write_text("a file")
        await see.press("minus", "minus")
        (said,) = see.toasts
        assert said.startswith("Nothing can be saved: ") and "cannot be made again" in said
        await see.until(lambda: "NOT SAVED" in see.title, "the title")
        await see.press("j", "k", "3", "1")
        await see.ask_clip(OTHER)
        await see.ask_clip(CLIP)
        assert [row[4] for row in see.rows()[:3]] == ["✗ ", "✗ ", "✗ "]

        folder.unlink()
        await see.says("it is made again")
        await see.until(lambda: "NOT SAVED" not in see.title, "the title")
        with SessionStore(see.store.path) as again:
            assert len(again.open(1).judgements("video", CLIP)) == 3

    folder.mkdir()
    inspect(flow, folder, encoder, query=("video", CLIP))
