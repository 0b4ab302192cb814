"""The moment inspector: the app around the moment screen. Wiring only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from textual.screen import Screen

from tui.keys.panes import TERMS_OF_MOMENTS
from tui.look.safe import escape
from tui.moments.screen import MomentsScreen
from tui.moments.services import MomentsServices
from tui.opening.starts import MomentsStart
from tui.shell.base_app import BaseApp

if TYPE_CHECKING:
    from engine.moments.tasks import HitRule, Task
    from tui.moments.explained import ExplainedTask

READING = "reading …"
NOTE_SECONDS = 4.0
NOTES_SHOWN = 3
"""Notes about the files that are shown when they are read, and how many more there are."""


class MomentsApp(BaseApp):
    """Predicted moments over one ground truth."""

    CSS_PATH = Path(__file__).parents[1] / "moments" / "moments.tcss"
    places = ("moments",)
    terms = TERMS_OF_MOMENTS

    def __init__(self, start: MomentsStart) -> None:
        super().__init__(start.theme, start.keymap, ascii=start.ascii)
        self._start = start
        self.services = MomentsServices(start.request, start.near, self.soon)
        self._asked_task = start.task
        self._asked_at = start.at
        self._told_notes: set[str] = set()
        self.state = READING
        """What goes on in the background, for the first line; empty: nothing does."""

    # Starting and ending

    @property
    def moments_screen(self) -> MomentsScreen:
        screen = self.get_screen("moments")
        assert isinstance(screen, MomentsScreen)
        return screen

    @property
    def reading_text(self) -> str:
        return f"Reading {self.file_name} …\n\nEscape stops, q quits."

    @property
    def file_name(self) -> str:
        return self._start.request.predictions.name

    def get_default_screen(self) -> Screen[None]:
        screen = MomentsScreen()
        self.install_screen(screen, "moments")
        return screen

    def begin(self) -> None:
        self.read()

    def end_services(self) -> None:
        self.services.close()

    # Reading

    def read(self) -> None:
        """Read both files, in place of what is shown."""
        self.services.read(self._asked_task, self._asked_at, self._opened, self._not_read)
        self._say(self.reading_text, READING)

    def stop_reading(self) -> None:
        self.services.cancel()
        self._say("Nothing is read.\n\nR reads the files again, q quits.", "")

    def _opened(self, explained: ExplainedTask) -> None:
        self._told_notes.clear()
        self._explained(explained)

    def _show_notes(self, notes: Sequence[str]) -> None:
        """What the files have to be said of, once; the report keeps it."""
        news = [note for note in notes if note not in self._told_notes]
        self._told_notes.update(news)
        for note in news[:NOTES_SHOWN]:
            self.warn(note)
        if len(news) > NOTES_SHOWN:
            self.warn(f"and {len(news) - NOTES_SHOWN} more, at the end of the report (p)")

    def warn(self, text: str) -> None:
        """Shorter than elsewhere: on a small screen a message lies on the time line."""
        self.notify(escape(text), severity="warning", markup=False, timeout=NOTE_SECONDS)

    def _not_read(self, error: Exception) -> None:
        from tui.shell.progress_text import failure_text

        text = failure_text(error)
        self._say(f"The files cannot be shown.\n\n{text}\n\nR reads them again, q quits.", "")

    def _say(self, text: str, state: str) -> None:
        """What stands in place of queries while there are none, and in the first line."""
        self.state = state
        self.moments_screen.say(text)

    # The metric

    def use_task(self, task: Task) -> None:
        self._explain(task, self._asked_at)

    def use_metric(self, at: HitRule) -> None:
        if at.iou is None and self._asked_at is not None:
            at = replace(at, iou=self._asked_at.iou)
        self._explain(self._asked_task, at)

    def _explain(self, task: Task | None, at: HitRule | None) -> None:
        shown = self.moments_screen.explained
        if shown is not None and task is not None:
            self.state = "computing …"
            self.services.explain(shown.source, task, at, self._explained, self._not_explained)
            self.moments_screen.show_state()

    def _explained(self, explained: ExplainedTask) -> None:
        self.state = ""
        self._asked_task = explained.task
        at = explained.at
        if at.iou is None and self._asked_at is not None:  # VR has none; what comes after it may
            at = replace(at, iou=self._asked_at.iou)
        self._asked_at = at
        self.moments_screen.explain_again(explained)
        self._show_notes(explained.source.notes)

    def _not_explained(self, error: Exception) -> None:
        self.state = ""
        self.moments_screen.show_state()
        self.show_error(error)
