"""Inspect: ask a query, step through its results, see why each was returned, and judge them."""

from __future__ import annotations

from dataclasses import replace
from functools import partialmethod
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.events import ScreenResume
from textual.screen import Screen
from textual.widgets import Input

from engine.base.choices import Mode
from engine.keywords.question import Question
from tui.frames.frame_display import FrameDisplay
from tui.frames.frames_row import FramesRow
from tui.frames.picture_pane import PicturePane
from tui.inspect.answer_files import AnswerFiles
from tui.inspect.asker import Asker
from tui.inspect.editing import KeywordEditor
from tui.inspect.host import InspectHost, Origin
from tui.inspect.judging import ResultJudge
from tui.inspect.keyword_bar import KeywordBar
from tui.inspect.panes import AnswerPanes, Detail, MetricStrip
from tui.inspect.picker import Picker
from tui.inspect.query_bar import QueryBar
from tui.inspect.result_filter_bar import ResultFilterBar
from tui.inspect.results import ResultTable
from tui.inspect.title import describe_encoder, describe_what_is_asked
from tui.keys.commands import make_bindings
from tui.keys.footer import KeyFooter
from tui.keys.keymap import find_keymap
from tui.shell.just_done import JustDone, name_way_back
from tui.widgets.line_table import LineTable
from tui.widgets.title_bar import LEFT_LEAST, TitleBar

if TYPE_CHECKING:
    from engine.dataset.ground_truth import GroundTruth
    from engine.keywords.inspection import Inspection
    from engine.sessions import SessionView
    from tui.frames.large_frame import LargeFrame
    from tui.inspect.clip_chooser import ClipChooser

TEXT_ROWS = 8
"""Of the detail that are seen below a picture, besides one for each group: the clip, the verdict,
its other keywords, the similarity, the other model's rank, the mark and the note."""

_ABOUT_AN_ANSWER = frozenset("edit_keywords copy write next_query previous_query".split())


