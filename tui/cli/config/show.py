"""`tui-eval config show`: every setting, its value, and where that comes from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from engine.base.json_text import as_json
from engine.files.envelope import enclose
from tui.cli.shared.groups import takes_groups
from tui.cli.shared.output import ListOutput
from tui.look.safe import escape

if TYPE_CHECKING:
    from rich.console import RenderableType

    from tui.opening.config import Config, SettingChoice

PRECEDENCE = ("option", "environment", "dataset.toml", "config.toml", "default")
"""What overrides what, the strongest first."""


@takes_groups
def show_settings(*, output: ListOutput) -> None:
    """Show every setting, its value, and where that comes from.

    Examples:
    tui-eval config show
    tui-eval config show --json
    """
    from tui.opening.config import load_config
    from tui.opening.settings import CONFIG_ITEMS

    output.check()
    config = load_config()
    chosen = [config.find(name) for name in CONFIG_ITEMS]
    output.write(
        {
            "table": lambda: build_settings_view(config, chosen),
            "json": lambda: as_json(build_settings_document(config, chosen)),
        }
    )


def build_settings_document(config: Config, chosen: Sequence[SettingChoice]) -> dict[str, Any]:
    """The settings for a program."""
    from tui.opening.settings import CONFIG_ITEMS

    settings = [
        {
            "name": one.name,
            "value": one.value,
            "from": one.origin,
            "default": CONFIG_ITEMS[one.name].usual,
            "option": CONFIG_ITEMS[one.name].option or None,
            "variable": CONFIG_ITEMS[one.name].variable or None,
            "about": CONFIG_ITEMS[one.name].about,
        }
        for one in chosen
    ]
    file = {"file": str(config.file), "exists": config.file.exists()}
    return enclose("config", {**file, "precedence": list(PRECEDENCE), "settings": settings})


def build_settings_view(config: Config, chosen: Sequence[SettingChoice]) -> list[RenderableType]:
    """The settings for the eye."""
    from rich.text import Text

    from tui.cli.shared.metric_table import fixed, folded, make_ruled_table
    from tui.opening.settings import CONFIG_ITEMS

    table = make_ruled_table(
        fixed("Setting"), folded("Value"), folded("From"), folded("Overridden by")
    )
    for one in chosen:
        setting = CONFIG_ITEMS[one.name]
        origin = config.file.name if one.origin == str(config.file) else one.origin
        table.add_row(
            one.name,
            Text(escape(setting.spell(one.value))),
            Text(escape(origin)),
            setting.overriders or "–",
        )
    there = "" if config.file.exists() else " (not there yet: tui-eval config set makes it)"
    order = f"Precedence: {', '.join(PRECEDENCE)}."
    return [table, Text(escape(f"{config.file}{there}"), style="dim"), Text(order, style="dim")]
