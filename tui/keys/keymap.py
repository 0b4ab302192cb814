"""Keymap: which keys do what, from a shipped set of keys and a person's own file.

A key file is TOML: `base = "default"` or `"vim"`, and a table `[keys]` from the id of a command to
a key or a list of keys. An empty list leaves the command to the palette. `version` says for which
table of commands it was written.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any, Final

import platformdirs

from engine.base.errors import InputError, Place
from engine.base.messages import fit_on_line, list_names, suggest
from engine.files.reader import reads
from engine.files.text import read_text
from engine.files.toml import parse_toml
from tui.keys.clashes import CLASHES_SHOWN, DEFAULT_KEYS, FIXED_KEYS, KeyTable, find_clashes
from tui.keys.commands import COMMANDS
from tui.keys.moved import KEY_FILE_VERSION, KeyMove, describe_moves, list_moves
from tui.keys.names import UnknownKeyError, make_unpressable_key, name_key, parse_key

SHIPPED_KEYMAPS: Final = ("default", "vim")
KEYMAP_FOLDER: Final = Path(__file__).parent / "keymaps"
_SETTINGS: Final = ("version", "base", "keys")
_COMMAND_IN_TEXT: Final = re.compile(r"\{([a-z]+\.[a-z_]+)\}")
_TITLES: Final = {command.id: command.title for command in COMMANDS}


@dataclass(frozen=True)
class Keymap:
    """The keys of every command, where they come from, and what is odd about them.

    moves  what moved since the file was written, if that was for an older table of keys
    """

    name: str
    keys: KeyTable
    clashes: tuple[str, ...] = ()
    moves: tuple[KeyMove, ...] = ()

    def named(self, command: str) -> tuple[str, ...]:
        """The keys of a command as they are shown.

        >>> load_keymap(None).named("app.help")
        ('?', 'f1')
        """
        return tuple(map(name_key, self.keys[command]))

    def say(self, command: str) -> str:
        """A command as a sentence names it: by its first key.

        >>> load_keymap(None).say("results.mark_relevant")
        '+'
        """
        named = self.named(command)
        return named[0] if named else f"the command “{_TITLES[command]}”"

    def spell(self, text: str) -> str:
        """A text of ours with the keys of the commands that it names.

        >>> load_keymap(None).spell("{inspect.ask_text} asks with a text, {app.help} helps")
        '/ asks with a text, ? helps'
        """
        return _COMMAND_IN_TEXT.sub(lambda found: self.say(found[1]), text)

    def at_start(self) -> tuple[str, ...]:
        """What to show when the inspector starts: which keys moved, a few clashes, and how many
        more there are."""
        moved = (describe_moves(self.moves, quote(self.name)),) if self.moves else ()
        return (*moved, *self._clashes_at_start())

    def _clashes_at_start(self) -> tuple[str, ...]:
        if len(self.clashes) <= CLASHES_SHOWN:
            return self.clashes
        shown = self.clashes[: CLASHES_SHOWN - 1]
        more = len(self.clashes) - len(shown)
        return (*shown, f"and {more} more: tui-eval keys --keys {quote(self.name)} lists all")

    def textual(self) -> dict[str, str]:
        """What differs from the table of commands, for `App.set_keymap`.

        A key that is always another's is left out even for its owner: Textual binds it to the
        owner before anything else, and a key that is mapped would take that place.

        >>> load_keymap(None).textual()
        {}
        """
        return {
            command: ",".join(key for key in keys if key not in FIXED_KEYS)
            or make_unpressable_key(command)
            for command, keys in self.keys.items()
            if keys != DEFAULT_KEYS[command]
        }


def find_user_key_file() -> Path | None:
    """The person's own keys: $TUI_EVAL_KEYS, else `keys.toml` in their settings if it is there."""
    if named := os.environ.get("TUI_EVAL_KEYS"):
        return Path(named)
    file = platformdirs.user_config_path("tui-eval") / "keys.toml"
    return file if file.is_file() else None


def load_keymap(name_or_path: str | None, config_file: Path | None = None) -> Keymap:
    """The shipped keys or the file that is named, else the person's own file, else the default."""
    asked = name_or_path or str(config_file or "default")
    if asked in SHIPPED_KEYMAPS:
        return Keymap(asked, _shipped(asked))
    file = Path(asked).expanduser()
    if not file.exists() and not file.suffix:
        near = suggest(asked, SHIPPED_KEYMAPS)
        hint = f"{near} keys: {list_names(SHIPPED_KEYMAPS)}, or the path of a TOML file".strip()
        said = "--keys" if name_or_path else "$TUI_EVAL_KEYS"
        raise InputError(f'there are no keys called "{fit_on_line(asked)}"', said, hint=hint)
    version, base, changes = _read(file)
    ground = _shipped(base)
    asked_for = {**ground, **changes}
    keys = {
        command: tuple(key for key in keys if FIXED_KEYS.get(key, command) == command)
        for command, keys in asked_for.items()
    }
    moves = list_moves(base, keys, changes) if version < KEY_FILE_VERSION else ()
    return Keymap(str(file), keys, find_clashes(asked_for, ground), moves)


