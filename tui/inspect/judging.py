"""Judging in Inspect: marks, reasons and notes for the result under the cursor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.keywords.judgement import Judgement, Mark, Reason
from engine.sessions import NoteDraft
from tui.inspect.panes import AnswerPanes
from tui.inspect.shown_answer import SelectedResult
from tui.keys.keymap import find_keymap
from tui.look.safe import escape

if TYPE_CHECKING:
    from tui.inspect.host import InspectHost


class ResultJudge:
    """Asks what there is to say about a result, and writes it into the session."""

    def __init__(self, panes: AnswerPanes, host: InspectHost) -> None:
        self._panes = panes
        self._host = host
        self._note_draft: NoteDraft | None = None
        """A note that is not finished: it is being typed, or was when the session was left."""
        self._told_of: NoteDraft | None = None
        """The one that the user knows of."""

    def take_up(self, draft: NoteDraft | None) -> None:
        """Another session is looked at, in which this note is not finished; None: none is."""
        self._note_draft, self._told_of = draft, None

    def mark(self, mark: Mark | None) -> None:
        """Mark the result and go on to the next unjudged miss; None takes the mark off."""
        here = self._panes.selected
        if here is not None and self._mark(here, mark) and mark is not None:
            self._go_on(here)

    def _mark(self, here: SelectedResult, mark: Mark | None, reason: Reason | None = None) -> bool:
        # The note stays.
        judgement = replace(here.judgement, mark=mark, reason=reason, seen=here.seen)
        return self._judge(here, judgement, judgement.mark_in_words or "unmarked")

    def _go_on(self, here: SelectedResult) -> None:
        """To what is to be judged next, unless the user is elsewhere by now."""
        now = self._panes.selected
        if now is not None and now.target == here.target:
            self._panes.results.go_to_unjudged()

    def mark_bias(self) -> None:
        """Ask why, then mark."""
        from tui.dialogs.reasons import ask_for_reason

        here = self._panes.selected
        if here is None:
            return

        def chosen(reason: Reason, wants_note: bool) -> None:
            # The result that was asked about, whatever has been answered in the meantime.
            if not self._mark(here, "bias", reason):
                return
            if wants_note:
                marked = self._panes.find(here.target) or here
                self._ask_for_note(marked, marked.judgement.note, lambda: self._go_on(here))
            else:
                self._go_on(here)

        app, mode = self._panes.results.app, here.inspection.mode
        ask_for_reason(app, self._host.nouns, mode, here.judgement.reason, chosen)

    def note(self) -> None:
        """Ask for a note; the cursor stays."""
        here, draft = self._panes.selected, self._note_draft
        if here is not None:
            goes_on = draft is not None and draft.target == here.target
            self._ask_for_note(here, draft.text if draft and goes_on else here.judgement.note)

    def go_on_with_note(self, can_open: bool) -> None:
        """Open the editor again that was open when the session was left, once its result is there;
        if one does something else by then, only say that it waits."""
        draft = self._note_draft
        if draft is None or draft == self._told_of:
            return
        here = self._panes.find(draft.target)
        if here is not None and can_open:
            self._ask_for_note(here, draft.text)
            return
        self._told_of = draft
        key, target = find_keymap(self._host).say("results.note"), draft.target
        about = f"{key} on {target.clip}, found for “{target.query}”, goes on with it"
        self._host.warn(escape(f"A note is not finished; {about}: {draft.text}"))

    def _ask_for_note(
        self, here: SelectedResult, text: str, then: Callable[[], None] = lambda: None
    ) -> None:
        """Ask for the note of this very result, wherever the cursor is by now; `then` go on."""
        from tui.dialogs.basic_dialogs import NoteEditor

        before = here.judgement

        def written(note: str | None) -> None:
            if note is not None and note.strip() != before.note:
                # The mark stays, and what was seen when it was made.
                judgement = replace(before, note=note.strip(), seen=before.seen or here.seen)
                done = "note" if judgement.note else "no note"
                if not self._judge(here, judgement, done):
                    self._ask_for_note(here, note, then)  # what was typed is not lost
                    return
            self._keep_draft(None)  # last: until it is saved the note is a draft
            then()

        def typed(text: str) -> None:
            self._keep_draft(NoteDraft(here.target, text))

        typed(text)
        editor = NoteEditor(f"Note on {here.clip}", text, typed)
        self._panes.results.app.push_screen(editor, written)

    def _keep_draft(self, draft: NoteDraft | None) -> None:
        self._note_draft = self._told_of = draft
        self._host.recorder.place.remember_note(draft)

    def _judge(self, here: SelectedResult, judgement: Judgement, done: str) -> bool:
        """Whether it is so now; what was so before is no change."""
        if judgement == replace(here.judgement, seen=judgement.seen):
            return True
        saved = self._host.recorder.judge(here.target, judgement)
        if saved:
            self._panes.judge_again()
            self._host.say_done(f"{done} on #{here.place + 1:,} {here.clip}")
        return saved
