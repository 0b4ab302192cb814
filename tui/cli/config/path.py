"""`tui-eval config path`: where the settings are."""

from __future__ import annotations

from tui.cli.shared.console import write_out
from tui.cli.shared.groups import takes_groups
from tui.look.safe import escape


@takes_groups
def print_path() -> None:
    """Print where config.toml is, or would be.

    Examples:
    tui-eval config path
    $EDITOR "$(tui-eval config path)"
    """
    from tui.opening.config import find_config_file

    write_out(escape(str(find_config_file())))
