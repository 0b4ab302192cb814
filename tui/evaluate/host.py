"""What the Evaluate screen needs of the app."""

from __future__ import annotations

from typing import Protocol

from engine.base.mode import Mode
from tui.shell.run_screen import RunHost
from tui.work.services import Services


class EvaluateHost(RunHost, Protocol):
    """What the Evaluate screen needs of the app."""

    @property
    def services(self) -> Services: ...

    def open_query(self, mode: Mode, query: str, keywords: tuple[str, ...]) -> None:
        """Go to Inspect with this query, judged by these "group:name" keywords."""
        ...

    def query_count(self, mode: Mode) -> int | None:
        """How many queries a run would evaluate; None: not known yet."""
        ...
