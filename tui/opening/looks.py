"""Looks: how the inspector looks, which keys it has, and where its sessions are kept."""

from __future__ import annotations

import codecs
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from engine.base.errors import InputError

if TYPE_CHECKING:
    from tui.keys.keymap import Keymap

ImageMode: TypeAlias = Literal["auto", "halfcell", "kitty", "sixel", "off"]
"""What can be asked for."""


@dataclass(frozen=True)
class Looks:
    """As a command line says it; None: as the user's own settings have it."""

    images: ImageMode = "auto"
    theme: str | None = None
    keys: str | None = None
    ascii: bool = False
    store: Path | None = None

    @property
    def chosen_theme(self) -> str:
        from tui.look.themes import THEMES

        names = [theme.name for theme in THEMES]
        wanted = self.theme or os.environ.get("TUI_EVAL_THEME") or names[0]
        if wanted not in names:
            said = "--theme" if self.theme else "$TUI_EVAL_THEME"
            hint = f"choose one of {', '.join(names)}"
            raise InputError(f'there is no theme "{wanted}"', said, hint=hint)
        return wanted

    def for_app(self) -> dict[str, Any]:
        """What every application is started with; see `tui.opening.starts.AppStart`."""
        return {"ascii": self.is_plain, "theme": self.chosen_theme, "keymap": self.keymap}

    @property
    def is_plain(self) -> bool:
        """Whether only ASCII is shown: it was asked for, or the locale knows no more than a few
        characters, and of each other one a "?" would be left."""
        encoding = getattr(sys.__stderr__, "encoding", None) or "utf-8"
        return self.ascii or codecs.lookup(encoding).name != "utf-8"

    @property
    def keymap(self) -> Keymap:
        from tui.keys.keymap import find_user_key_file, load_keymap

        return load_keymap(self.keys, find_user_key_file())
