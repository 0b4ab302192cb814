"""MomentsStart: what the command line asked the moment inspector for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tui.keys.keymap import Keymap, load_keymap

if TYPE_CHECKING:
    from engine.moments.hit_rule import HitRule
    from engine.moments.moments_source import MomentsRequest
    from engine.moments.tasks import Task


@dataclass(frozen=True, slots=True)
class MomentsStart:
    """Which files, and how they are looked at first.

    task  None: the first that the file has
    at    None: the smallest IoU and k of the request
    near  the IoU from which a miss is nearly right; None: the usual one
    """

    request: MomentsRequest
    task: Task | None = None
    at: HitRule | None = None
    near: float | None = None
    ascii: bool = False
    theme: str = "dark"
    keymap: Keymap = field(default_factory=lambda: load_keymap(None))
