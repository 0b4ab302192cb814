"""Inspect: ask a query, step through its results, see why each was returned, and judge them."""

from __future__ import annotations

from dataclasses import replace
from functools import partialmethod
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widgets import Input

from engine.base.choices import Mode
from engine.keywords.question import Question
from tui.frames.frames_row import FramesRow
from tui.inspect.answer_files import AnswerFiles
from tui.inspect.asker import Asker
from tui.inspect.editing import KeywordEditor
from tui.inspect.host import InspectHost, Origin
from tui.inspect.judging import ResultJudge
from tui.inspect.keyword_bar import KeywordBar
from tui.inspect.panes import AnswerPanes, Detail, MetricStrip
from tui.inspect.picker import Picker
from tui.inspect.query_bar import QueryBar
from tui.inspect.results import ResultTable
from tui.inspect.title import describe_encoder, describe_what_is_asked
from tui.keys.commands import make_bindings
from tui.keys.footer import KeyFooter
from tui.widgets.line_table import LineTable
from tui.widgets.title_bar import TitleBar

if TYPE_CHECKING:
    from engine.dataset.ground_truth import GroundTruth
    from engine.keywords.inspection import Inspection
    from engine.sessions import SessionView

_ABOUT_AN_ANSWER = frozenset("edit_keywords copy write next_query previous_query".split())


