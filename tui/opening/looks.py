"""Looks: how the inspector looks, which keys it has, and where its sessions are kept."""

from __future__ import annotations

import codecs
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from engine.base.errors import InputError
from tui.opening.frame_choices import FrameView, ImageMode

if TYPE_CHECKING:
    from tui.keys.keymap import Keymap
    from tui.opening.config import SettingChoice
    from tui.opening.layout import PaneLayout
    from tui.opening.remember import Memory


@dataclass(frozen=True)
class Looks:
    """As a command line says it; None: as the user's own settings have it."""

    images: ImageMode | None = None
    theme: str | None = None
    keys: str | None = None
    ascii: bool = False
    store: Path | None = None

    def check(self) -> None:
        """Refuse what the options say, also where nothing is going to be painted."""
        if self.theme is not None:
            self.chosen_theme  # noqa: B018 (says what is wrong with it)
        if self.keys is not None:
            self.keymap  # noqa: B018 (says what is wrong with it)

    @property
    def chosen_theme(self) -> str:
        from tui.opening.settings import CONFIG_ITEMS

        if self.theme is None:
            return str(_find("theme").value)
        try:
            return str(CONFIG_ITEMS["theme"].parse(self.theme))
        except InputError as error:
            raise InputError(error.message, "--theme", hint=error.hint) from error

    @property
    def chosen_images(self) -> ImageMode:
        return self.images or cast("ImageMode", _find("images").value)

    @property
    def chosen_frames(self) -> FrameView | None:
        """How frames are shown; None: nobody has said anything of it."""
        found = _find("frames")
        return None if found.is_usual else cast("FrameView", found.value)

    @property
    def memory(self) -> Memory:
        """Where what is chosen in an app is written down."""
        from tui.opening.config import find_config_file
        from tui.opening.remember import Memory

        return Memory(find_config_file())

    def for_app(self) -> dict[str, Any]:
        """What every application is started with; see `tui.opening.starts.AppStart`."""
        return {
            "ascii": self.is_plain,
            "theme": self.chosen_theme,
            "keymap": self.keymap,
            "memory": self.memory,
            "layout": _find_layout(),
        }

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


def _find(name: str) -> SettingChoice:
    from tui.opening.config import load_config

    return load_config().find(name)


def _find_layout() -> PaneLayout:
    """The room that panes were left, by screen, and what is zoomed."""
    from tui.opening.config import load_config
    from tui.opening.layout import read_layout
    from tui.opening.settings import LAYOUT

    said = load_config().said.items()
    sizes = {name.removeprefix(LAYOUT): one for name, one in said if name.startswith(LAYOUT)}
    return read_layout({name: one for name, one in sizes.items() if isinstance(one, str | int)})
