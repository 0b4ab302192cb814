"""What the Moments screen needs of the app."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from engine.moments.hit_rule import HitRule
    from engine.moments.tasks import Task
    from tui.look.glyphs import Glyphs
    from tui.moments.services import MomentsServices


class MomentsHost(Protocol):
    """What the Moments screen needs of the app.

    state  what is being done: reading, computing; empty if nothing is
    """

    glyphs: Glyphs
    services: MomentsServices
    state: str

    @property
    def reading_text(self) -> str: ...

    @property
    def file_name(self) -> str: ...

    def read(self) -> None: ...

    def stop_reading(self) -> None: ...

    def use_task(self, task: Task) -> None: ...

    def use_metric(self, at: HitRule) -> None: ...

    def attempt(self, work: Callable[[], object]) -> bool: ...
