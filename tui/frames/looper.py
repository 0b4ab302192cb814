"""Plays the frames of a clip over and over: when the next is due, and when it had better rest.

What a frame costs on the line decides when the next one comes, so that so many bytes a second are
not exceeded: a clip then skips frames and keeps its time. A terminal that falls behind gets no
further frame, and soon a still picture; nor does one whose picture nobody sees.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Final, Literal, TypeAlias

from textual.message_pump import MessagePump
from textual.timer import Timer

from tui.look.line_pace import LinePace

LoopState: TypeAlias = Literal["waiting", "playing", "paused", "slow", "rested"]
"""slow: the line does not keep up; rested: it has played for long, and nobody is there perhaps."""

BYTES_PER_SECOND: Final = 30_000
"""Of a clip that is played, and of a picture that is sharpened, on the line."""

MOST_LOOPED: Final = 12
"""Frames; more cannot be told apart in cells."""

LOOP_REST: Final = 0.8
"""Seconds that a still picture stands before it moves: whoever only steps through the results is
sent one picture of each."""

SHARPEN_REST: Final = 0.4
"""Seconds after which a picture that somebody paused or stepped to is sent again in full."""

_DRAWING: Final = 0.03
"""Seconds after which is asked again whether the sharp picture is drawn."""

LONGEST_PLAY: Final = 60.0
"""Seconds after which nobody is taken to look."""

_TRIES: Final = 3
_TRY_AGAIN: Final = 0.3
"""How often a terminal that is behind is given time, and how many seconds."""


@dataclass(frozen=True, slots=True)
class LoopHooks:
    """Who draws: `show` paints the frame and tells its bytes; `sharpen` paints a part of it as well
    as can be and tells its bytes (0: no part is left; None: it is being drawn)."""

    show: Callable[[], int]
    sharpen: Callable[[], int | None]


class Looper:
    """The place in a clip of `count` frames, and whether it moves."""

    def __init__(
        self,
        node: MessagePump,
        hooks: LoopHooks,
        pace: LinePace,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.state: LoopState = "waiting"
        self.place = 0
        self._node = node
        self._hooks = hooks
        self._pace = pace
        self._clock = clock
        self._timer: Timer | None = None
        self._count, self._fps = 0, 1.0
        self._last = self._begun = 0.0
        self._late = 0
        self._is_slow = False
        self._is_held = False
        self._is_sharpening = False
        self._turn = 0
        """Which timer is meant: one that was stopped may have gone off before."""

    @property
    def moves(self) -> bool:
        return self.state == "playing"

    @property
    def rests(self) -> bool:
        """Whether nothing will be painted before a key is pressed."""
        return self._timer is None

    def load(self, count: int, fps: float, place: int, paused: bool | None = None) -> None:
        """Another clip: its picture stands, and moves after a while. On a slow line it stays until
        it is asked to play.

        paused  somebody paused it, or did not; None: as the clip before
        """
        self._stop()
        if paused is not None:
            self.state = "paused" if paused else "slow" if self._is_slow else "waiting"
            self._is_sharpening = paused
        self._count, self._fps, self.place = count, max(fps, 0.5), place
        self._hooks.show()
        self._go_on()

    def hold(self, held: bool) -> None:
        """Nobody sees it for a while: it stands. Or somebody sees it again: it goes on."""
        if held == self._is_held:
            return
        self._is_held = held
        if not held:
            self._go_on()
        else:
            self._stop_timer()
            if self.moves:
                self.state = "waiting"

    def toggle(self) -> None:
        """Pause, or play."""
        if not self._count:
            return  # nothing is shown yet
        if self.moves or self.state == "waiting":
            self.pause()
        elif self._count > 1:
            self._is_slow = False  # asked for: the line gets another chance
            self._pace.forget()
            self._begin()

    def pause(self) -> None:
        self.state = "paused"
        self._hooks.show()
        self._is_sharpening = True  # asked for; of what is only passed by, that would be too much
        self._go_on()

    def step(self, frames: int) -> None:
        """So many frames on, or back; it stands there."""
        if self._count:
            self.place = (self.place + frames) % self._count
            self.pause()

    def stop(self) -> None:
        """Nothing is shown any more; what is loaded next waits as the first did."""
        self._stop()
        self._count = 0

    def _stop(self) -> None:
        self._stop_timer()
        self._is_sharpening = False
        if self.state != "paused":
            self.state = "slow" if self._is_slow else "waiting"

    def _go_on(self) -> None:
        """With whatever comes after a while."""
        if self.state == "paused" and self._is_sharpening:
            self._wait(SHARPEN_REST, self._sharpen)
        elif self.state == "waiting" and self._count > 1:
            self._wait(LOOP_REST, self._begin)

    def _begin(self) -> None:
        self.state, self._late, self._is_sharpening = "playing", 0, False
        self._last = self._begun = self._clock()
        self._wait(1 / self._rate, self._tick)

    def _tick(self) -> None:
        if self._pace.is_behind:
            self._late += 1
            if self._late >= _TRIES:
                self.state, self._is_slow = "slow", True
                self._hooks.show()
            else:
                self._wait(_TRY_AGAIN, self._tick)
            return
        now = self._clock()
        if now - self._begun > LONGEST_PLAY:
            self.state = "rested"
            self._hooks.show()
            return
        self._late = 0
        self.place = (self.place + max(1, round((now - self._last) * self._fps))) % self._count
        self._last = now
        sent = self._hooks.show()
        self._wait(max(1 / self._rate, sent / BYTES_PER_SECOND), self._tick)

    def _sharpen(self) -> None:
        if self._pace.is_behind or self._is_slow:
            return
        sent = self._hooks.sharpen()
        if sent is None:
            self._wait(_DRAWING, self._sharpen)
        elif sent:
            self._wait(sent / BYTES_PER_SECOND, self._sharpen)
        else:
            self._is_sharpening = False

    @property
    def _rate(self) -> float:
        return min(self._fps, MOST_LOOPED)

    def _wait(self, seconds: float, work: Callable[[], None]) -> None:
        self._stop_timer()
        if not self._is_held:
            self._timer = self._node.set_timer(seconds, partial(self._do, self._turn, work))

    def _do(self, turn: int, work: Callable[[], None]) -> None:
        """What a timer was set for, unless it was stopped when its time had come already."""
        if turn == self._turn:
            self._timer = None
            work()

    def _stop_timer(self) -> None:
        self._turn += 1
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
