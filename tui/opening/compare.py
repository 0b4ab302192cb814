"""CompareStart: two systems that the command line asked to compare on the screen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tui.keys.keymap import Keymap, load_keymap

if TYPE_CHECKING:
    from engine.compare import Comparison
    from engine.results.results import Results


@dataclass(frozen=True, slots=True)
class CompareStart:
    """The two systems, and what compares them: the one before, then the one after."""

    systems: tuple[Results, Results]
    compare: Callable[[Results, Results], Comparison]
    ascii: bool = False
    theme: str = "dark"
    keymap: Keymap = field(default_factory=lambda: load_keymap(None))