class InspectScreen(Screen[None]):
    """The home screen: its panes, and the parts that know what to do with them."""

    BINDINGS: ClassVar[list[BindingType]] = [*make_bindings("inspect")]
    AUTO_FOCUS = "#results"
    pane = "inspect"

    def __init__(self, question: Question, host: InspectHost) -> None:
        super().__init__()
        self.host = host
        self.dived: Origin | None = None
        """The table from which the query was opened, and to which Escape leads back."""
        self._title = TitleBar()
        self._bar = QueryBar(host.nouns, id="query")
        self._keywords = KeywordBar(id="keywords")
        self._picker = Picker(id="picker")
        self.results = ResultTable(id="results")
        self._detail = Detail(id="detail")
        self._strip = MetricStrip(id="metrics")
        self._frames = FramesRow(host.services.frames, host.images, host.frames_wanted, id="frames")
        self.panes = AnswerPanes(self.results, self._detail, self._strip, host)
        bars = self._bar, self._keywords, self._picker
        self.asker = Asker(question, bars, self.panes, host, self._changed)
        self.editor = KeywordEditor(self._keywords, self._picker, self.asker, host)
        self._judge = ResultJudge(self.panes, host)
        self._files = AnswerFiles(self.panes, host)
        self.action_copy, self.action_write = self._files.copy, self._files.write
        self.action_toggle_missed = self.panes.toggle_missed
        self.action_all_metrics = self.panes.show_all_metrics
        self.action_least_similarity = self.asker.ask_for_least_similarity
        self.action_take_nearest, self.action_learn = self.editor.take_nearest, self.editor.learn

    def compose(self) -> ComposeResult:
        yield self._title
        yield self._bar
        yield self._keywords
        with Horizontal(id="body"):
            yield self.results
            # The frame is the pane's, so that a changed line is sent without it.
            with Vertical(id="detail-pane"):
                yield self._detail
            yield self._picker
        yield self._frames
        yield self._strip
        yield KeyFooter()

    def on_mount(self) -> None:
        self.results.acts = {
            "mark_bias": self._judge.mark_bias,
            "mark_relevant": lambda: self._judge.mark("relevant"),
            "mark_not_relevant": lambda: self._judge.mark("not relevant"),
            "clear_mark": lambda: self._judge.mark(None),
            "note": self._judge.note,
            "more_like_this": self._more_like_this,
            "play": self._play,
            "open_clip": self._files.open_clip,
        }
        self.results.empty = self.panes.nothing_asked
        self.results.border_title = "Results"
        self._picker.border_title = "Groups"
        self.query_one("#detail-pane").border_title = "Detail"
        self.asker.say_what_counts()

    # What the app wants of it

    @property
    def question(self) -> Question:
        """What is asked."""
        return self.asker.talk.question

    @property
    def truth(self) -> GroundTruth | None:
        """The clips of the model that is asked; None: the annotations are not read yet."""
        return self.asker.truth

    @property
    def inspection(self) -> Inspection | None:
        """What is shown."""
        return self.panes.inspection

    def dive(
        self,
        origin: Origin,
        mode: Mode,
        query: str,
        keywords: tuple[str, ...],
        model: str | None = None,
    ) -> None:
        """Ask a query of a table, judged by the keywords that it has there."""
        self.dived = origin
        # A clip's keywords are its own; a text's may be others than the mapper would find.
        pinned = keywords if mode == "text" else None
        asked = self.question.about(mode, query)
        self.asker.ask(replace(asked, model=model or asked.model, keywords=pinned))

    def resume(self, view: SessionView) -> None:
        """Go on where a session stood, also in the middle of a text."""
        self.host.recorder.place.take_up(view)
        self.asker.resume(view)
        self._judge.take_up(view.note_draft)
        if view.query_draft is not None:
            # Under the editor of a note nobody was in the field.
            self._bar.go_on_with(view.query_draft, takes_focus=view.note_draft is None)

    def start_over(self) -> None:
        """Clear the screen for a new session."""
        self.dived = None
        self._judge.take_up(None)
        self.asker.start_over()
        self._frames.show_clip("query", None)

    def show_title(self) -> None:
        left = describe_what_is_asked(self.host, self.question, self.truth)
        room = self.size.width - cell_len(left) - 4
        encoder = describe_encoder(self.host, self.question.model, room)
        recorder = self.host.recorder
        self._title.show(left, *filter(None, (encoder, recorder.name)), alarm=recorder.saving)

    def tick(self) -> None:
        """Time goes by: what loads says for how long, the same in both places."""
        self.show_title()
        self.asker.waiting.tick()

    # What the parts say

    def _changed(self, found: Inspection | None) -> None:
        if found is not None:
            self._frames.show_clip("query", found.query if found.mode == "video" else None)
            self._frames.make_room()
            self._judge.go_on_with_note(self.is_current and self.focused is self.results)
        self._remember_typed()
        self.show_title()

    @on(Input.Changed, "#query-field")
    def _remember_typed(self) -> None:
        """A query that is typed and not answered is there again after a lost connection."""
        is_wanted = self.focused is self._bar.field or not self.asker.is_shown
        draft = self._bar.find_draft(self.inspection) if is_wanted else None
        self.host.recorder.place.remember_query(draft)

    @on(QueryBar.Asked)
    def _asked(self, event: QueryBar.Asked) -> None:
        self.dived = None
        self.asker.ask(self.question.about(event.mode, event.query))
        self.set_focus(self.results)

    @on(Picker.Chose)
    def _chose_groups(self, event: Picker.Chose) -> None:
        self.asker.ask(replace(self.question, groups=event.groups, left_out=event.left_out))

    @on(Picker.Toggled)
    def _toggled_keyword(self, event: Picker.Toggled) -> None:
        if self.question.query:
            self.editor.edit(event.keyword, None)
        else:
            first = self.host.nouns.spell("Ask a query first: / for a text, c for a clip.")
            self.notify(first, markup=False)

    @on(KeywordBar.Dropped)
    def _dropped(self, event: KeywordBar.Dropped) -> None:
        self.editor.edit(event.keyword, not event.dropped)

    @on(KeywordBar.Restored)
    def _restored(self) -> None:
        self.asker.restore_keywords()

    @on(KeywordBar.AddWanted)
    def _add_wanted(self) -> None:
        self.editor.add()

    @on(LineTable.Moved, "#results")
    def _moved(self) -> None:
        self.panes.moved()
        self._frames.select(self.results.clip)

    def on_resize(self) -> None:
        if self.inspection is not None:
            self._frames.make_room()

    def on_descendant_focus(self) -> None:
        self.set_class(isinstance(self.focused, Picker), "-picking")
        self._remember_typed()

    # Commands

    def action_ask_text(self) -> None:
        self._bar.begin("text")

    def action_ask_clip(self) -> None:
        self._bar.begin("video")

    def action_pick(self) -> None:
        self.add_class("-picking")
        self.set_focus(self._picker)

    def action_edit_keywords(self) -> None:
        self.set_focus(self._keywords)

    def action_toggle_frames(self) -> None:
        self._frames.toggle(is_read=self.truth is not None)

    def _more_like_this(self) -> None:
        clip = self.results.clip
        if clip is not None:
            self.dived = None
            self.asker.ask(self.question.about("video", clip))

    def _play(self) -> None:
        if not self._frames.display:
            self.action_toggle_frames()
        if self._frames.display:
            self._frames.show_result()
            self.call_after_refresh(self._frames.play)

    def _step_query(self, step: int) -> None:
        """Through the evaluated set if the query came from there, else back and forth through
        what was asked."""
        if self.dived:
            if not self.dived.open_neighbour(step):
                self.notify("No further query in the table.", markup=False)
            return
        found = self.asker.talk.trail.step(step)
        if found is not None:
            self.asker.ask(self.question.about(*found))
        else:
            self.notify(f"No {'later' if step > 0 else 'earlier'} query.", markup=False)

    action_next_query = partialmethod(_step_query, 1)
    action_previous_query = partialmethod(_step_query, -1)

    def action_back(self) -> None:
        """One level back."""
        if not isinstance(self.focused, ResultTable):
            if isinstance(self.focused, Input):
                self.asker.forget_typed()
            self.set_focus(self.results)
        elif self.asker.waiting.known is not None:
            never_shown = not self.asker.is_shown
            self.asker.give_up()
            if self.dived and never_shown:
                self.dived.show()
        elif self._lists_missed:
            self.action_toggle_missed()
        elif self.dived:
            self.dived.show()

    @property
    def _lists_missed(self) -> bool:
        return self.panes.shown is not None and self.panes.shown.missed

    @property
    def quiet_actions(self) -> frozenset[str]:
        """What would only say why it does nothing."""
        bar = self._keywords
        possible = {"take_nearest": bool(bar.offers), "learn": bar.lesson is not None}
        return frozenset(action for action, can in possible.items() if not can)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        shown = self.panes.shown
        if action in ("ask_text", "ask_clip"):
            # In a field one types already; the picker has a search of its own.
            return not isinstance(self.focused, Input | Picker)
        if action == "all_metrics":
            return shown is not None and bool(shown.answer.pairs)
        if action in _ABOUT_AN_ANSWER:
            return shown is not None
        if action == "toggle_missed":
            return shown is not None and shown.inspection.relevant > 0
        if action == "back":
            at_home = isinstance(self.focused, ResultTable)
            waits = self.asker.waiting.known is not None
            return not at_home or waits or self._lists_missed or bool(self.dived)
        return True
