"""Sessions: saved work, to go on with, to hand over, or to throw away."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen

from engine.errors import InputError
from engine.sessions import Summary
from tui.commands import bindings
from tui.footer import KeyFooter
from tui.safe import safe
from tui.widgets.line_table import Cell, Column, LineTable
from tui.widgets.title_bar import TitleBar
from tui.words import counted

if TYPE_CHECKING:
    from tui.app import InspectorApp

EMPTY = (
    "No session is saved yet.\n\n"
    "A session begins with the first query you ask; from then on everything is saved as it "
    "happens.\n\n1 goes to Inspect"
)


class SessionRows:
    """One row per session, the newest first."""

    def __init__(self, summaries: Sequence[Summary], current: int | None) -> None:
        self.summaries = summaries
        self._current = current
        self.columns = (
            Column("session", least=18),
            Column("dataset", 14),
            Column("queries", 7, right=True),
            Column("marks", 6, right=True),
            Column("bias", 5, right=True),
            Column("changed", 16),
        )

    def __len__(self) -> int:
        return len(self.summaries)

    def cells(self, row: int) -> Sequence[Cell]:
        one = self.summaries[row]
        now = " (this one)" if one.id == self._current else ""
        return (
            (one.name + now, "strong" if now else ""),
            one.dataset_name,
            f"{one.queries:,}",
            f"{one.judgements:,}",
            f"{one.bias_cases:,}",
            f"{one.updated:%Y-%m-%d %H:%M}",
        )


class SessionsTable(LineTable):
    """The list of sessions."""

    jump_key = "s"
    pane = "sessions"


class SessionsScreen(Screen[None]):
    """The saved sessions."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("sessions")]
    AUTO_FOCUS = "#sessions"
    pane = "sessions"

    @property
    def host(self) -> InspectorApp:
        return cast("InspectorApp", self.app)

    def compose(self) -> ComposeResult:
        yield TitleBar()
        yield SessionsTable(EMPTY, id="sessions")
        yield KeyFooter()

    @property
    def _table(self) -> LineTable:
        return self.query_one("#sessions", LineTable)

    def on_screen_resume(self) -> None:
        self._fill()

    def _fill(self, session: int | None = None) -> None:
        """Read the sessions again; the cursor stays on its session."""
        at = session if session is not None else (self._here.id if self._here else None)
        current = self.host.recorder.session
        try:
            summaries = self.host.recorder.store.summaries()
        except InputError as error:
            self.host.tell(error)
            return
        ids = [summary.id for summary in summaries]
        cursor = ids.index(at) if at in ids else min(max(self._table.cursor, 0), len(ids))
        self._table.show(SessionRows(summaries, current.id if current else None), cursor)
        count = counted(len(ids), "session")
        self.query_one(TitleBar).show(f"Sessions  {count}", str(self.host.recorder.store.path))

    @property
    def _here(self) -> Summary | None:
        source = self._table.source
        if isinstance(source, SessionRows) and 0 <= self._table.cursor < len(source):
            return source.summaries[self._table.cursor]
        return None

    @on(LineTable.Chosen, "#sessions")
    def action_resume(self) -> None:
        if self._here is not None:
            self.host.resume_session(self._here.id)

    def action_new(self) -> None:
        self.host.new_session()

    def action_rename(self) -> None:
        from tui.screens.dialogs import Ask

        here = self._here
        if here is None:
            return

        def named(name: str | None) -> None:
            if name and self.host.attempt(lambda: self.host.recorder.store.rename(here.id, name)):
                self._fill(here.id)
                self.host.show_title()

        self.app.push_screen(Ask("Name of the session", here.name, "a short name"), named)

    def action_export(self) -> None:
        from engine.report.session import session_document
        from engine.report.session_markdown import session_markdown
        from tui.cli.console import as_json
        from tui.files import file_name, write_new

        here = self._here
        if here is None:
            return

        def export() -> None:
            session = self.host.recorder.store.open(here.id)
            stem = file_name(f"session-{here.name}")
            data = write_new(Path.cwd() / f"{stem}.json", as_json(session_document(session)))
            text = write_new(Path.cwd() / f"{stem}.md", session_markdown(session))
            self.notify(safe(f"Wrote {data} and {text.name}"), markup=False)

        self.host.attempt(export)

    def action_delete(self) -> None:
        from tui.screens.dialogs import Confirm

        here = self._here
        if here is None:
            return

        def confirmed(yes: bool | None) -> None:
            if yes and self.host.attempt(lambda: self.host.recorder.store.delete(here.id)):
                self.host.forget_session(here.id)
                self._fill()

        what = f"{counted(here.queries, 'query')} and {counted(here.judgements, 'judgement')}"
        self.app.push_screen(Confirm(f"Delete “{here.name}” with {what}?", "Delete"), confirmed)

    def action_back(self) -> None:
        self.host.show_inspect()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("resume", "rename", "export", "delete"):
            return self.is_mounted and self._here is not None
        return True

    @on(LineTable.Moved)
    def _moved(self) -> None:
        self.refresh_bindings()
