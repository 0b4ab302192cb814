"""Judging in Inspect: marks, reasons and notes for the result under the cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, cast

from engine.keywords.judgement import Judgement, Mark, Reason
from tui.inspect.judging import marked, noted, reason_options, seen_of, target_of

if TYPE_CHECKING:
    from engine.keywords.inspection import Inspection
    from tui.inspect.screen import InspectScreen


Here: TypeAlias = "tuple[Inspection, int, Judgement]"
"""A result: its query's answer, its place, and what was said about it."""


class Marks:
    """Writes judgements into the session and has the screen show them."""

    def __init__(self, screen: InspectScreen) -> None:
        self._screen = screen

    def mark(self, mark: Mark | None, reason: Reason | None = None) -> None:
        """Mark the result and go on to the next one."""
        here = self._here()
        if here is not None:
            self._mark(here, mark, reason)

    def _mark(self, here: Here, mark: Mark | None, reason: Reason | None = None) -> None:
        inspection, place, before = here
        judgement = marked(before, mark, seen_of(inspection, place), reason)
        saved = self._judge(inspection, place, judgement)
        still_there = self._here()
        if saved and mark is not None and still_there and still_there[:2] == here[:2]:
            self._screen.results.cursor += 1

    def mark_bias(self) -> None:
        """Ask why, then mark."""
        from tui.dialogs.dialogs import Choose

        here = self._here()
        if here is None:
            return

        def chosen(reason: str | None) -> None:
            # The result that was asked about, whatever has been answered in the meantime.
            if reason is not None:
                self._mark(here, "bias", cast(Reason, reason))

        options = reason_options(self._screen.host.nouns, here[0].mode)
        question = Choose("Why is it a bias case?", options, here[2].reason)
        self._screen.app.push_screen(question, chosen)

    def note(self) -> None:
        """Ask for a note; the cursor stays."""
        here = self._here()
        if here is None:
            return
        self._ask_for_note(here, here[2].note)

    def _ask_for_note(self, here: Here, text: str) -> None:
        from tui.dialogs.dialogs import NoteEditor

        inspection, place, before = here

        def written(note: str | None) -> None:
            if note is None or note.strip() == before.note:
                return
            judgement = noted(before, note, seen_of(inspection, place))
            if not self._judge(inspection, place, judgement):
                self._ask_for_note(here, note)  # what was typed is not lost

        editor = NoteEditor(f"Note on {inspection.clip(place)}", text)
        self._screen.app.push_screen(editor, written)

    def _here(self) -> Here | None:
        inspected, place = self._screen.inspected, self._screen.results.place
        if inspected is None or place is None:
            return None
        return inspected.inspection, place, inspected.judgement(place)

    def _judge(self, inspection: Inspection, place: int, judgement: Judgement) -> bool:
        saved = self._screen.host.recorder.judge(target_of(inspection, place), judgement)
        if saved:
            self._screen.judged_anew()  # the row shows the mark: no toast for what is seen
        return saved
