"""What is changed before anything is asked: there is no session yet to log it in."""

from __future__ import annotations

from dataclasses import replace

from engine.sessions import QuestionChange


class EarlyChanges:
    """Changes in memory, to be undone and redone as those of a session are.

    >>> from engine.keywords.question import Question
    >>> one, two = (Question("text", "", "alfa", (group,)) for group in ("object", "scene"))
    >>> early = EarlyChanges()
    >>> early.add(QuestionChange(one, two, None))
    >>> early.undo().after.groups, early.can_undo, early.redo().after.groups
    (('object',), False, ('scene',))
    """

    def __init__(self) -> None:
        self._changes: list[QuestionChange] = []
        self._done = 0

    def add(self, change: QuestionChange) -> None:
        """What was undone is forgotten."""
        self._changes[self._done :] = [change]
        self._done += 1

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

    def drop_last(self) -> None:
        """Forget the last one that stands, as if it had never been made."""
        if self.can_undo:
            self._done -= 1
            del self._changes[self._done]

    @property
    def standing(self) -> tuple[QuestionChange, ...]:
        """Those that were not undone, for a session."""
        return tuple(self._changes[: self._done])
