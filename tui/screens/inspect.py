"""Inspect: ask a query, step through its results, see why each was returned, and judge them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import BindingType
from textual.widgets import Input

from engine.errors import InputError
from engine.sessions import View
from tui.commands import bindings
from tui.fitting import fitted, known_groups
from tui.inquiry import Inquiry, similarity_of
from tui.inspected import Inspected
from tui.safe import safe
from tui.screens.inspect_marks import Marks
from tui.screens.inspect_panes import NOTHING_ASKED, InspectPanes
from tui.throttle import Rest
from tui.trail import Trail
from tui.widgets.frames_row import FramesRow
from tui.widgets.keyword_bar import KeywordBar, original_keywords
from tui.widgets.lines_view import LinesView
from tui.widgets.picker import Picker
from tui.widgets.query_bar import QueryBar
from tui.widgets.results import Results

if TYPE_CHECKING:
    from engine.groundtruth import GroundTruth
    from engine.inspection import Inspection
    from engine.workbench import Standing
    from tui.services import Opened

SAVED_RESULTS = 100
"""Results of a ranking that a session keeps."""

SLOW = 0.15
"""Seconds after which a question that is still open is said to take its time."""


class InspectScreen(InspectPanes):
    """The home screen."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("inspect")]
    pane = "inspect"

    def __init__(self, inquiry: Inquiry) -> None:
        super().__init__(inquiry)
        self.dived = False
        """The query was opened from the Evaluate screen, and Escape leads back there."""
        self._truth: GroundTruth | None = None
        self._trail = Trail()
        self._list_missed = False
        self._go_to: str | None = None
        self._resumes = False
        """A session is gone on with as soon as the annotations are read."""
        self._marks = Marks(self)
        self._take_long = Rest(self, SLOW, self._say_that_it_takes_long)

    def on_mount(self) -> None:
        self.results.act = self._act

    def opened(self, opened: Opened) -> None:
        """The files are read."""
        self._truth = truth = opened.truth
        self.query_one(QueryBar).completer = opened.completer
        before = self.inquiry
        if self._resumes:
            self._resumes = False
            self.inquiry = self._fitted(before)
        else:  # what is wrong with a query that was typed is the engine's to tell
            groups = self._fitted(Inquiry(before.model, before.groups)).groups
            self.inquiry = before.with_groups(groups, before.left_out)
        defaults, _ = known_groups(self.host.default_groups, truth)
        self.query_one(Picker).open(truth, defaults, self._choice())
        if not self.inquiry.query:
            self._say_what_counts()
        waits = self.inspected is None and not self.host.services.asking
        if self.inquiry.query and (waits or self.inquiry != before):
            self._send()

    def _fitted(self, inquiry: Inquiry) -> Inquiry:
        """The inquiry without what the annotations do not know, which is told."""
        # Those of all models: a clip that only this model lacks is the engine's to tell.
        fits = fitted(inquiry, self.host.services.dataset.truth)
        if fits.words:
            self.notify(safe(fits.words), severity="warning", markup=False, timeout=10)
        if fits.clip is not None:
            self.query_one(QueryBar).show("text", "")
        return fits.inquiry

    # Asking

    @on(QueryBar.Asked)
    def _asked(self, event: QueryBar.Asked) -> None:
        self.dived = False
        self.ask(self.inquiry.about(event.mode, event.query))
        self.set_focus(self.results)

    def ask(self, inquiry: Inquiry, clip: str | None = None) -> None:
        """Ask, and put the cursor on a clip: the one named, or the one it is on."""
        same = (inquiry.mode, inquiry.query) == (self.inquiry.mode, self.inquiry.query)
        self.inquiry = inquiry
        self._trail.go(inquiry.mode, inquiry.query)
        self._go_to = clip or (self.results.clip if same else None)
        if inquiry.query:
            self.query_one(QueryBar).show(inquiry.mode, inquiry.query)
        if inquiry.query and inquiry.groups:
            self._send()
        else:
            # Without groups the annotations are not read yet: it is asked when they are.
            self.query_one(Picker).show_choice(self._choice())
            self._say_what_counts()

    def _send(self) -> None:
        self.host.services.ask(self.inquiry.question, self._answered, self._not_answered)
        self._take_long()

    def _say_that_it_takes_long(self) -> None:
        if self.host.services.asking:
            state = self.host.services.encoder_state
            waits = self.inquiry.mode == "text" and state != "ready"
            what = f"waiting for the text encoder ({state}) …" if waits else "searching …"
            self.query_one(KeywordBar).say((what, "part"))

    def _not_answered(self, error: Exception) -> None:
        """What stood here before stays, and what was typed can be mended."""
        if self.inspection is not None:
            if self.inspection.query != self.inquiry.query:
                self.set_focus(self.query_one(QueryBar).field)
            self.inquiry = Inquiry.of(self.inspection.question)
            self._show_keywords(self.inspection)
            self.query_one(Picker).show_choice(self._choice())
        else:
            self.query_one(KeywordBar).say(("the query could not be answered", "miss"))
        self.host.tell(error)
        self.host.show_title()

    def _answered(self, inspection: Inspection) -> None:
        inspection = _unpinned(inspection)
        self.inquiry = Inquiry.of(inspection.question)
        other = self.host.other_model(inspection.question.model)
        standing = self._still_standing(inspection, other)
        missed = self._list_missed and bool(inspection.keywords)
        fresh = Inspected(inspection, standing=standing, missed=missed)
        self.inspected = fresh.judged(
            self.host.recorder.judgements(inspection.mode, inspection.query)
        )
        self._show_keywords(inspection)
        self.query_one(Picker).show_choice(self._choice())
        self._show_list(self._go_to)
        self._save()
        bar = self.query_one(QueryBar)
        bar.set_history(inspection.mode, self.host.recorder.history(inspection.mode))
        own = inspection.query if inspection.mode == "video" else None
        self.query_one(FramesRow).show_clip("query", own)
        if other is not None and standing is None:
            self.host.services.standing(
                inspection.question, other, self._got_standing, self._no_standing
            )
        self.host.show_title()
        self._show_frames_at_first()

    def _still_standing(self, inspection: Inspection, other: str | None) -> Standing | None:
        """Where the clips stand in the other model, if that was found out for this query."""
        before = self.inspected
        if before is None or before.standing is None or before.standing.model != other:
            return None
        asked = before.inspection.question
        same = (asked.mode, asked.query) == (inspection.mode, inspection.query)
        return before.standing if same else None

    def _got_standing(self, standing: Standing) -> None:
        if self.inspected is not None:
            self.inspected = replace(self.inspected, standing=standing)
            self._show_list(self.results.clip)

    def _no_standing(self, error: Exception) -> None:
        self.notify(safe(f"No ranks in the other model: {error}"), severity="warning", markup=False)

    def _save(self) -> None:
        from engine.saved import saved_answer

        if self.inspected is not None:
            answer = saved_answer(self.inspected.inspection, SAVED_RESULTS, self.inspected.pairs)
            self.host.recorder.record(answer)
            self._remember()

    # Keywords and groups

    @on(Picker.Chose)
    def _chose_groups(self, event: Picker.Chose) -> None:
        self.ask(self.inquiry.with_groups(event.groups, event.left_out))

    @on(Picker.Toggled)
    def _toggled_keyword(self, event: Picker.Toggled) -> None:
        if self.inspection is None:
            self.notify("Ask a query first: / for a text, c for a clip.", markup=False)
            return
        self._set_keyword(event.keyword, event.keyword not in map(str, self.inspection.keywords))

    @on(KeywordBar.Dropped)
    def _dropped(self, event: KeywordBar.Dropped) -> None:
        self._set_keyword(event.keyword, not event.dropped)

    def _set_keyword(self, keyword: str, wanted: bool) -> None:
        """Add or drop one; a keyword of a group that was not chosen brings its group along."""
        assert self.inspection is not None and self._truth is not None
        kept = tuple(name for name in map(str, self.inspection.keywords) if name != keyword)
        keywords = (*kept, keyword) if wanted else kept
        groups = {*self.inquiry.groups, *(name.partition(":")[0] for name in keywords)}
        chosen = tuple(group for group in self._truth.groups if group in groups)
        left_out = tuple(name for name in self.inquiry.left_out if name not in keywords)
        self.ask(self.inquiry.with_groups(chosen, left_out).with_keywords(keywords))

    @on(KeywordBar.Restored)
    def _restored(self) -> None:
        self.ask(self.inquiry.with_keywords(None))

    @on(KeywordBar.AddWanted)
    def _add_wanted(self) -> None:
        """Find a keyword by its name; Space then adds it."""
        self.action_pick()
        self.query_one(Picker).action_find()

    def action_pick(self) -> None:
        self.add_class("-picking")
        self.set_focus(self.query_one(Picker))

    # Judging

    def judged_anew(self, save: bool = True) -> None:
        """Read the judgements again and show what depends on them."""
        if self.inspected is None:
            return
        asked = self.inspected.inspection.question
        self.inspected = self.inspected.judged(
            self.host.recorder.judgements(asked.mode, asked.query)
        )
        if save:
            self._save()
        self.results.judge(self.inspected.judgements)
        self._show_metrics()
        self._paint_detail.now()

    def _act(self, action: str) -> None:
        """The commands of the list, by the name of their action."""
        {
            "mark_bias": self._marks.mark_bias,
            "mark_relevant": lambda: self._marks.mark("relevant"),
            "mark_not_relevant": lambda: self._marks.mark("not relevant"),
            "clear_mark": lambda: self._marks.mark(None),
            "note": self._marks.note,
            "more_like_this": self._more_like_this,
            "play": self._play,
            "open_clip": self._open_clip,
        }[action]()

    # The other commands

    def action_ask_text(self) -> None:
        self.query_one(QueryBar).begin("text")

    def action_ask_clip(self) -> None:
        self.query_one(QueryBar).begin("video")

    def action_edit_keywords(self) -> None:
        self.set_focus(self.query_one(KeywordBar))

    def action_toggle_missed(self) -> None:
        if self.inspected is not None:
            self._list_missed = not self.inspected.missed
            self.inspected = replace(self.inspected, missed=self._list_missed)
            self._show_list(self.results.clip)

    def action_least_similarity(self) -> None:
        from tui.screens.dialogs import Ask

        def typed(text: str | None) -> None:
            if text is None:
                return
            try:
                self.ask(self.inquiry.with_least(similarity_of(text)))
            except InputError as error:
                self.host.tell(error)

        now = self.inquiry.min_similarity
        hint = "results below it are shown, but do not count; empty: all count"
        asking = Ask("Least similarity", "" if now is None else f"{now:g}", hint, longest=20)
        self.app.push_screen(asking, typed)

    def action_all_metrics(self) -> None:
        from engine.metrics import SYMBOLS, profile
        from tui.metric_lines import metric_table
        from tui.screens.dialogs import Shown

        if self.inspected is not None:
            lines = metric_table(self.inspected.pairs, profile("alfa"), SYMBOLS, self.host.glyphs)
            self.app.push_screen(Shown("Metrics of this query", lines))

    def action_toggle_frames(self) -> None:
        if self.host.images.drawing == "off":
            self.notify(f"No frames here: {self.host.images.reason}", markup=False)
        else:
            self.host.frames_wanted = not self.query_one(FramesRow).display
            self._show_frames(self.host.frames_wanted)

    def action_copy(self) -> None:
        clip = self.results.clip
        if clip is not None:
            self.host.copy_to_clipboard(f"{clip}\t{self.host.media_path(clip)}")
            self.notify("Copied the clip's id and path. w writes to a file.", markup=False)

    def action_write(self) -> None:
        if self.inspected is not None:
            self.host.write_search(self.inspected.inspection, self.inspected.standing)

    def _more_like_this(self) -> None:
        clip = self.results.clip
        if clip is not None:
            self.dived = False
            self.ask(self.inquiry.about("video", clip))

    def _play(self) -> None:
        row = self.query_one(FramesRow)
        if not row.display:
            self.action_toggle_frames()
        if row.display:
            self._show_result_frames()
            self.call_after_refresh(row.play)

    def _open_clip(self) -> None:
        clip = self.results.clip
        if clip is not None:
            self.host.open_clip(clip)

    def action_next_query(self) -> None:
        self._step_query(1)

    def action_previous_query(self) -> None:
        self._step_query(-1)

    def _step_query(self, step: int) -> None:
        """Through the evaluated set if the query came from there, else back and forth through
        what was asked."""
        if self.dived:
            self.host.open_neighbour(step)
            return
        found = self._trail.step(step)
        if found is not None:
            self.ask(self.inquiry.about(*found))
        else:
            self.notify(f"No {'later' if step > 0 else 'earlier'} query.", markup=False)

    def action_back(self) -> None:
        """One level back."""
        if not isinstance(self.focused, Results):
            if isinstance(self.focused, Input):  # what was typed and not asked goes
                self.query_one(QueryBar).show(self.inquiry.mode, self.inquiry.query)
            self.set_focus(self.results)
        elif self.inspected is not None and self.inspected.missed:
            self.action_toggle_missed()
        elif self.dived:
            self.host.action_show_evaluate()

    def on_descendant_focus(self) -> None:
        self.set_class(isinstance(self.focused, Picker), "-picking")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("ask_text", "ask_clip"):
            # In a field one types already; the picker has a search of its own.
            return not isinstance(self.focused, Input | Picker)
        if action == "all_metrics":
            return self.inspected is not None and bool(self.inspected.pairs)
        if action in _ABOUT_AN_ANSWER:
            return self.inspected is not None
        if action == "toggle_missed":
            return self.inspection is not None and self.inspection.relevant > 0
        if action == "back":
            missed = self.inspected is not None and self.inspected.missed
            return not isinstance(self.focused, Results) or missed or self.dived
        return True

    # Sessions

    def resume(self, view: View) -> None:
        """Go on where a session stood."""
        if view.question is None:
            return
        inquiry = Inquiry.of(view.question)
        if inquiry.model not in self.host.models:
            gone = (
                f"The dataset has no model {inquiry.model} any more: {self.inquiry.model} is asked."
            )
            self.notify(safe(gone), severity="warning", markup=False)
            inquiry = inquiry.with_model(self.inquiry.model)
        self._list_missed = view.view == "missed"
        bar = self.query_one(QueryBar)
        bar.set_history("text", self.host.recorder.history("text"))
        bar.set_history("video", self.host.recorder.history("video"))
        if self._truth is not None:
            self.ask(self._fitted(inquiry), view.clip)
        else:
            # What of it there is still is known when the annotations are read: then it is asked.
            self._resumes = True
            self.inquiry, self._go_to = inquiry, view.clip
            self._trail.go(inquiry.mode, inquiry.query)
            bar.show(inquiry.mode, inquiry.query)

    def start_anew(self) -> None:
        """Clear the screen for a new session."""
        self.host.services.cancel_asking()
        self.inquiry = self.inquiry.about("text", "")
        self.inspected, self.dived, self._list_missed = None, False, False
        bar = self.query_one(QueryBar)
        bar.show("text", "")
        bar.set_history("text", ())
        bar.set_history("video", ())
        self.results.empty = NOTHING_ASKED
        self.results.clear()
        self.results.border_title = "Results"
        self._say_what_counts()
        self.query_one("#metrics", LinesView).show_lines([])
        self.query_one(FramesRow).show_clip("query", None)
        self.query_one(Picker).border_subtitle = ""
        self.query_one(Picker).show_choice(self._choice())


def _unpinned(inspection: Inspection) -> Inspection:
    """Keywords set by hand that are just what would be found anyway are not set by hand."""
    question = inspection.question
    if question.keywords is None:
        return inspection
    found = {
        keyword for keyword in original_keywords(inspection) if keyword in inspection.selection
    }
    if found != set(inspection.keywords):
        return inspection
    return replace(inspection, question=replace(question, keywords=None))


_ABOUT_AN_ANSWER = frozenset("edit_keywords copy write next_query previous_query".split())
