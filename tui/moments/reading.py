"""The moment screen below its table: which files are read, and which metric explains them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from tui.moments.query_rows import Key, list_sort_keys
from tui.shell.progress_text import describe_failure
from tui.shell.table_screen import TableScreen
from tui.work.explained_task import ExplainedTask

if TYPE_CHECKING:
    from engine.moments.judged_predictions import QueryId
    from engine.moments.tasks import HitRule, Task
    from tui.shell.base_app import BaseApp
    from tui.work.moments import MomentsService

READING = "reading …"
NOTES_SHOWN = 3
"""Notes about the files that are shown when they are read, and how many more there are."""


class ReadingScreen(TableScreen[ExplainedTask, Key, int]):
    """Reads both files, and explains them again for another task or metric.

    task, at  what is explained first; None: the first task, the usual metric
    state     what goes on in the background, for the first line; empty: nothing does
    """

    def __init__(self, service: MomentsService, task: Task | None, at: HitRule | None) -> None:
        super().__init__()
        self.service = service
        self.state = READING
        self._asked_task, self._asked_at = task, at
        self._shown_notes: set[str] = set()
        self._said = ""
        self._last_id: QueryId | None = None

    @property
    def explained(self) -> ExplainedTask | None:
        return self.listing.result

    @property
    def _app(self) -> BaseApp:
        return cast("BaseApp", self.app)

    @property
    def _file_name(self) -> str:
        return self.service.request.predictions.name

    # The files

    def read(self) -> None:
        """Read both files, in place of what is shown."""
        self.service.read(self._asked_task, self._asked_at, self._opened, self._not_read)
        self._say(self._reading_text, READING)

    @property
    def _reading_text(self) -> str:
        return f"Reading {self._file_name} …\n\nEscape stops, {self._keymap.say('app.quit')} quits."

    @property
    def _busy(self) -> bool:
        return self.service.busy

    def _stop(self) -> None:
        self.service.cancel()
        read, leave = map(self._keymap.say, ("moments.read", "app.quit"))
        self._say(f"Nothing is read.\n\n{read} reads the files again, {leave} quits.", "")

    def _opened(self, explained: ExplainedTask) -> None:
        self._shown_notes.clear()
        self._use(explained)

    def _not_read(self, error: Exception) -> None:
        text = describe_failure(error)
        read, leave = map(self._keymap.say, ("moments.read", "app.quit"))
        what = f"{read} reads them again, {leave} quits."
        self._say(f"The files cannot be shown.\n\n{text}\n\n{what}", "")

    def _say(self, text: str, state: str) -> None:
        """What stands in place of queries while there are none, and in the first line."""
        self.state = state
        self._remember_query()
        self.listing.result, self._said = None, text
        self.show()

    def _show_notes(self, notes: Sequence[str]) -> None:
        """What the files have to be said of, once; the report keeps it."""
        news = [note for note in notes if note not in self._shown_notes]
        self._shown_notes.update(news)
        for note in news[:NOTES_SHOWN]:
            self._app.warn(note)
        if len(news) > NOTES_SHOWN:
            key = self._keymap.say("moments.report")
            self._app.warn(f"and {len(news) - NOTES_SHOWN} more, at the end of the report ({key})")

    # The metric

    def use_task(self, task: Task) -> None:
        self._explain(task, self._asked_at)

    def use_metric(self, at: HitRule) -> None:
        self._explain(self._asked_task, self._with_iou(at))

    def _with_iou(self, at: HitRule) -> HitRule:
        """VR has no IoU; what comes after it may."""
        if at.iou is None and self._asked_at is not None:
            return replace(at, iou=self._asked_at.iou)
        return at

    def _explain(self, task: Task | None, at: HitRule | None) -> None:
        if self.explained is not None and task is not None:
            self.state = "computing …"
            self.service.explain(self.explained.source, task, at, self._use, self._not_explained)
            self.show_state()

    def _use(self, explained: ExplainedTask) -> None:
        """Other numbers for the same screen."""
        self.state = ""
        self._asked_task, self._asked_at = explained.task, self._with_iou(explained.at)
        self._remember_query()
        listing = self.listing
        if listing.dived not in explained.failures.possible:
            listing.dived = None
        if listing.sort is not None and listing.sort.key not in list_sort_keys(explained):
            listing.sort = None
        if self._last_id is not None:
            listing.current = explained.truth.row_of.get(self._last_id)
        listing.result = explained
        self.show()
        self._fill_side(explained)
        self._show_notes(explained.source.notes)

    def _not_explained(self, error: Exception) -> None:
        self.state = ""
        self.show_state()
        self._app.show_error(error)

    def _remember_query(self) -> None:
        """By its id: files that are read again may have it in another row."""
        if self.explained is not None and self.listing.current is not None:
            self._last_id = self.explained.truth.ids[self.listing.current]
