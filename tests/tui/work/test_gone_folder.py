"""The folder that the inspector was started in was removed: what would be written there is refused
in one sentence, and everything else goes on."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from engine.text.encoder import SentenceEncoder
from tests.tui.dialogs.test_dialogs import Host, with_dialog
from tests.tui.inspector import CLIP, Inspector, inspect
from tui.dialogs.basic_dialogs import ErrorDialog
from tui.frames.players import open_externally

GONE = "the current folder is gone: no file written; leave, and start tui-eval again"


@pytest.fixture
def gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The current folder is removed."""
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()


@pytest.mark.slow
@pytest.mark.usefixtures("gone")
def test_every_screen_says_once_that_nothing_was_written_and_goes_on(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def refuses(see: Inspector, *keys: str) -> None:
        see.app.clear_notifications()
        await see.press(*keys)
        await see.says(GONE)
        assert len(see.toasts) == 1 and not see.app.screen.is_modal

    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await refuses(see, "w")
        await refuses(see, "3", "w")
        await see.press("2", "t", "r")
        await see.until(lambda: see.app.evaluate_screen.query_one("#queries").source)  # type: ignore[attr-defined]
        await refuses(see, "w")
        await see.press("1", "plus")
        assert len(see.session().judgements("video", CLIP)) == 1

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


@pytest.mark.usefixtures("gone")
def test_a_problem_can_still_be_copied() -> None:
    said: list[str] = []

    async def write(app: Host, pilot: Pilot[None]) -> None:
        await pilot.press("w", "y")
        said.extend(item.message for item in app._notifications)

    app = with_dialog(ErrorDialog("Broken", "a\nb"), write)

    assert said[0].startswith(GONE) and said[0].endswith("; y copies the text")
    assert app.clipboard == "a\nb"


@pytest.mark.usefixtures("gone")
def test_a_clip_named_from_there_is_not_found() -> None:
    assert open_externally(Path("a.mp4"), {}) == "no such file: a.mp4"
