"""`tui-eval config set`: write one setting into config.toml."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from tui.cli.completion.values import complete_setting_value, complete_settings
from tui.cli.shared.console import say, write_out
from tui.cli.shared.groups import argument, takes_groups
from tui.look.safe import escape

if TYPE_CHECKING:
    from tui.opening.settings import ConfigItem, SettingValue


@takes_groups
def set_value(
    *,
    name: str = argument(
        "NAME",
        "A setting; tui-eval config show lists all.",
        autocompletion=complete_settings,
    ),
    value: str = argument(
        "VALUE", "Its value, as its option takes it.", autocompletion=complete_setting_value
    ),
) -> None:
    """Write a setting into config.toml; comments, order and all other lines of it stay.

    Examples:
    tui-eval config set theme colour-blind
    tui-eval config set k 1,5,10
    tui-eval config set dataset ./my-dataset
    tui-eval config set dataset sample
    """
    from tui.opening.config import Config, find_config_file
    from tui.opening.remember import write_setting
    from tui.opening.settings import find_setting, format_toml

    setting, file = find_setting(name), find_config_file()
    chosen = _parse(setting, value)
    write_setting(name, chosen, file)
    write_out(escape(f"{name} = {format_toml(chosen)} in {file}"))
    first = Config(file, {name: chosen}).find(name)
    if first.origin != str(file):
        say(f"note: {first.origin} is set, and overrides this file")


def _parse(setting: ConfigItem, text: str) -> SettingValue:
    from tui.opening.source import SAMPLE

    value = setting.parse(text)
    if setting.name != "dataset" or value == SAMPLE:
        return value
    from engine.dataset.settings_file import open_dataset

    folder = Path(os.path.realpath(os.path.expanduser(str(value))))  # noqa: PTH111 (never raises)
    open_dataset(folder)  # says what is wrong with it
    return str(folder)
