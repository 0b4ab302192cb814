"""The base of screens that run the query set: modes, work under way, plots, a way to Inspect."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, cast

from rich.cells import cell_len
from textual import on
from textual.content import Content
from textual.widgets import Static

from engine.base.arrays import Bools, Ints
from engine.base.choices import Mode
from engine.base.errors import InputError
from engine.compare.saved_side import SavedSide
from engine.keywords.evaluated_run import EvaluatedRun
from engine.keywords.judgement import Judgement, JudgementContext, Target
from engine.keywords.query_filter import Filter
from engine.sessions import TableRow, TableScreenName, TableView
from tui.look.safe import escape
from tui.shell.just_done import SAID_FOR, JustDone, name_way_back
from tui.shell.listing import D, K, R
from tui.shell.progress_text import describe_age, describe_failure
from tui.shell.query_judge import QueryJudge, identify_query, list_signs
from tui.shell.table_place import find_saved_row, name_order, name_row, restore_order
from tui.shell.table_screen import TableScreen
from tui.shell.work_line import Work, WorkLine
from tui.widgets.fitted_rows import Sort, SubjectTable
from tui.widgets.lines_view import Line
from tui.widgets.plot_pane import PlotPane
from tui.work.recorder import Recorder
from tui.work.scope import Scope
from tui.work.services import SavedServices, Services

if TYPE_CHECKING:
    from tui.shell.base_app import BaseApp

AGE_TICK = 30.0
"""Seconds between two looks at how long ago something was evaluated."""

_JUDGING = frozenset({"mark_bias", "note", "clear_mark"})
NO_SESSION = "Nothing is judged here: saved results without their dataset have no session."
FILTER_HELP = 'words  kw:NAME  kw:"TWO WORDS"  {measure}<0.4  R>=10  -TERM'


class RunHost(Protocol):
    """What a screen that runs the query set needs of the app."""

    @property
    def services(self) -> Services | SavedServices: ...

    @property
    def evaluation_scope(self) -> Scope:
        """What a run would look at now."""

    @property
    def dataset_name(self) -> str: ...

    @property
    def recorder(self) -> Recorder | None:
        """The session that judgements go into; None: there is none."""

    def show_inspect(self) -> None: ...

    def remember_table(self, table: TableView) -> None:
        """Keep what is listed now, for when the session is resumed."""


class RunScreen(TableScreen[R, K, D]):
    """Runs the query set and lists what came of it, for texts and for videos.

    A screen composes a `Static` called "title", the `work_line` and a `PlotPane` called "plots".
    """

    DEFAULT_CSS: ClassVar[str] = """
    RunScreen {
        #title {
            height: 2;
            padding: 0 1;
            background: $surface;
            text-wrap: nowrap;
            text-overflow: ellipsis;
        }
        #summary {
            height: auto;
            max-height: 5;
            padding: 0 1;
            &.-failed { color: $text-error; }
        }
        #tables { height: 1fr; }
        #plots { display: none; padding: 0 1; }
        &.-plotting #plots { display: block; }
    }
    """
    heading: ClassVar[str]
    place_name: ClassVar[TableScreenName]
    """What a session calls it."""
    metrics_heading: ClassVar[str] = "Metrics"

    def __init__(
        self,
        mode: Mode = "text",
        modes: Sequence[Mode] = ("text", "video"),
        at_once: Collection[Mode] = (),
        host: RunHost | None = None,
    ) -> None:
        """`at_once`: the modes that are run as soon as they are looked at. `host`: None is the
        app."""
        super().__init__(mode)
        self._given_host = host
        self._modes = modes
        self._at_once = at_once
        self._judged: Mapping[str, Judgement] = {}
        """What was said about queries of the mode, as the rows show it."""
        self._just_done = JustDone()
        self.work_line = WorkLine(f"{self.place_name}.back", id="summary")

    # What a screen says of its own

    @property
    def _scope(self) -> Scope | None:
        """What a run would look at now; None: none is possible."""
        return self._run_host.evaluation_scope.of_mode(self.mode)

    def _run(self, scope: Scope, kept: bool) -> tuple[Work, Callable[..., Callable[[], None]]]:
        """The work that a run is, and what starts it; `kept`: what an earlier program has kept
        will do."""
        raise NotImplementedError

    def _recall(
        self, scope: Scope, done: Callable[[R | None], None], failed: Callable[[Exception], None]
    ) -> None:
        """Look for what an earlier program has kept; `done` hears of it, or that there is none."""
        raise NotImplementedError

    def _sort_keys(self, result: R) -> Sequence[K]:
        """All that it can be sorted by, however wide the screen is."""
        raise NotImplementedError

    def _same_row(self, before: R, row: int, now: R) -> int | None:
        """Where the query of an earlier result stands in this one."""
        return find_saved_row(self._table(now), name_row(self._table(before), row))

    def _settle(self, result: R) -> None:
        """Give up what was chosen for an earlier result and does not exist in this one."""

    def _dive(self, result: R, row: int) -> None:
        """Open a query in Inspect."""
        raise NotImplementedError

    def _evaluations(self, result: R) -> Sequence[EvaluatedRun | SavedSide]:
        """What is drawn."""
        raise NotImplementedError

    def _title_parts(self) -> list[str]:
        """What is listed, and in which order."""
        raise NotImplementedError

    def _metric_lines(self, result: R, width: int) -> list[Line]:
        """Every metric, and how it is computed."""
        raise NotImplementedError

    # Parts

    @property
    def _run_host(self) -> RunHost:
        return self._given_host or cast("RunHost", self.app)

    @property
    def plots(self) -> PlotPane:
        return self.query_one("#plots", PlotPane)

    @property
    def _busy(self) -> bool:
        return self.work_line.work is not None

    @property
    def _filter_help(self) -> str:
        result = self.listing.result
        table = None if result is None else self._table(result)
        measure = self._nouns.measure if table is None else table.label(table.main)
        return FILTER_HELP.format(measure=measure)

    def _parsed(self, result: R, text: str) -> Filter:
        chosen: Filter = self._table(result).parse(text)
        return chosen

    def _arrangement(self, result: R, sort: Sort[K]) -> tuple[Ints, Bools]:
        table = self._table(result)
        kept = table.matching(self.listing.filter or Filter())
        return table.order(sort.key, sort.descending), kept

    def _go_home(self) -> Callable[[], object]:
        return self._run_host.show_inspect

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "toggle_mode" and len(self._modes) < 2:
            return False
        if action in ("run", "toggle_mode"):
            return not self._busy and self._scope is not None
        if action in _JUDGING and not self._can_judge:
            return False
        if action == "clear_mark":
            here = self._find_judged()
            said = None if here is None else self._judged.get(here[0].query)
            return said is not None and said.mark is not None
        if action == "dive" and self.side == "plotting" and self.plots.has_focus:
            return False  # no row is chosen there
        return super().check_action(action, parameters)

    def on_screen_resume(self) -> None:
        self.scope_changed()

    def scope_changed(self) -> None:
        """The app's model or groups are others; the table says what it was made with."""
        if self.is_mounted:
            self.show_state()
            self._look_for_earlier()

    # What a session keeps of it

    def _remember_place(self) -> None:
        if self.is_current:
            self._run_host.remember_table(self._table_view())

    def _table_view(self) -> TableView:
        listing = self.listing
        run = tuple(mode for mode in self._modes if self._is_run(mode))
        table = None if listing.result is None else self._table(listing.result)
        order = name_order(listing, table)
        return TableView(self.place_name, self.mode, run, listing.filter_text, *order)

    def _is_run(self, mode: Mode) -> bool:
        """Whether there is something to list, or will be."""
        is_under_way = self._busy and mode == self.mode
        return is_under_way or mode in self._at_once or self._listings[mode].result is not None

    def take_up(self, table: TableView) -> None:
        """List what was listed when the session was left; before the screen is shown."""
        if table.mode in self._modes:
            self.mode = table.mode
            self.listing.filter_text = table.filter
            self._at_once = table.run
            self.listing.left = table

    # The run

    def on_mount(self) -> None:  # beside that of the table: Textual calls both
        self.watch(self.app, "saving", self._show_title, init=False)
        self.set_interval(AGE_TICK, self._show_age)
        self._run_at_once()

    def _run_at_once(self) -> None:
        if self.mode in self._at_once and self.listing.result is None:
            self._begin_run(kept=True)
        else:
            self._look_for_earlier()

    def _look_for_earlier(self) -> None:
        """Without anything to list: list what an earlier program has kept of it."""
        scope = self._scope
        if self.listing.result is None and not self._busy and scope is not None:
            found = partial(self._recalled, self.mode, scope)
            self._recall(scope, found, lambda _: None)  # a run says what is wrong

    def _recalled(self, mode: Mode, scope: Scope, result: R | None) -> None:
        """Show what an earlier program has found, unless something else is wanted by now."""
        is_wanted = mode == self.mode and scope == self._scope and not self._busy
        if result is not None and is_wanted and self.listing.result is None:
            self._done(scope, result)

    def _explain_no_texts(self, *models: str) -> str:
        """Why texts cannot be asked, before anybody waits for them; empty: they can, or none
        are."""
        if self.mode != "text" or self._run_host.services.takes_texts(*models):
            return ""
        toggle = self._keymap.say(f"{self.place_name}.toggle_mode")
        other = f"\n\n{toggle} changes to video queries." if len(self._modes) > 1 else ""
        return (
            "Text queries need an encoder of these embeddings' space: start with --encoder FOLDER."
            f"{other}"
        )

    def _show_age(self) -> None:
        if self._made is not None and self.is_current:
            self._show_title()

    @property
    def _made(self) -> datetime | None:
        """When what is listed was evaluated by an earlier program; None: it was evaluated here."""
        result = self.listing.result
        sides = () if result is None else self._evaluations(result)
        made = [one.made for one in sides if isinstance(one, EvaluatedRun)]
        return min((time for time in made if time is not None), default=None)

    def action_run(self) -> None:
        self._begin_run(kept=False)

    def _begin_run(self, *, kept: bool) -> None:
        if self._scope is None:
            return
        work, start = self._run(self._scope, kept)
        if self.mode == "text":
            models = work.parts or (work.scope.model,)
            work.waits_for = lambda: self._run_host.services.find_loading(*models)
        self.listing.failure = ""
        self.work_line.begin(work, start, partial(self._done, work.scope), self._failed)
        self.show_state()

    def _stop(self) -> None:
        self.work_line.cancel()
        self.show_state()

    def _done(self, scope: Scope, result: R) -> None:
        listing = self.listing
        if listing.result is None:
            restore_order(listing, self._table(result), self._sort_keys(result))
        elif listing.current is not None:
            listing.current = self._same_row(listing.result, listing.current, result)
        listing.result, listing.scope = result, scope
        try:
            listing.filter = self._parsed(result, listing.filter_text)
        except InputError:
            listing.filter_text, listing.filter = "", Filter()
        self._settle(result)
        self.show()
        pane = self._side_pane
        self._fill_side(result, pane.subject if isinstance(pane, SubjectTable) else None)
        self._go_on_with_note()

    def _failed(self, error: Exception) -> None:
        self.listing.failure = describe_failure(error)
        self.show_state()

    def action_toggle_mode(self) -> None:
        self._turn_to(self._modes[(self._modes.index(self.mode) + 1) % len(self._modes)])
        self.show()
        self._run_at_once()

    def _turn_to(self, mode: Mode) -> None:
        self._leave_side()
        self.filter_field.close()
        self.mode = mode

    @on(WorkLine.NextPart)
    def _show_title(self) -> None:
        host, dot = self._run_host, f" {self._glyphs.dot} "
        now = self._scope
        made = self.listing.scope or now
        saving = cast("BaseApp", self.app).saving
        parts, about = self._title_parts(), [host.dataset_name]
        if made is not None:
            about.append(self._glyphs.spell(made.describe(dot)))
            if now is not None and now != made:
                model = f" ({now.model})" if now.model != made.model else ""
                again = self._keymap.say(f"{self.place_name}.run")
                parts.insert(1, f"made with other settings: {again} runs it again{model}")
            elif (time := self._made) is not None:
                again = self._keymap.say(f"{self.place_name}.run")
                parts.insert(1, f"evaluated {describe_age(time)}; {again} runs it again")
        alarm = f"{dot}{saving}" if saving else ""
        room = self.size.width - 2 - cell_len(self.heading + alarm + dot)
        done = self._just_done.describe(self._standing, room, self._glyphs)
        self.query_one("#title", Static).update(
            Content.assemble(
                (self.heading, "bold"),
                (alarm, "bold $warning"),
                f"{dot}{escape(done or dot.join(about))}\n",
                escape(dot.join(parts)),
            )
        )

    def say_done(self, text: str, *, undone: bool = False) -> None:
        """Say in the title what was just done or `undone`, for a while, or until something else
        is."""
        way_back = name_way_back(self._keymap, undone=undone)
        self._just_done = JustDone(text, way_back, self._standing)
        self._show_title_again()
        self.app.set_timer(SAID_FOR, self._show_title_again)

    def _show_title_again(self) -> None:
        if self.is_mounted:  # else it is shown once it is
            self._show_title()

    @property
    def _standing(self) -> tuple[object, ...]:
        """What was changed up to now: what was done last is said of this."""
        recorder = self._run_host.recorder
        return () if recorder is None else recorder.position

    # Every metric, and plots

    def action_all_metrics(self) -> None:
        from tui.dialogs.basic_dialogs import TextDialog

        if self.listing.result is not None:
            width = min(100, self.size.width * 94 // 100) - 7  # of the dialog's inside
            lines = self._metric_lines(self.listing.result, width)
            self.app.push_screen(TextDialog(self._nouns.spell(self.metrics_heading), lines))

    def action_plots(self) -> None:
        self._toggle_side("plotting", self.plots)

    def _fill_side(self, result: R, on: Any = None) -> None:
        if self.side == "plotting":
            self.plots.say("Drawing …")
            self._run_host.services.evaluations.curves(
                self._evaluations(result),
                self.plots.show_curves,
                lambda error: self.plots.say(describe_failure(error)),
            )

    # Judging

    @property
    def _can_judge(self) -> bool:
        """Whether the keys are about the rows: with a pane beside them, while they have the
        focus."""
        on_rows = not self.side or self.queries.has_focus
        return on_rows and self._run_host.recorder is not None

    @property
    def _judge(self) -> QueryJudge | None:
        recorder = self._run_host.recorder
        return (
            None
            if recorder is None
            else QueryJudge(self.app, recorder, self._nouns, self._say_judged)
        )

    def _say_judged(self, text: str) -> None:
        self.show()
        self.say_done(text)

    def _signs(self) -> Mapping[str, str]:
        judge = self._judge
        self._judged = {} if judge is None else judge.read(self.mode)
        return list_signs(self._judged, self._glyphs)

    def _judged_scope(self, result: R, made: Scope) -> tuple[str, tuple[str, ...]]:
        """The model whose results are judged, and the groups that count."""
        return made.model, made.groups

    def _find_judged(self) -> tuple[Target, JudgementContext] | None:
        """The query under the cursor, as what is judged."""
        result, row, made = self.listing.result, self.row, self.listing.scope
        if result is None or row is None or made is None or not self._can_judge:
            return None
        table = self._table(result)
        keywords = tuple(map(str, table.keywords(row)))
        scope = self._judged_scope(result, made)
        return identify_query(self.mode, table.name(row), *scope, keywords)

    def say_why_not_judged(self, action: str) -> str:
        if self._run_host.recorder is None:
            return NO_SESSION
        if action not in ("mark_relevant", "mark_not_relevant"):
            return ""
        opens = f"{{{self.place_name}.dive}} opens those of a query."
        return f"{{results.mark_relevant}} and {{results.mark_not_relevant}} judge results: {opens}"

    def action_mark_bias(self) -> None:
        judge, here = self._judge, self._find_judged()
        if judge is not None and here is not None:
            judge.mark_bias(*here)

    def action_note(self) -> None:
        judge, here = self._judge, self._find_judged()
        if judge is not None and here is not None:
            judge.note(*here)

    def _go_on_with_note(self) -> None:
        """Open the editor again that was open when the session was left, in its row."""
        judge = self._judge
        draft = None if judge is None else judge.find_draft(self.mode)
        if judge is None or draft is None or not self.is_current or not self.queries.has_focus:
            return
        self.go_to_query(draft.mode, draft.query)
        here = self._find_judged()
        if here is not None and here[0] == draft:
            judge.note(*here)

    def action_clear_mark(self) -> None:
        judge, here = self._judge, self._find_judged()
        if judge is not None and here is not None:
            judge.clear(*here)

    def _find_row(self, mode: Mode, query: str) -> int | None:
        listing = self._listings.get(mode)  # none: of queries that no set has
        result = None if listing is None else listing.result
        return None if result is None else find_saved_row(self._table(result), TableRow(query, 0))

    def lists(self, mode: Mode, query: str) -> bool:
        return self._find_row(mode, query) is not None

    def go_to_query(self, mode: Mode, query: str) -> None:
        if mode not in ("text", "video"):  # no set has such queries
            return
        if self._listings[mode].result is None:  # once there are rows
            left = self._listings[mode].left or TableView(self.place_name, mode, (), "")
            self._listings[mode].left = replace(left, row=TableRow(query, 0))
        if not self.is_mounted:
            self.mode = mode if mode in self._modes else self.mode
            return
        if mode != self.mode and not self._busy and self._listings[mode].result is not None:
            self._turn_to(mode)
        listing = self.listing
        row = self._find_row(mode, query) if mode == self.mode else None
        listing.current = listing.current if row is None else row
        self.show()
        if row is not None and row not in listing.rows:  # what hides it gives way
            listing.dived = None
            self._use_filter("", Filter())

    # Into Inspect

    def open_row(self) -> bool:
        """Dive into the row under the cursor; False: there is none."""
        result, row = self.listing.result, self.row
        if result is None or row is None:
            return False
        # Opening a query is choosing it, even if a filter put the cursor there.
        self.listing.current = row
        self._dive(result, row)
        return True

    def open_neighbour(self, step: int) -> bool:
        """Dive into the row so many further; False at an end of the table."""
        place = self.queries.cursor + step
        if self.listing.row_at(place) is None:
            return False
        self.queries.cursor = place
        return self.open_row()