def find_keymap(app: object) -> Keymap:
    """The keys that an app has."""
    found: Keymap | None = getattr(app, "keymap_shown", None)
    return load_keymap("default") if found is None else found


def _shipped(name: str) -> KeyTable:
    return (
        DEFAULT_KEYS
        if name == "default"
        else {**DEFAULT_KEYS, **_read(KEYMAP_FOLDER / f"{name}.toml")[2]}
    )


@reads("a file of keys")
def _read(file: Path) -> tuple[int, str, dict[str, tuple[str, ...]]]:
    """The version of a file, the base that it names, and the keys it changes."""
    table = parse_toml(read_text(file), file)
    for setting in sorted(table.keys() - set(_SETTINGS)):
        hint = f"{suggest(setting, _SETTINGS)} a key file has version, base and [keys]".strip()
        raise InputError("unknown setting", Place(file, setting=setting), hint=hint)
    base, keys, version = table.get("base", "default"), table.get("keys", {}), _version(table, file)
    if base not in SHIPPED_KEYMAPS:
        hint = f"choose one of {list_names(SHIPPED_KEYMAPS)}"
        raise InputError(f"is {base!r}", Place(file, setting="base"), hint=hint)
    if not isinstance(keys, dict):
        hint = 'write [keys] and below it "results.note" = "a"'
        raise InputError("is not a table", Place(file, setting="keys"), hint=hint)
    changes = {command: _parse(command, value, file) for command, value in _flat("", keys, file)}
    return version, base, changes


def _version(table: Mapping[str, Any], file: Path) -> int:
    version = table.get("version", 1)
    if version not in range(1, KEY_FILE_VERSION + 1) or isinstance(version, bool):
        hint = f"this is the number {KEY_FILE_VERSION}; a newer tui-eval may know more"
        raise InputError(f"is {version!r}", Place(file, setting="version"), hint=hint)
    return int(version)


def _flat(prefix: str, table: Mapping[str, Any], file: Path) -> Iterator[tuple[str, Any]]:
    """`"results.note" = …` and `[keys.results] note = …` say the same."""
    for name, value in table.items():
        path = f"{prefix}{name}"
        if isinstance(value, dict):
            yield from _flat(f"{path}.", value, file)
        elif path in DEFAULT_KEYS:
            yield path, value
        else:
            hint = suggest(path, DEFAULT_KEYS) or "`tui-eval keys` lists every command"
            raise InputError("there is no such command", _place(file, path), hint=hint)


def _parse(command: str, value: Any, file: Path) -> tuple[str, ...]:
    texts = value if isinstance(value, list) else _split(value)
    if not all(isinstance(text, str) for text in texts):
        hint = 'write a key such as "b", or a list such as ["b", "ctrl+b"]'
        raise InputError(f"is {value!r}", _place(file, command), hint=hint)
    try:
        return tuple(dict.fromkeys(map(parse_key, texts)))
    except UnknownKeyError as error:
        hint = 'examples: "b", "B", "?", "ctrl+b", "enter", "f2", "pagedown"'
        raise InputError(str(error), _place(file, command), hint=hint) from error


def _split(value: Any) -> list[Any]:
    """`"j,down"` are two keys and `","` is one."""
    if not isinstance(value, str) or not value or value == ",":
        return [value] if value != "" else []
    return value.split(",")


def _place(file: Path, command: str) -> Place:
    return Place(file, setting=f"keys.{command}")


def format_key_file(keymap: Keymap) -> str:
    """A complete key file with these keys, to read or to start one's own from."""
    lines = [
        "# Every command, its keys and what it does. Keep the lines you change; the others may go.",
        f"version = {KEY_FILE_VERSION}",
        'base = "default"',
    ]
    pane = ""
    for command in COMMANDS:
        if command.pane != pane:
            pane = command.pane
            lines += ["", f"[keys.{pane}]"]
        keys = ", ".join(map(_quoted, keymap.named(command.id)))
        lines.append(f"{command.action} = [{keys}]  # {command.about}")
    return "\n".join(lines) + "\n"


def _quoted(key: str) -> str:
    escaped = key.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
