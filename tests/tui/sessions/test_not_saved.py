"""While nothing can be saved, every screen says so, and none names a file that holds nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.base.errors import InputError
from engine.text.encoder import SentenceEncoder
from tests.tui.inspector import CLIP, Inspector, inspect
from tui.opening.stores import open_store

NOWHERE = Path("/proc/nope/sessions.db")


@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
def test_every_title_says_that_nothing_is_saved(
    size: tuple[int, int], tmp_path: Path, encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        for screen in "1234":
            await see.press(screen)
            await see.until(lambda: "NOT SAVED" in see.title, screen)
        await see.press("3")
        await see.until(lambda: "Sessions  1 session in memory" in see.title, "where it is")

    with pytest.raises(InputError, match="everything is in"), open_store(NOWHERE) as store:
        inspect(flow, tmp_path, encoder, size=size, query=("video", CLIP), store=store)


def test_ctrl_c_does_not_say_that_everything_is_saved(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.until(lambda: "NOT SAVED" in see.title)
        await see.press("ctrl+c")
        await see.says("q leaves; what is kept in memory is written to a file first.")

    with open_store(NOWHERE) as store:
        inspect(flow, tmp_path, encoder, store=store)


def test_the_sessions_screen_names_the_file_as_one_that_cannot_be_written(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.press("3")
        await see.says("There is no session yet.")
        await see.until(lambda: see.title.endswith(f"cannot write {NOWHERE}"), see.title)
        assert "saved as it happens" not in see.screen_text

    with open_store(NOWHERE) as store:
        inspect(flow, tmp_path, encoder, store=store)


def test_a_title_says_so_as_soon_and_as_long_as_it_is_so(
    tmp_path: Path, encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.sessions.database.TRY_AGAIN", 0.0)
    monkeypatch.setattr("tui.app.inspector.LOOK_AFTER", 0.05)
    folder = tmp_path / "data"
    folder.write_text("a file")

    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        for screen in "324":
            await see.press(screen)
            await see.until(lambda: "NOT SAVED" in see.title, screen)
        folder.unlink()
        for screen in "423":
            await see.press(screen)
            await see.until(lambda: "NOT SAVED" not in see.title, screen)
        await see.until(lambda: see.title.rstrip().endswith("sessions.db"), see.title)

    with open_store(folder / "sessions.db") as store:
        inspect(flow, tmp_path, encoder, query=("video", CLIP), store=store)


def test_a_title_says_so_when_the_store_is_lost_before_anything_else_is_marked(
    tmp_path: Path, encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.app.inspector.LOOK_AFTER", 0.05)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    path = tmp_path / "data" / "sessions.db"

    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.until(lambda: path.exists() and "NOT SAVED" not in see.title)
        path.unlink()
        path.mkdir()
        await see.until(lambda: "NOT SAVED" in see.title, see.title)
        await see.says("Nothing can be saved")

    with pytest.raises(InputError, match="everything is in"), open_store(path) as store:
        inspect(flow, tmp_path, encoder, query=("video", CLIP), store=store)
