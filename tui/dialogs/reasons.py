"""The question why something is a bias case."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from typing import Any, ClassVar, cast

from textual.app import App
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.widgets import OptionList

from engine.keywords.judgement import (
    QUERY_REASON_MEANINGS,
    REASON_MEANINGS,
    REASONS,
    Reason,
    Target,
)
from tui.dialogs.basic_dialogs import ChoiceDialog
from tui.look.nouns import OF_CLIPS, Nouns

_SAID_IN_A_NOTE: Reason = "other"
_OF_KEYWORDS: tuple[Reason, ...] = ("missing keyword", "mapper error")


class ReasonDialog(ChoiceDialog):
    """One of several reasons, and whether there is more to say about it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("tab", "pick_with_note", "Note")]
    KEYS = "a digit or Enter chooses · Tab chooses with a note"
    wants_note = False

    def __init__(
        self,
        options: list[tuple[str, Reason, str]],
        current: Reason | None,
        chosen: Callable[[Reason, bool], None],
    ) -> None:
        super().__init__("Why is it a bias case?", options, current)
        self._chosen = chosen
        self._asked_in = copy_context()
        """Of who asked: what is opened then belongs there, not to a dialog that is closed."""

    def dismiss(self, result: str | None = None) -> AwaitComplete:
        counts = self.is_current and not self._answered
        closed = super().dismiss(result)
        if counts and result is not None:
            # At once, not by a message as usual: a key that follows is typed into the note.
            reason = cast(Reason, result)
            wants_note = self.wants_note or reason == _SAID_IN_A_NOTE
            self._asked_in.run(self._chosen, reason, wants_note)
        return closed

    def action_pick_with_note(self) -> None:
        place = self.query_one(OptionList).highlighted
        if place is not None:
            self.wants_note = True
            self.action_pick(place)


def ask_for_reason(
    app: App[Any],
    nouns: Nouns,
    target: Target,
    current: Reason | None,
    chosen: Callable[[Reason, bool], None],
) -> None:
    """Ask why the target is a bias case; `chosen` is told the reason, and whether a note is wanted.
    Escape tells nothing."""
    app.push_screen(ReasonDialog(list_reasons(target, nouns), current, chosen))


def list_reasons(target: Target, nouns: Nouns = OF_CLIPS) -> list[tuple[str, Reason, str]]:
    """The reasons with the digit that chooses each; no item lacks a label, and only texts are
    mapped to labels."""
    never: list[Reason] = list(_OF_KEYWORDS) if target.mode == "video" else ["missing keyword"]
    reasons = [one for one in REASONS if not (nouns.has_labels and one in never)]
    meanings = QUERY_REASON_MEANINGS if target.is_query else REASON_MEANINGS
    return [(str(n), one, nouns.spell(meanings[one])) for n, one in enumerate(reasons, start=1)]
