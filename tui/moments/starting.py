"""MomentsStart: what the command line asked the moment inspector for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tui.keymap import Keymap, load_keymap

if TYPE_CHECKING:
    from engine.moments.assessed import Task
    from engine.moments.failures import At
    from engine.moments.source import MomentsRequest


@dataclass(frozen=True, slots=True)
class MomentsStart:
    """Which files, and how they are looked at first.

    task  None: the first that the file has
    at    None: the smallest IoU and k of the request
    near  the IoU from which a miss is nearly right
    """

    request: MomentsRequest
    task: Task | None = None
    at: At | None = None
    near: float = 0.3
    ascii: bool = False
    theme: str = "dark"
    keymap: Keymap = field(default_factory=lambda: load_keymap(None))
