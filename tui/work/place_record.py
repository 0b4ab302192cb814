"""Where the user is: put together from what each screen says of it, and saved as one view."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from engine.keywords.question import Question
    from engine.sessions import NoteDraft, QueryDraft, SessionView, TableView

PLACE_PAUSE = 0.5
"""Seconds until the row of a table or a draft is saved: what has passed by then (a query that is
answered, rows below a key that is held down) costs no write."""


class WritePlace(Protocol):
    def __call__(self, view: SessionView, *, begins: bool, at_any_cost: bool) -> bool:
        """Write it into the session; whether the store has it now.

        begins       it is worth a session of its own, if there is none
        at_any_cost  try it, also while the store could not be written lately
        """
        ...


class PlaceRecord:
    """The newest place, and whether the store has it.

    save_soon  is called whenever a table or a draft has changed; whoever has a clock may let it
               wait, so that a key that is held down is not a write each time
    """

    def __init__(self, write: WritePlace) -> None:
        self._write = write
        self._view: SessionView | None = None
        """None: the user has not been anywhere yet."""
        self._saved: SessionView | None = None
        self.save_soon: Callable[[], None] = self.save

    @property
    def note_draft(self) -> NoteDraft | None:
        """The note that is not finished: it is being typed, or was when the session was left."""
        return self._view.note_draft if self._view else None

    @property
    def has_table(self) -> bool:
        """Whether a table lies over the results."""
        return self._view is not None and self._view.table is not None

    def take_up(self, view: SessionView | None) -> None:
        """Go on from a place as the store has it: what is not shown again yet stays in it."""
        self._view = self._saved = view

    def remember(self, view: SessionView) -> None:
        """The user is elsewhere in the results; what else there is stays as it is."""
        if now := self._view:
            view = replace(
                view, table=now.table, note_draft=now.note_draft, query_draft=now.query_draft
            )
        self._view = view
        self._saved = None  # also if it is the same: the session may have been deleted elsewhere
        self.save()

    def remember_table(self, table: TableView | None) -> None:
        """Which screen lies over the results, and what it lists; None: none does."""
        if table is not None or self._view is not None:
            self._change(replace(self._there, table=table))

    def remember_note(self, draft: NoteDraft | None) -> None:
        """The note that is being typed; None: it is taken, or given up, and not to be asked for
        again even if the process is killed at once."""
        if draft is not None or self._view is not None:
            self._change(replace(self._there, note_draft=draft))
        if draft is None:
            self.save()

    def remember_query(self, draft: QueryDraft | None) -> None:
        """The query that is being typed; None: it is answered, or given up."""
        if draft is not None or self._view is not None:
            self._change(replace(self._there, query_draft=draft))

    @property
    def _there(self) -> SessionView:
        """Where the user is; nowhere at first, which the store need not be told."""
        if self._view is None:
            from engine.sessions import SessionView

            self._view = self._saved = SessionView(None, None)
        return self._view

    def _change(self, view: SessionView) -> None:
        if view != self._view:
            self._view = view
            self.save_soon()

    def save(self, *, at_any_cost: bool = False, begins: bool = False) -> None:
        """Save what is not saved yet."""
        view = self._view
        if (
            view is not None
            and view != self._saved
            and self._write(view, begins=begins, at_any_cost=at_any_cost)
        ):
            self._saved = view

    def save_unfinished(self, settings: Question) -> None:
        """Save it for one who did not want to leave: a list or a text that was begun is kept also
        if nothing was asked yet, with the settings that would have been asked with."""
        view = self._view
        if view is None:
            return
        is_begun = bool(view.note_draft or view.query_draft or (view.table and view.table.run))
        if view.question is None and is_begun:
            self._view = replace(view, question=settings)
        if view.note_draft or view.query_draft:
            self._saved = None  # another window of this session may have saved its place since
        self.save(at_any_cost=True, begins=is_begun)
