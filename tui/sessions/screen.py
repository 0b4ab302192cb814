"""Sessions: saved work, to go on with, to hand over, or to throw away."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol, cast

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen

from engine.base.errors import InputError
from engine.base.messages import pluralise
from engine.sessions import SessionSummary
from tui.keys.commands import make_bindings
from tui.keys.footer import KeyFooter
from tui.keys.keymap import find_keymap
from tui.look.glyphs import UNICODE
from tui.look.safe import escape
from tui.widgets.fitted_rows import FittedRows, SubjectTable
from tui.widgets.line_layout import LineCell, LineColumn
from tui.widgets.line_table import LineTable
from tui.widgets.title_bar import TitleBar

if TYPE_CHECKING:
    from tui.work.recorder import Recorder
    from tui.work.services import Services

NO_SESSIONS = (
    "No session is saved yet.\n\n"
    "A session begins with the first query you ask; from then on everything is saved as it "
    "happens.\n\n{app.show_inspect} goes to Inspect"
)
NO_SESSIONS_IN_MEMORY = (
    "There is no session yet.\n\n"
    "A session begins with the first query you ask. Nothing can be saved now: it is kept in memory "
    "until it can, or until you leave.\n\n{app.show_inspect} goes to Inspect"
)


class SessionsHost(Protocol):
    """What this screen needs of the app."""

    recorder: Recorder
    services: Services

    def resume_session(self, session_id: int) -> None: ...

    def new_session(self) -> None: ...

    def forget_session(self, session_id: int) -> None: ...

    def show_inspect(self) -> None: ...

    def show_title(self) -> None: ...

    def show_error(self, error: Exception) -> None: ...

    def attempt(self, work: Callable[[], object]) -> bool: ...


@dataclass(frozen=True, slots=True)
class SessionColumn:
    """A column and what stands in it; `from_width`: on narrower lines it is left out."""

    column: LineColumn
    text: Callable[[SessionSummary], str]
    from_width: int = 0


_FIELDS = (
    SessionColumn(LineColumn("id", 3, right=True), lambda one: str(one.id), from_width=66),
    SessionColumn(LineColumn("session", least=24), lambda one: one.name),
    SessionColumn(LineColumn("dataset", 14), lambda one: one.dataset_name, from_width=96),
    SessionColumn(LineColumn("queries", 7, right=True), lambda one: f"{one.queries:,}"),
    SessionColumn(LineColumn("judged", 6, right=True), lambda one: f"{one.judgements:,}"),
    SessionColumn(
        LineColumn("bias", 5, right=True), lambda one: f"{one.bias_cases:,}", from_width=71
    ),
    SessionColumn(LineColumn("notes", 6, right=True), lambda one: f"{one.notes:,}", from_width=100),
    SessionColumn(LineColumn("last query"), lambda one: one.last_query or "", from_width=117),
    SessionColumn(
        LineColumn("changed", 16), lambda one: f"{one.updated:%Y-%m-%d %H:%M}", from_width=66
    ),
)


class SessionRows(FittedRows[int | None, None]):
    """One row per session, the newest first; the table is the id of the session that is open."""

    rows: Sequence[SessionSummary]
    _fields: Sequence[SessionColumn] = ()

    def _lay_out(self, width: int) -> Iterable[LineColumn]:
        self._fields = [field for field in _FIELDS if field.from_width <= width]
        return (LineColumn("", 3), *map(self._fit_column, self._fields))

    def _fit_column(self, field: SessionColumn) -> LineColumn:
        """Names take what they need at most, and leave the rest to the others."""
        column = field.column
        if column.right or column.title == "changed":
            return column
        longest = max((cell_len(field.text(one)) for one in self.rows), default=0)
        most = max(longest, cell_len(column.title))
        if column.width is None:
            return column._replace(most=most)
        return column._replace(width=min(most, column.width))

    def cells(self, row: int) -> Sequence[LineCell]:
        self._fit()
        one = self.rows[row]
        now = one.id == self.table
        style = "strong" if now else ""
        texts = ((field.text(one), style) for field in self._fields)
        return (("now" if now else "", "mark"), *texts)


class SessionsTable(SubjectTable):
    """The list of sessions."""

    jump_key = "s"
    pane = "sessions"


class SessionsScreen(Screen[None]):
    """The saved sessions."""

    BINDINGS: ClassVar[list[BindingType]] = [*make_bindings("sessions")]
    AUTO_FOCUS = "#sessions"
    pane = "sessions"

    @property
    def host(self) -> SessionsHost:
        return cast("SessionsHost", self.app)

    def compose(self) -> ComposeResult:
        yield TitleBar()
        yield SessionsTable(find_keymap(self.app).spell(NO_SESSIONS), id="sessions")
        yield KeyFooter()

    @property
    def _table(self) -> SessionsTable:
        return self.query_one(SessionsTable)

    def on_mount(self) -> None:
        self.watch(self.app, "saving", lambda: self._fill(), init=False)

    def on_screen_resume(self) -> None:
        self._fill()

    def _fill(self, session: int | None = None) -> None:
        """Read the sessions again; the cursor stays on its session."""
        at = session if session is not None else (self._here.id if self._here else None)
        current = self.host.recorder.session
        try:
            summaries = self.host.recorder.store.summaries()
        except InputError as error:
            self.host.show_error(error)
            return
        ids = [summary.id for summary in summaries]
        cursor = ids.index(at) if at in ids else min(max(self._table.cursor, 0), len(ids))
        table, number = self._table, current.id if current else None
        rows = SessionRows(number, summaries, None, UNICODE, lambda: table.line_width)
        table.show(rows, cursor)
        self._say_where(len(ids))

    def _say_where(self, count: int) -> None:
        """How many there are, and in which file; a file that nothing can be written to is not where
        they are."""
        recorder, said = self.host.recorder, f"Sessions  {pluralise(count, 'session')}"
        saving, path = recorder.saving, str(recorder.store.path)
        none = NO_SESSIONS_IN_MEMORY if saving else NO_SESSIONS
        self._table.empty = find_keymap(self.app).spell(none)
        if saving:
            self.query_one(TitleBar).show(f"{said} in memory", f"cannot write {path}", alarm=saving)
        else:
            self.query_one(TitleBar).show(said, path)

    @property
    def _here(self) -> SessionSummary | None:
        return cast("SessionSummary | None", self._table.subject)

    @on(LineTable.Chosen, "#sessions")
    def action_resume(self) -> None:
        if self._here is not None:
            self.host.resume_session(self._here.id)

    def action_new(self) -> None:
        self.host.new_session()

    def action_rename(self) -> None:
        here = self._here
        if here is not None:
            self._ask_for_name(here, here.name)

    def _ask_for_name(self, here: SessionSummary, text: str) -> None:
        from tui.dialogs.basic_dialogs import TextPrompt

        def named(name: str | None) -> None:
            if not name:
                return
            if self.host.attempt(lambda: self.host.recorder.store.rename(here.id, name)):
                self._fill(here.id)
                self.host.show_title()
            else:
                self._ask_for_name(here, name)  # what was typed is not lost

        self.app.push_screen(TextPrompt("Name of the session", text, "a short name"), named)

    def action_export(self) -> None:
        def written(files: tuple[Path, Path]) -> None:
            data, text = files
            self.notify(escape(f"Wrote {data} and {text.name}"), markup=False)

        here, host = self._here, self.host
        if here is not None:
            host.services.documents.write_session(
                host.recorder.store, here, written, host.show_error
            )

    def action_delete(self) -> None:
        from tui.dialogs.basic_dialogs import ConfirmDialog

        here = self._here
        if here is None:
            return

        def confirmed(yes: bool | None) -> None:
            if yes and self.host.attempt(lambda: self.host.recorder.store.delete(here.id)):
                self.host.forget_session(here.id)
                self._fill()

        what = f"{pluralise(here.queries, 'query')} and {pluralise(here.judgements, 'judgement')}"
        self.app.push_screen(
            ConfirmDialog(f"Delete “{here.name}” with {what}?", "Delete"), confirmed
        )

    def action_back(self) -> None:
        self.host.show_inspect()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("resume", "rename", "export", "delete"):
            return self.is_mounted and self._here is not None
        return True

    @on(LineTable.Moved)
    def _moved(self) -> None:
        self.refresh_bindings()
