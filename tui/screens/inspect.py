"""Inspect: ask a query, step through its results, see why each was returned, and judge them."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.timer import Timer

from engine.judgement import Judgement, Mark, Reason
from engine.question import Mode, Question
from engine.sessions import View
from tui.commands import bindings
from tui.footer import KeyFooter
from tui.inquiry import Inquiry
from tui.judging import in_words, marked, noted, reason_options, seen_of, target_of
from tui.services import KS
from tui.widgets.frames_row import REST, FramesRow
from tui.widgets.keyword_bar import KeywordBar
from tui.widgets.line_table import LineTable
from tui.widgets.lines_view import Line, LinesView, Span, as_content
from tui.widgets.picker import Choice, Picker
from tui.widgets.query_bar import QueryBar
from tui.widgets.results import ResultRows, Results
from tui.widgets.title_bar import TitleBar

if TYPE_CHECKING:
    from engine.adjudication import MetricPair
    from engine.groundtruth import GroundTruth
    from engine.inspection import Inspection
    from engine.workbench import Standing
    from tui.app import InspectorApp

MOST_K = max(KS)
SAVED_RESULTS = 100
"""Results of a ranking that a session keeps."""

DETAIL_PAUSE = 0.12
"""Least seconds between two paintings of the detail while the cursor is held down."""

NOTHING_ASKED = (
    "Nothing is asked yet.\n\n"
    "/  type a text query, for example: cyclist entering ego lane\n"
    "c  search with a clip\n"
    "2  evaluate the whole query set, worst queries first\n"
    "?  help"
)


class Detail(LinesView):
    """The pane of the selected result."""

    jump_key = "d"
    pane = "detail"


class InspectScreen(Screen[None]):
    """The home screen."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("inspect")]
    AUTO_FOCUS = "#results"
    pane = "inspect"

    def __init__(self, inquiry: Inquiry) -> None:
        super().__init__()
        self.inquiry = inquiry
        self.inspection: Inspection | None = None
        self.judgements: dict[str, Judgement] = {}
        self.standing: Standing | None = None
        self.pairs: tuple[MetricPair, ...] = ()
        self.missed_shown = False
        self.dived = False
        """The query was opened from the Evaluate screen, and Escape leads back there."""
        self._truth: GroundTruth | None = None
        self._go_to: str | None = None
        self._painted_at = 0.0
        self._detail_timer: Timer | None = None
        self._frames_timer: Timer | None = None
        self._slow_timer: Timer | None = None

    @property
    def host(self) -> InspectorApp:
        return cast("InspectorApp", self.app)

    def compose(self) -> ComposeResult:
        yield TitleBar(id="title")
        yield QueryBar(id="query")
        yield KeywordBar(id="keywords")
        with Horizontal(id="body"):
            yield Picker(id="picker")
            with Vertical(id="list-pane"):
                yield Results(NOTHING_ASKED, id="results")
            yield Detail(id="detail")
        yield FramesRow(self.host.services, self.host.images, id="frames")
        yield LinesView(id="metrics")
        yield KeyFooter()

    def on_mount(self) -> None:
        self.query_one(Results).act = self._act
        self.query_one(Picker).border_title = "Groups"
        self.query_one(Results).border_title = "Results"
        self.query_one(Detail).border_title = "Detail"
        self.query_one("#metrics", LinesView).can_focus = False
        self._show_frames(self.host.images.drawing != "off")
        self.query_one(KeywordBar).say(("keywords of the query stand here", "dim"))

    # What is open

    def opened(self, truth: GroundTruth) -> None:
        """The annotations are read."""
        self._truth = truth
        groups = self.inquiry.groups or truth.groups
        self.inquiry = self.inquiry.with_groups(groups, self.inquiry.left_out)
        self.query_one(Picker).open(truth, self.host.default_groups or truth.groups, self._choice())
        self._show_relevant()

    def _choice(self) -> Choice:
        words = tuple(map(str, self.inspection.keywords)) if self.inspection else ()
        return Choice(self.inquiry.groups, self.inquiry.left_out, words)

    # Asking

    @on(QueryBar.Asked)
    def _asked(self, event: QueryBar.Asked) -> None:
        self.dived = False
        self.ask(self.inquiry.about(event.mode, event.query))
        self.query_one(Results).focus()

    def ask(self, inquiry: Inquiry, clip: str | None = None) -> None:
        """Ask, and put the cursor on a clip: the one named, or the one it is on."""
        self.inquiry = inquiry
        if not inquiry.query:
            self._show_choice()
            return
        same = self.inspection and self.inspection.question.query == inquiry.query
        self._go_to = clip or (self.query_one(Results).clip if same else None)
        self.query_one(QueryBar).show(inquiry.mode, inquiry.query)
        self.host.services.ask(inquiry.question, self._answered, self._failed)
        if self._slow_timer is not None:
            self._slow_timer.stop()
        self._slow_timer = self.set_timer(0.15, self._say_that_it_takes_long)

    def _say_that_it_takes_long(self) -> None:
        if not self.host.services.asking:
            return
        state = self.host.services.encoder_state
        waits = self.inquiry.mode == "text" and state != "ready"
        what = f"waiting for the text encoder ({state}) …" if waits else "searching …"
        self.query_one(KeywordBar).say((what, "part"))

    def _failed(self, error: Exception) -> None:
        if self.inspection is not None:
            self._show_keywords(self.inspection)
        else:
            self.query_one(KeywordBar).say(("the query could not be answered", "miss"))
        self.host.tell(error)

    def _answered(self, inspection: Inspection) -> None:
        other = self.host.other_model(inspection.question.model)
        if self.standing is not None and (
            self.standing.model != other
            or self.inspection is None
            or self.inspection.query != inspection.query
        ):
            self.standing = None
        self.inspection = inspection
        self.missed_shown = self.missed_shown and bool(inspection.keywords)
        self._read_judgements()
        bar = self.query_one(QueryBar)
        self._show_keywords(inspection)
        self._show_list(self._go_to)
        self._show_choice()
        self._save(inspection)
        bar.set_history(inspection.mode, self.host.recorder.history(inspection.mode))
        self.query_one(FramesRow).show_clip(
            "query", inspection.query if inspection.mode == "video" else None
        )
        if other is not None and self.standing is None:
            self.host.services.standing(
                inspection.question, other, self._got_standing, self._no_standing
            )
        self.host.show_title()

    def _got_standing(self, standing: Standing) -> None:
        self.standing = standing
        self._show_list(self.query_one(Results).clip)

    def _no_standing(self, error: Exception) -> None:
        """The other model does not know this query: there is no column for it."""
        self.standing = None

    def _save(self, inspection: Inspection) -> None:
        from engine.saved import saved_answer

        self.host.recorder.record(saved_answer(inspection, SAVED_RESULTS, self.pairs))
        self._remember()

    def _remember(self) -> None:
        if self.inspection is not None:
            view = "missed" if self.missed_shown else "ranking"
            clip = self.query_one(Results).clip
            self.host.recorder.remember(View(self.inspection.question, clip, "inspect", view))

    # Showing

    def _show_keywords(self, inspection: Inspection) -> None:
        relevant = f"{inspection.relevant:,} relevant of {inspection.reachable:,}"
        tail: tuple[Span, ...] = ((relevant, "hit" if inspection.relevant else "part"),)
        self.query_one(KeywordBar).show(inspection, tail if inspection.keywords else ())

    def _show_choice(self) -> None:
        self.query_one(Picker).choose(self._choice())
        self._show_relevant()

    def _show_relevant(self) -> None:
        picker = self.query_one(Picker)
        if self._truth is None:
            return
        if self.inspection is not None and self.inspection.keywords:
            count, total = self.inspection.relevant, self.inspection.reachable
            picker.border_subtitle = f"{count:,} relevant of {total:,}"
        else:
            picker.border_subtitle = f"{len(self._truth):,} clips"

    def _show_list(self, clip: str | None = None) -> None:
        """Fill the list; the cursor goes to the clip, if it is listed."""
        inspection, table = self.inspection, self.query_one(Results)
        if inspection is None:
            return
        places = inspection.missed(MOST_K) if self.missed_shown else range(inspection.depth)
        rows = ResultRows(
            inspection, places, self.judgements, self.standing, self.host.glyphs, MOST_K
        )
        table.empty = self._empty_list()
        place = inspection.place_of(clip) if clip is not None else None
        found = [row for row, at in enumerate(places) if at == place] if self.missed_shown else None
        cursor = (found[0] if found else 0) if found is not None else (place or 0)
        table.show(rows, cursor)
        table.border_title = self._list_title(len(places))
        self._show_metrics()

    def _list_title(self, rows: int) -> str:
        assert self.inspection is not None
        if self.missed_shown:
            cut = f", {self.inspection.unranked:,} deeper" if self.inspection.unranked else ""
            return f"Missed: {rows:,} relevant below the top {MOST_K}{cut}"
        total = self.inspection.reachable
        cut = "" if rows == total else f" of {total:,}, cut at {rows:,}"
        return f"Results: {rows:,} ranked{cut}"

    def _empty_list(self) -> str:
        if self.missed_shown:
            return "No relevant clip was missed.\n\nt shows the ranking again"
        return "No result."

    def _show_metrics(self) -> None:
        from engine.metrics import profile
        from tui.metric_lines import strip_lines

        if self.inspection is not None:
            lines = strip_lines(
                self.inspection, self.pairs, profile("alfa"), MOST_K, self.host.glyphs
            )
            self.query_one("#metrics", LinesView).show_lines(lines)

    # The cursor

    @on(LineTable.Moved, "#results")
    def _moved(self, event: LineTable.Moved) -> None:
        """Paint the detail at once, or, while a key is held down, some times a second."""
        self._remember()
        wait = self._painted_at + DETAIL_PAUSE - monotonic()
        if self._detail_timer is not None:
            self._detail_timer.stop()
            self._detail_timer = None
        if wait <= 0:
            self._show_detail()
        else:
            self._detail_timer = self.set_timer(wait, self._show_detail)
        if self._frames_timer is not None:
            self._frames_timer.stop()
        self._frames_timer = self.set_timer(REST, self._show_result_frames)

    def _show_detail(self) -> None:
        from tui.detail_lines import detail_lines

        self._painted_at = monotonic()
        place = self.query_one(Results).place
        pane = self.query_one(Detail)
        if self.inspection is None or place is None:
            pane.show_lines([Line.of(("No result is selected.", "dim"))])
            return
        judgement = self.judgements.get(self.inspection.clip(place), Judgement())
        pane.show_lines(
            detail_lines(self.inspection, place, judgement, self.standing, self.host.glyphs)
        )
        self.refresh_bindings()

    def _show_result_frames(self) -> None:
        self.query_one(FramesRow).show_clip("result", self.query_one(Results).clip)

    # Keywords and groups

    @on(Picker.Chose)
    def _chose_groups(self, event: Picker.Chose) -> None:
        self.ask(self.inquiry.with_groups(event.groups, event.left_out))

    @on(Picker.Toggled)
    def _toggled_keyword(self, event: Picker.Toggled) -> None:
        if self.inspection is None:
            self.notify("Ask a query first: / for a text, c for a clip.", markup=False)
            return
        now = tuple(map(str, self.inspection.keywords))
        self._set_keywords(
            tuple(name for name in now if name != event.keyword)
            if event.keyword in now
            else (*now, event.keyword)
        )

    @on(KeywordBar.Dropped)
    def _dropped(self, event: KeywordBar.Dropped) -> None:
        assert self.inspection is not None
        now = tuple(map(str, self.inspection.keywords))
        kept = tuple(name for name in now if name != event.keyword)
        self._set_keywords(kept if event.dropped else (*kept, event.keyword))

    def _set_keywords(self, keywords: tuple[str, ...]) -> None:
        """Keywords of groups that were not chosen bring their groups along."""
        assert self._truth is not None
        wanted = {*self.inquiry.groups, *(name.partition(":")[0] for name in keywords)}
        groups = tuple(group for group in self._truth.groups if group in wanted)
        left_out = tuple(name for name in self.inquiry.left_out if name not in keywords)
        self.ask(self.inquiry.with_groups(groups, left_out).with_keywords(keywords))

    @on(KeywordBar.Restored)
    def _restored(self) -> None:
        self.ask(self.inquiry.with_keywords(None))

    @on(KeywordBar.AddWanted)
    def _add_wanted(self) -> None:
        self.action_pick()

    # Judging

    def _act(self, action: str) -> None:
        {
            "mark_bias": self._mark_bias,
            "mark_relevant": lambda: self._mark("relevant"),
            "mark_not_relevant": lambda: self._mark("not relevant"),
            "clear_mark": lambda: self._mark(None),
            "note": self._note,
            "more_like_this": self._more_like_this,
            "play": self._play,
            "open_clip": self._open_clip,
        }[action]()

    def _mark(self, mark: Mark | None, reason: Reason | None = None) -> None:
        """Mark the result under the cursor and go on to the next."""
        inspection, place = self.inspection, self.query_one(Results).place
        if inspection is None or place is None:
            return
        before = self.judgements.get(inspection.clip(place), Judgement())
        self._judge(place, marked(before, mark, seen_of(inspection, place), reason))
        if mark is not None:
            self.query_one(Results).cursor += 1

    def _judge(self, place: int, judgement: Judgement) -> None:
        assert self.inspection is not None
        clip = self.inspection.clip(place)
        self.host.recorder.judge(target_of(self.inspection, place), judgement)
        self.judged_anew()
        self.notify(f"{clip}: {in_words(judgement)}", timeout=2, markup=False)

    def judged_anew(self) -> None:
        """Read the judgements again and show what depends on them."""
        if self.inspection is None:
            return
        self._read_judgements()
        self._save(self.inspection)
        table = self.query_one(Results)
        if table.rows is not None:
            table.rows.judgements = self.judgements
            table.redraw_row(table.cursor)
        self._show_metrics()
        self._show_detail()

    def _read_judgements(self) -> None:
        from tui.services import metric_pairs

        assert self.inspection is not None
        self.judgements = self.host.recorder.judgements(self.inspection.mode, self.inspection.query)
        self.pairs = metric_pairs(self.inspection, self.judgements)

    def _mark_bias(self) -> None:
        from tui.screens.dialogs import Choose

        def chosen(reason: Reason | None) -> None:
            if reason is not None:
                self._mark("bias", reason)

        self.app.push_screen(Choose("Why is it a bias case?", reason_options()), chosen)

    def _note(self) -> None:
        from tui.screens.dialogs import NoteEditor

        inspection, place = self.inspection, self.query_one(Results).place
        if inspection is None or place is None:
            return
        before = self.judgements.get(inspection.clip(place), Judgement())

        def written(note: str | None) -> None:
            if note is not None:
                self._judge(place, noted(before, note, seen_of(inspection, place)))

        self.app.push_screen(NoteEditor(f"Note on {inspection.clip(place)}", before.note), written)

    # The other commands

    def action_ask_text(self) -> None:
        self.query_one(QueryBar).begin("text")

    def action_ask_clip(self) -> None:
        self.query_one(QueryBar).begin("video")

    def action_pick(self) -> None:
        self.add_class("-picking")
        self.query_one(Picker).focus()

    def action_edit_keywords(self) -> None:
        self.query_one(KeywordBar).focus()

    def action_toggle_missed(self) -> None:
        clip = self.query_one(Results).clip
        self.missed_shown = not self.missed_shown
        self._show_list(clip)

    def action_all_metrics(self) -> None:
        from engine.metrics import SYMBOLS, profile
        from tui.metric_lines import metric_table
        from tui.screens.dialogs import Shown

        lines = metric_table(self.pairs, profile("alfa"), SYMBOLS)
        self.app.push_screen(Shown("Metrics of this query", as_content(lines)))

    def action_toggle_frames(self) -> None:
        if self.host.images.drawing == "off":
            self.notify(f"Frames are off: {self.host.images.reason}", markup=False)
            return
        self._show_frames(not self.query_one(FramesRow).shown)

    def _show_frames(self, shown: bool) -> None:
        row = self.query_one(FramesRow)
        row.display = shown
        if shown:
            self.call_after_refresh(row.refresh_clips)

    def action_copy(self) -> None:
        clip = self.query_one(Results).clip
        if clip is not None:
            self.host.copy_to_clipboard(f"{clip}\t{self.host.media_path(clip)}")
            self.notify("Copied the clip's id and path. w writes to a file.", markup=False)

    def action_write(self) -> None:
        if self.inspection is not None:
            self.host.write_search(self.inspection)

    def _more_like_this(self) -> None:
        clip = self.query_one(Results).clip
        if clip is not None:
            self.dived = False
            self.ask(self.inquiry.about("video", clip))

    def _play(self) -> None:
        row = self.query_one(FramesRow)
        if not row.shown:
            self.action_toggle_frames()
        if row.shown:
            self._show_result_frames()
            row.play()

    def _open_clip(self) -> None:
        clip = self.query_one(Results).clip
        if clip is not None:
            self.host.open_clip(clip)

    def action_next_query(self) -> None:
        self._step_query(1)

    def action_previous_query(self) -> None:
        self._step_query(-1)

    def _step_query(self, step: int) -> None:
        if self.dived:
            self.host.open_neighbour(step)
            return
        mode: Mode = self.inquiry.mode
        history = self.query_one(QueryBar).history(mode)
        if self.inquiry.query not in history:
            return
        place = history.index(self.inquiry.query) + step
        if 0 <= place < len(history):
            self.ask(self.inquiry.about(mode, history[place]))
        else:
            self.notify("No further query in the history.", markup=False)

    def action_back(self) -> None:
        """One level back."""
        table = self.query_one(Results)
        if self.focused is not table:
            table.focus()
        elif self.missed_shown:
            self.action_toggle_missed()
        elif self.dived:
            self.host.action_show_evaluate()

    def on_descendant_focus(self) -> None:
        self.set_class(isinstance(self.focused, Picker), "-picking")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("edit_keywords", "all_metrics", "copy", "write"):
            return self.inspection is not None
        if action == "toggle_missed":
            return self.inspection is not None and bool(self.inspection.keywords)
        if action in ("next_query", "previous_query"):
            return self.inspection is not None
        if action == "back":
            return not isinstance(self.focused, Results) or self.missed_shown or self.dived
        return True

    def start_anew(self) -> None:
        """Clear the screen for a new session."""
        self.host.services.cancel_asking()
        self.inquiry = self.inquiry.about("text", "")
        self.inspection, self.standing, self.judgements, self.pairs = None, None, {}, ()
        self.missed_shown = self.dived = False
        self.query_one(QueryBar).show("text", "")
        for mode in ("text", "video"):
            self.query_one(QueryBar).set_history(mode, ())
        table = self.query_one(Results)
        table.empty = NOTHING_ASKED
        table.clear()
        table.border_title = "Results"
        self.query_one(KeywordBar).say(("keywords of the query stand here", "dim"))
        self.query_one("#metrics", LinesView).show_lines([])
        self.query_one(FramesRow).show_clip("query", None)
        self._show_choice()

    def resume(self, view: View) -> None:
        """Go on where a session stood."""
        if view.question is None:
            return
        question: Question = view.question
        self.missed_shown = view.view == "missed"
        self.ask(Inquiry.of(question), view.clip)
