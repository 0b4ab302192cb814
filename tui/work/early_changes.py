"""What is changed before anything is asked: there is no session yet to log it in."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.sessions import QuestionChange


class EarlyChanges:
    """Changes in memory, to be undone and redone as those of a session are.

    >>> from engine.keywords.question import Question
    >>> from engine.sessions import QuestionChange
    >>> one, two = (Question("text", "", "alfa", (group,)) for group in ("object", "scene"))
    >>> early = EarlyChanges()
    >>> early.add(QuestionChange(one, two, None))
    ()
    >>> early.undo().after.groups, early.can_undo, early.redo().after.groups
    (('object',), False, ('scene',))
    """

    def __init__(self) -> None:
        self._changes: list[QuestionChange] = []
        self._done = 0

    def add(self, change: QuestionChange) -> tuple[QuestionChange, ...]:
        """What was undone is forgotten, and returned."""
        undone = tuple(self._changes[self._done :])
        self._changes[self._done :] = [change]
        self._done += 1
        return undone

    @property
    def can_undo(self) -> bool:
        return self._done > 0

    @property
    def can_redo(self) -> bool:
        return self._done < len(self._changes)

    def undo(self) -> QuestionChange | None:
        if not self.can_undo:
            return None
        self._done -= 1
        made = self._changes[self._done]
        return replace(made, before=made.after, after=made.before)

    def redo(self) -> QuestionChange | None:
        if not self.can_redo:
            return None
        self._done += 1
        return self._changes[self._done - 1]

    def drop_last(self, undone: tuple[QuestionChange, ...] = ()) -> None:
        """Forget the last one that stands, as if it had never been made: what was `undone` before
        it can be redone again."""
        if self.can_undo:
            self._done -= 1
            self._changes[self._done :] = undone

    def drop_first(self) -> None:
        """The first one is in a session now."""
        del self._changes[0]
        self._done -= 1

    @property
    def standing(self) -> tuple[QuestionChange, ...]:
        """Those that were not undone, for a session."""
        return tuple(self._changes[: self._done])
