"""A dialog is answered once: a key that was pressed twice must not close what lies below."""

from __future__ import annotations

from typing import TypeVar

from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen

Result = TypeVar("Result")


class OneAnswerScreen(ModalScreen[Result]):
    """A modal screen of which only the first answer counts."""

    _answered = False

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        if self._answered or not self.is_current:
            return AwaitComplete()  # nothing to wait for
        self._answered = True
        return super().dismiss(result)
