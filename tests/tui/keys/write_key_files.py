"""Write what is made from the table of commands: `python -m tests.tui.keys.write_key_files`.

`tui/keys/keymaps/default.toml`, and the tables at the end of `docs/keys.md`.
"""

from __future__ import annotations

from pathlib import Path

from tui.keys.commands import COMMANDS, Command, list_commands
from tui.keys.keymap import KEYMAP_FOLDER, format_key_file, load_keymap
from tui.keys.panes import PANES

DEFAULT_FILE = KEYMAP_FOLDER / "default.toml"
DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "keys.md"
HEADING = "## Every command\n"
GENERATED = """\
# Generated from tui/keys/commands.py by `python -m tests.tui.keys.write_key_files`: change that
# table rather than this file, which is to be read and copied from.
"""


def default_file() -> str:
    return GENERATED + format_key_file(load_keymap("default"))


def tables() -> str:
    """One table per pane, for the documentation."""
    return "".join(
        f"\n### {PANES[pane].title}\n| id | keys | what it does |\n|---|---|---|\n"
        + "".join(f"{row(command)}\n" for command in list_commands(pane))
        for pane in dict.fromkeys(command.pane for command in COMMANDS)
    )


def row(command: Command) -> str:
    keys = " ".join(f"`{key}`" for key in load_keymap("default").named(command.id))
    return f"| `{command.id}` | {keys} | {command.about} |".replace("`|`", "`\\|`")


if __name__ == "__main__":
    DEFAULT_FILE.write_text(default_file(), encoding="utf-8")
    start = DOCUMENT.read_text(encoding="utf-8").partition(HEADING)[0]
    DOCUMENT.write_text(start + HEADING + tables(), encoding="utf-8")
