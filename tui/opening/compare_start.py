"""What the command line asked the Compare screen for, where there is no dataset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui.opening.starts import AppStart

if TYPE_CHECKING:
    from tui.opening.system_pair import SystemPair


@dataclass(frozen=True, slots=True)
class CompareStart(AppStart):
    """Two systems, without a dataset."""

    pair: SystemPair
