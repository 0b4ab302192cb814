"""`tui-eval keys`: every command of the inspector and its keys; checks a key file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from engine.base.json_text import as_json
from engine.files.envelope import enclose
from tui.cli.shared.groups import option, takes_groups
from tui.cli.shared.output import FORMAT, Output, written

if TYPE_CHECKING:
    from rich.console import RenderableType

    from tui.keys.keymap import Keymap


@dataclass(frozen=True)
class KeysOutput(Output):
    """A key file is a format like any other."""

    format: Literal["table", "json", "toml"] | None = FORMAT()
    out: Path | None = written(
        "Write here; .json or .toml may say the format. - is stdout.", short="-o"
    )
    toml: bool = written(
        "Short for --format toml: a complete key file to start your own from.", False
    )

    shorts: ClassVar[tuple[str, ...]] = ("json", "toml")


@takes_groups
def keys(
    *,
    keys: str | None = option("These keys, in place of your own file.", metavar="default|vim|FILE"),
    output: KeysOutput,
) -> None:
    """List every command of the inspector with its id and keys, and report keys that clash.

    Examples:
    tui-eval keys
    tui-eval keys --keys vim
    tui-eval keys --keys my-keys.toml --json
    tui-eval keys --out my-keys.toml
    """
    from tui.keys.keymap import find_user_key_file, format_key_file, load_keymap

    output.check()
    keymap = load_keymap(keys, find_user_key_file())
    output.write(
        {
            "table": lambda: build_keys_view(keymap),
            "json": lambda: as_json(build_keys_document(keymap)),
            "toml": lambda: format_key_file(keymap),
        }
    )
    if output.shape != "json":
        for move in keymap.moves:
            output.tell(f"moved: {move.command}: {move}")
        for clash in keymap.clashes:
            output.tell(f"clash: {clash}")


def build_keys_document(keymap: Keymap) -> dict[str, Any]:
    """The commands and their keys, for a program."""
    from tui.keys.commands import COMMANDS

    fields = {
        "keymap": keymap.name,
        "commands": [
            {
                "id": command.id,
                "pane": command.pane,
                "keys": list(keymap.named(command.id)),
                "title": command.title,
                "about": command.about,
            }
            for command in COMMANDS
        ],
        "clashes": list(keymap.clashes),
        "moved": [
            {"id": move.command, "was": move.named_before, "now": list(keymap.named(move.command))}
            for move in keymap.moves
        ],
    }
    return enclose("keys", fields)


def build_keys_view(keymap: Keymap) -> list[RenderableType]:
    """The commands and their keys, for the eye: one table per pane, with the same columns."""
    from rich.table import Table
    from rich.text import Text

    from tui.keys.commands import COMMANDS, list_commands
    from tui.keys.panes import PANES

    ids = max(len(command.id) for command in COMMANDS)
    shown = {command.id: "  ".join(keymap.named(command.id)) or "-" for command in COMMANDS}
    widest = min(24, max(map(len, shown.values())))
    parts: list[RenderableType] = [Text(f"Keys: {keymap.name}")]
    for pane in dict.fromkeys(command.pane for command in COMMANDS):
        grid = Table.grid(padding=(0, 2))
        grid.add_column(width=ids, no_wrap=True)
        grid.add_column(width=widest, style="bold")
        grid.add_column()
        for command in list_commands(pane):
            grid.add_row(Text(command.id), Text(shown[command.id]), Text(command.about))
        parts += [Text(""), Text(PANES[pane].title, style="bold"), grid]
    return parts
