"""`tui-eval config`: your own settings, shown and set."""

from __future__ import annotations

from tui.cli.config.path import print_path
from tui.cli.config.set import set_value
from tui.cli.config.show import show_settings
from tui.cli.shared.groups import DefaultCommand, make_app

_HELP = """Your own settings: theme, frames, dataset, profile, K and sizes of panes.

Precedence: an option, the environment, the dataset's dataset.toml, config.toml.

Examples:
tui-eval config
tui-eval config set theme light
tui-eval config set dataset ./my-dataset
tui-eval config path
"""

app = make_app(cls=DefaultCommand, invoke_without_command=True, help=_HELP)
app.callback()(show_settings)
app.command("show")(show_settings)
app.command("path")(print_path)
app.command("set")(set_value)
