"""Two systems that were read from files, for the Compare screen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from engine.base.choices import Mode
    from engine.compare import Comparison
    from engine.results.results import Results


@dataclass(frozen=True, slots=True)
class SystemPair:
    """Two systems that were read from files, and what compares them: the one before, then the one
    after."""

    systems: tuple[Results, Results]
    compare: Callable[[Results, Results], Comparison]

    @property
    def modes(self) -> tuple[Mode, ...]:
        """The modes that both have."""
        old, new = self.systems
        return tuple(cast("Mode", mode) for mode in old.modes if mode in new.modes)
