"""Writing down a setting: on request, or because a person has changed it in an app."""

from __future__ import annotations

from pathlib import Path

from engine.base.errors import InputError, Place
from tui.opening.config import CONFIG_VARIABLE
from tui.opening.settings import SettingValue, find_setting


def write_setting(name: str, value: SettingValue, file: Path) -> None:
    """Write a setting into a file of them, whole or not at all; without one, a new one is made, in
    which the others stand as comments."""
    from engine.files.change import change_file
    from engine.files.private import make_private_folder
    from tui.opening.config_text import write_in_text

    try:
        make_private_folder(file.parent)
        change_file(file, lambda text: write_in_text(text, name, value, file))
    except InputError as error:
        hint = error.hint or f"or name another file in ${CONFIG_VARIABLE}"
        raise InputError(error.message, error.place, hint=hint) from error


class Memory:
    """What an app remembers of a person's choices, in a file of settings.

    >>> Memory(None).remember("theme", "light")  # nowhere: it is forgotten when the app ends
    """

    def __init__(self, file: Path | None) -> None:
        self.file = file

    def remember(self, name: str, value: SettingValue) -> None:
        """Write it down; what cannot be, or is no such setting, is an InputError."""
        if self.file is None:
            return
        setting = find_setting(name)
        checked = setting.check(list(value) if isinstance(value, tuple) else value)
        try:
            write_setting(name, checked, self.file)
        except OSError as error:
            reason = error.strerror or "input error"
            raise InputError(f"cannot be written ({reason})", Place(self.file)) from error