class InspectScreen(Screen[None]):
    """The home screen: its panes, and the parts that know what to do with them."""

    BINDINGS: ClassVar[list[BindingType]] = [*make_bindings("inspect")]
    AUTO_FOCUS = "#results"
    pane = "inspect"

    def __init__(self, question: Question, host: InspectHost) -> None:
        super().__init__()
        self.host = host
        self._was_shown = False
        self._goes_on = True
        """Nothing was asked here yet: an answer goes on with what was left the time before."""
        self.dived: Origin | None = None
        """The table from which the query was opened, and to which Escape leads back."""
        self._title = TitleBar()
        self._done = JustDone()
        self._bar = QueryBar(self._make_chooser, host.nouns, id="query")
        self._bar.model = question.model
        self._is_unread = False
        self._keywords = KeywordBar(id="keywords")
        self._picker = Picker(id="picker")
        self.results = ResultTable(id="results")
        self._detail = Detail(id="detail")
        self._strip = MetricStrip(id="metrics")
        frames, images = host.services.frames, host.images
        self._row = FramesRow(frames, images, id="frames")
        # The frame is the pane's, so that a changed line is sent without it.
        self._pane = PicturePane(self._make_picture, self._detail, id="detail-pane")
        self.frames = FrameDisplay(
            self._row,
            self._pane,
            frames,
            images,
            host.frames,
            lambda view: host.remember("frames", view),
        )
        self.panes = AnswerPanes(self.results, self._detail, self._strip, host)
        self._filter = ResultFilterBar(self.panes)
        bars = self._bar, self._keywords, self._picker
        self.asker = Asker(question, bars, self.panes, host, self._changed)
        self.editor = KeywordEditor(self._keywords, self._picker, self.asker, host)
        self._judge = ResultJudge(self.panes, host, lambda: self.question)
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
        with Horizontal(id="body", classes="panes"):
            yield self.results
            yield self._pane
            yield self._picker
        yield self._filter
        yield self._row
        yield self._strip
        yield KeyFooter()

    def _make_picture(self) -> LargeFrame:
        from tui.frames.large_frame import LargeFrame

        return LargeFrame(self.host.services.frames, self.host.images, id="large-frame")

    def _make_chooser(self) -> ClipChooser:
        from tui.inspect.clip_chooser import ClipChooser

        services, host = self.host.services, self.host
        parts = services.clips, services.frames, host.images, host.glyphs, host.nouns
        return ClipChooser(*parts, id="chooser")

    def on_mount(self) -> None:
        self.results.acts = {
            "mark_bias": self._judge.mark_bias,
            "mark_relevant": lambda: self._judge.mark("relevant"),
            "mark_not_relevant": lambda: self._judge.mark("not relevant"),
            "clear_mark": lambda: self._judge.mark(None),
            "note": self._judge.note,
            "more_like_this": self._more_like_this,
            "play": self.frames.play,
            "previous_frame": lambda: self.frames.step(-1),
            "next_frame": lambda: self.frames.step(1),
            "zoom_picture": self._zoom_picture,
            "open_clip": self._files.open_clip,
            "filter": self._filter.open,
        }
        self.results.can_zoom = lambda: self.frames.is_wanted and not self.has_class("-zoomed")
        self.results.can_play = lambda: self.frames.can_show
        self.results.empty = self.panes.nothing_asked
        self.results.border_title = "Results"
        self._picker.border_title = "Groups"
        self._pane.border_title = "Detail"
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
        given = keywords if mode == "text" else None
        asked = replace(self.question.about(mode, query), keywords=None, given=given)
        self.asker.ask_of_table(asked, model or asked.model)

    def resume(self, view: SessionView) -> None:
        """Go on where a session stood, also in the middle of a text."""
        self.host.recorder.place.take_up(view)
        self.asker.resume(view)
        self._judge.begin_anew()
        if view.query_draft is not None:
            # Under the editor of a note nobody was in the field.
            self._bar.go_on_with(view.query_draft, takes_focus=view.note_draft is None)

    def start_over(self) -> None:
        """Clear the screen for a new session."""
        self.dived = None
        self._judge.begin_anew()
        self.asker.start_over()
        self.frames.show_query(None)

    def show_title(self) -> None:
        left = describe_what_is_asked(
            self.host, self.question, self.truth, is_unread=self._is_unread
        )
        room = self.size.width - cell_len(left) - 4
        encoder = describe_encoder(self.host, self.question.model, room)
        recorder = self.host.recorder
        alarm = recorder.saving
        kept = cell_len(alarm) + 1 if alarm else min(cell_len(left), LEFT_LEAST)
        room = self.size.width - kept - 4
        done = self._done.describe(self._standing, room, self.host.glyphs)
        states = filter(None, (done, encoder, recorder.name))
        self._title.show(left, *states, alarm=alarm)

    def say_unread(self) -> None:
        """Say that what is asked about could not be read; a message has said why."""
        self._is_unread = True
        self.asker.say_unread()
        self.show_title()

    def say_done(self, text: str, *, undone: bool = False) -> None:
        """Say in the title what was just done or `undone`, for a while, or until something else is
        asked or done."""
        way_back = name_way_back(find_keymap(self.app), undone=undone)
        self._done = JustDone(text, way_back, self._standing)
        self.show_title()

    @property
    def _standing(self) -> tuple[object, ...]:
        """What was changed up to now, and what is asked: what was done last is said of this."""
        asked = self.question
        return *self.host.recorder.position, self.editor.learned, asked.mode, asked.query

    def tick(self) -> None:
        """Time goes by: what loads says for how long, the same in both places."""
        self.show_title()
        self.asker.waiting.tick()

    # What the parts say

    def _changed(self, found: Inspection | None) -> None:
        if found is not None:
            self.frames.show_query(found.question.clip)
            self.frames.make_room(TEXT_ROWS + len(found.selection.groups))
            if self._goes_on and self.host.was_zoomed(self, "detail"):
                # Behind the news that it is hidden, which would take the focus from it again.
                self._detail.call_later(self.set_focus, self._detail)
            self._goes_on = False
            self._judge.go_on_with_note(self.is_current and self.focused is self.results)
        self.set_class(self.truth is not None, "-grouped")
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
        self.dived, self._goes_on = None, False
        self.asker.ask(self.asker.find_question(event.mode, event.query))
        self.set_focus(self.results)

    @on(Picker.Chose)
    def _chose_groups(self, event: Picker.Chose) -> None:
        self.asker.change(replace(self.question, groups=event.groups, left_out=event.left_out))

    @on(Picker.Toggled)
    def _toggled_keyword(self, event: Picker.Toggled) -> None:
        if self.question.query:
            self.editor.edit(event.keyword, None)
        else:
            first = (
                "Ask a query first: {inspect.ask_text} for a text, {inspect.ask_clip} for a clip."
            )
            said = self.host.nouns.spell(find_keymap(self.app).spell(first))
            self.notify(said, markup=False)

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
        self.frames.select(self.results.clip)

    def on_screen_resume(self, event: ScreenResume) -> None:
        # A screen that is new was styled a moment ago.
        event.refresh_styles = event.refresh_styles and self._was_shown
        self._was_shown = True
        if self.is_mounted:
            self.show_title()  # what was done elsewhere came after what was said here

    def on_resize(self) -> None:
        if self.inspection is not None:
            self.frames.make_room()

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

    def action_run(self) -> None:
        """The same again: of a text that could not be answered, or a file that was changed."""
        self.asker.ask(self.question)

    def action_edit_keywords(self) -> None:
        self.set_focus(self._keywords)

    def action_toggle_frames(self) -> None:
        self.frames.cycle()

    def _zoom_picture(self) -> None:
        """The picture on the whole screen, beside what was asked."""
        from tui.frames.picture_screen import PictureScreen
        from tui.inspect.result_zoom import ResultZoom

        view = ResultZoom(self.panes, self.host)
        moment = self.frames.cover()
        screen = PictureScreen(view, self.host.services.frames, self.host.images, moment)

        def left(_: None) -> None:
            self.panes.described = lambda: None
            self.frames.uncover(screen.moment)

        self.panes.described = screen.show_again
        self.app.push_screen(screen, left)

    def _more_like_this(self) -> None:
        clip = self.results.clip
        if clip is not None:
            self.dived = None
            self.asker.ask(self.question.about("video", clip))

    def _step_query(self, step: int) -> None:
        """Through the evaluated set if the query came from there, else back and forth through
        what was asked."""
        if self.dived:
            if not self.dived.open_neighbour(step):
                self.notify("No further query in the table.", markup=False)
            return
        found = self.asker.talk.trail.step(step)
        if found is not None:
            self.asker.ask(self.asker.find_question(*found))
        else:
            self.notify(f"No {'later' if step > 0 else 'earlier'} query.", markup=False)

    action_next_query = partialmethod(_step_query, 1)
    action_previous_query = partialmethod(_step_query, -1)

    def action_back(self) -> None:
        """One level back."""
        if self._filter.is_open:
            self._filter.give_up()
        elif not isinstance(self.focused, ResultTable):
            if isinstance(self.focused, Input):
                self.asker.forget_typed()
            self.set_focus(self.results)
        elif self.asker.waiting.known is not None:
            never_shown = not self.asker.is_shown
            self.asker.give_up()
            if self.dived and never_shown:
                self.dived.show()
        elif self._filter.text:
            self._filter.clear()
        elif self._lists_missed:
            self.action_toggle_missed()
        elif self.dived:
            self.dived.show()
        elif self.has_class("-zoomed"):
            self.host.action_zoom()

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
        if action == "run":
            return bool(self.question.query)
        if action in _ABOUT_AN_ANSWER:
            return shown is not None
        if action == "toggle_missed":
            return shown is not None and shown.inspection.relevant > 0
        if action == "back":
            at_home = isinstance(self.focused, ResultTable)
            waits = self.asker.waiting.known is not None
            narrowed = bool(self._filter.text) or self._lists_missed or self.has_class("-zoomed")
            return not at_home or waits or narrowed or bool(self.dived)
        return True
