"""Work under way, and the line that says how far it is, or what came of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from engine.base.errors import InputError
from engine.base.messages import fit_message_lines
from engine.base.progress import Step
from tui.keys.keymap import find_keymap
from tui.look.glyphs import UNICODE, Glyphs
from tui.shell.progress_text import Pace, describe_start, draw_progress
from tui.work.scope import Scope

if TYPE_CHECKING:
    from engine.keywords.model_encoders import EncoderStatus

TICK = 1.0
"""Seconds between two looks at work that has not said anything yet."""

_WIDE = 100


@dataclass(slots=True, eq=False)
class Work:
    """Something under way in the background.

    parts, part  what is done one after another, and what of it is done now
    waits_for    the text encoder that loads now, if one does
    """

    scope: Scope
    parts: tuple[str, ...] = ()
    part: str = ""
    waits_for: Callable[[], EncoderStatus | None] = lambda: None
    started: float = field(default_factory=time.monotonic)
    pace: Pace = field(default_factory=Pace)
    cancel: Callable[[], None] = lambda: None


class WorkLine(Static):
    """Owns the work under way; what earlier work still reports is not listened to."""

    class NextPart(Message):
        """Another part of the work has begun."""

    def __init__(self, back: str, *, id: str) -> None:
        """`back`: the command that cancels the work."""
        super().__init__(id=id, markup=False)
        self._back = back
        self.work: Work | None = None

    def on_mount(self) -> None:
        self.set_interval(TICK, self._tick)

    def _tick(self) -> None:
        """While nothing is heard of the work, the line still says that time goes by."""
        if self.work is not None and self.screen.is_current and self._is_between_steps(self.work):
            self.say(None)

    @staticmethod
    def _is_between_steps(work: Work) -> bool:
        """Whether the next part has not said anything yet: it may wait for an encoder."""
        step = work.pace.step
        return step is None or step.done >= step.total

    def begin(
        self,
        work: Work,
        start: Callable[..., Callable[[], None]],
        done: Callable[[Any], None],
        failed: Callable[[Exception], None],
    ) -> None:
        """Start it with what hears of its steps, its end and its failure; `start` returns
        what cancels it. A step comes alone, or after the name of its part."""
        self.work = work
        try:
            work.cancel = start(
                partial(self._stepped, work),
                partial(self._ended, work, done),
                partial(self._ended, work, failed),
            )
        except InputError as error:
            self._ended(work, failed, error)

    def cancel(self) -> None:
        work, self.work = self.work, None
        if work is not None:
            work.cancel()

    def _stepped(self, work: Work, *said: Any) -> None:
        if work is not self.work:
            return
        part, step = said if len(said) > 1 else ("", *said)
        assert isinstance(step, Step)
        if part != work.part:
            work.part, work.pace = part, Pace()  # each part goes at its own rate
            self.post_message(self.NextPart())
        work.pace.note(step, time.monotonic())
        self.say(None)

    def _ended(self, work: Work, tell: Callable[[Any], None], value: object) -> None:
        if work is self.work:
            self.work = None
            tell(value)

    def say(self, text: Content | None, failure: str = "") -> None:
        """Say how far the work is; without any, why it failed, or else a text. Nothing of all
        that: no line."""
        self.set_class(bool(failure) and self.work is None, "-failed")
        if self.work is not None:
            text = Content(self._progress(self.work))
        elif failure:
            text = Content(fit_message_lines(failure))
        self.update(text or "")
        self.display = text is not None

    def _progress(self, work: Work) -> str:
        glyphs: Glyphs = getattr(self.app, "glyphs", UNICODE)
        stop = find_keymap(self.app).say(self._back)
        loading = work.waits_for() if self._is_between_steps(work) else None
        if work.pace.step is not None and loading is None:
            # On one line, also at 80 columns: two that come and go would move the table.
            width = 20 if self.screen.size.width >= _WIDE else 8
            return draw_progress(work.pace, glyphs, stop, width)
        return describe_start(time.monotonic() - work.started, loading, glyphs, stop)
