"""Asking in Inspect: a question goes out, its answer is shown, judged and saved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from textual import on

from engine.base.errors import InputError
from engine.sessions import View
from tui.frames.frames_row import FramesRow
from tui.inspect.fitting import fitted, known_groups
from tui.inspect.inquiry import Edit, Inquiry, edited
from tui.inspect.inspected import Inspected
from tui.inspect.keyword_bar import KeywordBar, original_keywords
from tui.inspect.panes import InspectPanes, MetricStrip
from tui.inspect.picker import Picker
from tui.inspect.query_bar import QueryBar
from tui.inspect.trail import Trail
from tui.look.safe import safe
from tui.work.throttle import Rest

if TYPE_CHECKING:
    from engine.dataset.ground_truth import GroundTruth
    from engine.keywords.inspection import Inspection
    from engine.keywords.workbench import Standing
    from tui.work.services import Opened

SAVED_RESULTS = 100
"""Results of a ranking that a session keeps."""

SLOW = 0.15
"""Seconds after which a question that is still open is said to take its time."""


class InspectAsking(InspectPanes):
    """What is asked, what was answered, and where a session stood; the commands are
    `InspectScreen`'s."""

    def __init__(self, inquiry: Inquiry) -> None:
        super().__init__(inquiry)
        self.dived = ""
        """The screen from whose table the query was opened, and to which Escape leads back."""
        self._truth: GroundTruth | None = None
        self._trail = Trail()
        self._list_missed = False
        self._go_to: str | None = None
        self._edits: list[Edit] = []
        """Keywords added or dropped before the query's own are known."""
        self._brought: set[str] = set()
        """Groups that keywords added by hand have brought along."""
        self._resumes = False
        """A session is gone on with as soon as the annotations are read."""
        self._take_long = Rest(self, SLOW, self._say_that_it_takes_long)

    def opened(self, opened: Opened) -> None:
        """The files are read."""
        before = self.inquiry
        self._use(opened)
        if self._resumes:
            self._resumes = False
            self.inquiry = self._fitted(before)
        else:  # what is wrong with a query that was typed is the engine's to tell
            groups = self._fitted(Inquiry(before.model, before.groups)).groups
            self.inquiry = before.with_groups(groups, before.left_out)
        self.query_one(Picker).open(opened.truth, self._default_groups, self._choice())
        if not self.inquiry.query:
            self._say_what_counts()
        waits = self.inspected is None and not self.host.services.asking
        if self.inquiry.query and (waits or self.inquiry != before):
            self._send()

    def _use(self, opened: Opened) -> None:
        """Show the clips of a model: counts, completion and title are about those it knows."""
        if self._truth is opened.truth:
            return
        first, self._truth = self._truth is None, opened.truth
        self.query_one(QueryBar).completer = opened.completer
        if not first:
            self.query_one(Picker).use(opened.truth)
        self.host.show_title()

    @property
    def truth(self) -> GroundTruth | None:
        """The clips of the model that is asked; None: the annotations are not read yet."""
        return self._truth

    @property
    def _default_groups(self) -> tuple[str, ...]:
        assert self._truth is not None
        return known_groups(self.host.default_groups, self._truth)[0]

    def _fitted(self, inquiry: Inquiry) -> Inquiry:
        """The inquiry without what the annotations do not know, which is told."""
        # Those of all models: a clip that only this model lacks is the engine's to tell.
        fits = fitted(inquiry, self.host.services.dataset.truth)
        words = fits.told(self.host.nouns)
        if words:
            self.notify(safe(words), severity="warning", markup=False, timeout=10)
        if fits.clip is not None:
            self.query_one(QueryBar).show("text", "")
        return fits.inquiry

    # Asking

    @on(QueryBar.Asked)
    def _asked(self, event: QueryBar.Asked) -> None:
        self.dived = ""
        self.ask(self.inquiry.about(event.mode, event.query))
        self.set_focus(self.results)

    def ask(self, inquiry: Inquiry, clip: str | None = None) -> None:
        """Ask, and put the cursor on a clip: the one named, or the one it is on."""
        inquiry = self._meant(inquiry)
        same = (inquiry.mode, inquiry.query) == (self.inquiry.mode, self.inquiry.query)
        if not same:
            self._edits.clear()
            self._brought = set()
        self.inquiry = inquiry
        self._trail.go(inquiry.mode, inquiry.query)
        self._go_to = clip or (self.results.clip if same else None)
        self.query_one(Picker).show_choice(self._choice())  # at once: the next key may change it
        if inquiry.query:
            self.query_one(QueryBar).show(inquiry.mode, inquiry.query)
        if inquiry.query and inquiry.groups:
            self._send()
        else:
            # Without groups the annotations are not read yet: it is asked when they are.
            self._say_what_counts()

    def _meant(self, inquiry: Inquiry) -> Inquiry:
        """About the item that was meant, if that can be told already; what cannot be found is the
        engine's to tell."""
        if self._truth is None:
            return inquiry
        try:
            meant = self.host.services.meant(inquiry.question, self._truth)
        except InputError:
            return inquiry
        return replace(inquiry, query=meant.query)

    def edit_keywords(self, edits: Sequence[Edit]) -> None:
        """Add or drop some; a keyword of a group that was not chosen brings its group along.

        Until the query's own keywords are known, what is edited waits for them.
        """
        known = self.keywords_now
        if known is None or self._truth is None:
            self._edits += edits
            return
        keywords = edited(known, edits)
        named = {name.partition(":")[0] for name in keywords}
        groups = ({*self.inquiry.groups} - self._brought) | named  # what came along goes along
        chosen = tuple(group for group in self._truth.groups if group in groups)
        self._tell_of_new_groups(chosen)
        left_out = tuple(name for name in self.inquiry.left_out if name not in keywords)
        self.ask(self.inquiry.with_groups(chosen, left_out).with_keywords(keywords))

    def _tell_of_new_groups(self, chosen: tuple[str, ...]) -> None:
        """A group that comes along with a keyword counts from now on, for every query."""
        new = tuple(group for group in chosen if group not in self.inquiry.groups)
        if new:
            self._brought |= set(new)
            names = ", ".join(group.replace("_", " ") for group in new)
            self.notify(safe(f"Counts now, too: {names}. R takes it back."), markup=False)

    def restore_keywords(self) -> None:
        """Back to the keywords as they were mapped, without the groups that others brought."""
        groups = tuple(group for group in self.inquiry.groups if group not in self._brought)
        self._brought = set()
        asked = self.inquiry.with_groups(groups or self.inquiry.groups, self.inquiry.left_out)
        self.ask(asked.with_keywords(None))

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
        self._edits.clear()
        if self.inspection is not None:
            another = self.inspection.query != self.inquiry.query
            self.inquiry = Inquiry.of(self.inspection.question)
            self._use(self.host.services.opened(self.inquiry.model))
            self._show_keywords(self.inspection)
            self.query_one(Picker).show_choice(self._choice())
            if another:
                self.set_focus(self.query_one(QueryBar).field)
                below = f"below is still “{safe(self.inquiry.query)}”, Escape goes back to it"
                self.query_one(KeywordBar).say((f"not answered; {below}", "miss"))
        else:
            self.query_one(KeywordBar).say(("the query could not be answered", "miss"))
        self.host.tell(error)
        self.host.show_title()

    def _answered(self, inspection: Inspection) -> None:
        inspection = _unpinned(inspection)
        self._show_what_was_meant(inspection)
        self.inquiry = Inquiry.of(inspection.question)
        self._use(self.host.services.opened(self.inquiry.model))
        other = self.host.other_model(inspection.question.model)
        standing = self._still_standing(inspection, other)
        missed = self._list_missed and bool(inspection.keywords)
        fresh = Inspected(inspection, standing=standing, missed=missed, nouns=self.host.nouns)
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
        if self._edits:
            edits, self._edits = self._edits, []
            self.edit_keywords(edits)

    def _show_what_was_meant(self, inspection: Inspection) -> None:
        """An item that was asked by its row before the files were read has an id."""
        bar, asked = self.query_one(QueryBar), self.inquiry
        if inspection.mode == asked.mode and inspection.query != asked.query:
            self._trail.rename(inspection.mode, inspection.query)
            if bar.field.value == bar.shown(asked.query):
                bar.show(inspection.mode, inspection.query)

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
        none = self.host.nouns.spell("No ranks in the other model")
        self.notify(safe(f"{none}: {error}"), severity="warning", markup=False)

    def _save(self) -> None:
        from engine.sessions.saved_answer import saved_answer

        if self.inspected is not None:
            inspected, language = self.inspected, self.host.services.language
            answer = saved_answer(inspected.inspection, SAVED_RESULTS, inspected.pairs, language)
            self.host.recorder.record(answer)
            self._remember()

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

    # Sessions

    def resume(self, view: View) -> None:
        """Go on where a session stood."""
        if view.question is None:
            return
        inquiry = Inquiry.of(view.question)
        if inquiry.model not in self.host.models:
            none = self.host.nouns.spell("The dataset has no model")
            gone = f"{none} {inquiry.model} any more: {self.inquiry.model} is asked."
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
        self.inspected, self.dived, self._list_missed = None, "", False
        self._trail = Trail()
        self._edits.clear()
        bar = self.query_one(QueryBar)
        bar.show("text", "")
        bar.set_history("text", ())
        bar.set_history("video", ())
        self.results.empty = self.nothing_asked
        self.results.clear()
        self.results.border_title = "Results"
        self._say_what_counts()
        self.query_one(MetricStrip).show_lines([])
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
