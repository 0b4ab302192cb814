"""A person's own settings: what `config.toml` says, and what the environment says before it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import platformdirs

from engine.base.errors import InputError, Place
from engine.base.messages import list_names, suggest
from engine.files.reader import reads
from engine.files.text import read_text
from engine.files.toml import parse_toml
from tui.opening.settings import CONFIG_ITEMS, LAYOUT, SettingValue

CONFIG_VARIABLE: Final = "TUI_EVAL_CONFIG"
"""Names another file."""

USUAL: Final = "default"
"""Where a value comes from that nobody has set."""

_NO_HOME = Path("~", "tui-eval")
"""For a user without a home folder: a place that is never made."""


class SettingChoice(NamedTuple):
    """The value of a setting, and what said it: a variable of the environment as `$NAME`, the
    file, or "default"."""

    name: str
    value: SettingValue
    origin: str

    @property
    def is_usual(self) -> bool:
        return self.origin == USUAL


class Config(NamedTuple):
    """What a file of settings says, by the names of `CONFIG_ITEMS`; the others it does not say.

    >>> Config(Path("config.toml"), {"theme": "light"}).find("theme", {}).value
    'light'
    """

    file: Path
    said: Mapping[str, SettingValue] = MappingProxyType({})

    def find(self, name: str, environment: Mapping[str, str] | None = None) -> SettingChoice:
        """The value of a setting where no option names one."""
        setting = CONFIG_ITEMS[name]
        given = (os.environ if environment is None else environment).get(setting.variable)
        if setting.variable and given:
            variable = f"${setting.variable}"
            try:
                return SettingChoice(name, setting.parse(given), variable)
            except InputError as error:
                raise InputError(error.message, variable, hint=error.hint) from error
        if name in self.said:
            return SettingChoice(name, self.said[name], str(self.file))
        return SettingChoice(name, setting.usual, USUAL)


def find_config_file() -> Path:
    """`$TUI_EVAL_CONFIG`, else `config.toml` in the person's settings. It need not be there."""
    try:
        if named := os.environ.get(CONFIG_VARIABLE):
            return Path(named).expanduser()
        return platformdirs.user_config_path("tui-eval") / "config.toml"
    except RuntimeError:  # there is no home folder
        return Path(named) if named else _NO_HOME / "config.toml"


def load_config() -> Config:
    """The person's own settings; without a file, none."""
    file = find_config_file()
    return read_config(file) if os.path.lexists(file) else Config(file)


@reads("settings")
def read_config(file: Path) -> Config:
    """What a file says, whole: an unknown setting, or a value that cannot be, is an InputError."""
    table = parse_toml(read_text(file, may_be_empty=True), file)
    said: dict[str, SettingValue] = {}
    for name, value in _flat("", table):
        place = Place(file, setting=name)
        if name not in CONFIG_ITEMS:
            raise InputError("unknown setting", place, hint=_suggest(name))
        try:
            said[name] = CONFIG_ITEMS[name].check(value)
        except InputError as error:
            raise error.at(place) from error
    return Config(file, said)


def _flat(prefix: str, table: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """`[layout] inspect = …` and `layout.inspect = …` say the same."""
    for name, value in table.items():
        path = f"{prefix}{name}"
        if isinstance(value, dict) and f"{path}." == LAYOUT:
            yield from _flat(LAYOUT, value)
        else:
            yield path, value


def _suggest(name: str) -> str:
    near = suggest(name, CONFIG_ITEMS)
    return f"{near} known: {list_names(CONFIG_ITEMS)}".strip()
