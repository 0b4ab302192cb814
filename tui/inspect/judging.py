"""Judging in Inspect: marks, reasons and notes for the result under the cursor."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from engine.base.choices import Mode
from engine.keywords.judgement import REASON_MEANINGS, REASONS, Judgement, Mark, Reason
from engine.keywords.question import Question
from engine.sessions import JudgementChange, NoteDraft
from tui.inspect.panes import AnswerPanes
from tui.inspect.shown_answer import SelectedResult
from tui.look.nouns import OF_CLIPS, Nouns
from tui.look.safe import escape

if TYPE_CHECKING:
    from tui.inspect.host import InspectHost

_OF_KEYWORDS: tuple[Reason, ...] = ("missing keyword", "mapper error")


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
        """Mark the result and go on to the next one; None takes the mark off."""
        here = self._panes.selected
        if here is not None:
            self._mark(here, mark)

    def _mark(self, here: SelectedResult, mark: Mark | None, reason: Reason | None = None) -> None:
        # The note stays.
        judgement = replace(here.judgement, mark=mark, reason=reason, seen=here.seen)
        saved = self._judge(here, judgement)
        if saved and mark is not None and here.is_same(self._panes.selected):
            self._panes.results.cursor += 1

    def mark_bias(self) -> None:
        """Ask why, then mark."""
        from tui.dialogs.basic_dialogs import ChoiceDialog

        here = self._panes.selected
        if here is None:
            return

        def chosen(reason: str | None) -> None:
            # The result that was asked about, whatever has been answered in the meantime.
            if reason is not None:
                self._mark(here, "bias", cast(Reason, reason))

        options = list_reasons(self._host.nouns, here.inspection.mode)
        question = ChoiceDialog("Why is it a bias case?", options, here.judgement.reason)
        self._panes.results.app.push_screen(question, chosen)

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
        about = f"a on {draft.target.clip}, found for “{draft.target.query}”, goes on with it"
        self._host.warn(escape(f"A note is not finished; {about}: {draft.text}"))

    def _ask_for_note(self, here: SelectedResult, text: str) -> None:
        from tui.dialogs.basic_dialogs import NoteEditor

        before = here.judgement

        def written(note: str | None) -> None:
            if note is not None and note.strip() != before.note:
                # The mark stays, and what was seen when it was made.
                judgement = replace(before, note=note.strip(), seen=before.seen or here.seen)
                if not self._judge(here, judgement):
                    self._ask_for_note(here, note)  # what was typed is not lost
                    return
            self._keep_draft(None)  # last: until it is saved the note is a draft

        def typed(text: str) -> None:
            self._keep_draft(NoteDraft(here.target, text))

        typed(text)
        editor = NoteEditor(f"Note on {here.clip}", text, typed)
        self._panes.results.app.push_screen(editor, written)

    def _keep_draft(self, draft: NoteDraft | None) -> None:
        self._note_draft = self._told_of = draft
        self._host.recorder.place.remember_note(draft)

    def _judge(self, here: SelectedResult, judgement: Judgement) -> bool:
        saved = self._host.recorder.judge(here.target, judgement)
        if saved:
            self._panes.judge_again()  # the row shows the mark: no toast for what is seen
        return saved


def list_reasons(nouns: Nouns = OF_CLIPS, mode: Mode = "text") -> list[tuple[str, Reason, str]]:
    """The reasons with the digit that chooses each; no item lacks a label, and only texts are
    mapped to labels."""
    never: list[Reason] = ["missing keyword"] if mode == "text" else list(_OF_KEYWORDS)
    reasons = [one for one in REASONS if not (nouns.has_labels and one in never)]
    return [
        (str(n), one, nouns.spell(REASON_MEANINGS[one])) for n, one in enumerate(reasons, start=1)
    ]


def describe_change(change: JudgementChange, done: str, asked: Question) -> str:
    """What an undo or redo changed, and of which query, if another is asked now."""
    target = change.target
    elsewhere = (target.mode, target.query) != (asked.mode, asked.query)
    where = f"{target.clip}, asked as “{target.query}”" if elsewhere else target.clip
    before, after = (one.mark_in_words or "no mark" for one in (change.before, change.after))
    if change.before.mark == change.after.mark and change.before.reason == change.after.reason:
        what = "the note" if change.before.note or change.after.note else before
        return f"{done}: {what} on {where}"
    return f"{done}: {before} → {after} on {where}"
