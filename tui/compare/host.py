"""What the Compare screen needs of the app."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from engine.base.mode import Mode
from tui.shell.run_screen import RunHost


class CompareHost(RunHost, Protocol):
    """What the Compare screen needs of the app."""

    @property
    def models(self) -> tuple[str, ...]: ...

    def other_model(self, model: str) -> str | None: ...

    def choose_model(self, title: str, now: str, chosen: Callable[[str | None], None]) -> None: ...

    def open_compared(
        self, models: tuple[str, str], mode: Mode, query: str, keywords: tuple[str, ...]
    ) -> None:
        """Go to Inspect with this query of the second model, held against the first."""
        ...
