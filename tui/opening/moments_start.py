"""What the command line asked the moment inspector for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui.opening.starts import AppStart

if TYPE_CHECKING:
    from engine.moments.moments_source import MomentsRequest
    from engine.moments.tasks import HitRule, Task


@dataclass(frozen=True, slots=True)
class MomentsStart(AppStart):
    """Which files, and how they are looked at first.

    task  None: the first that the file has
    at    None: the smallest IoU and k of the request
    near  the IoU from which a miss is nearly right; None: the usual one
    """

    request: MomentsRequest
    task: Task | None = None
    at: HitRule | None = None
    near: float | None = None
