"""Changing one line of a file of settings; comments, order and everything else stay.

The result is read again before anybody gets it: where a line cannot be changed by itself (a table
in braces, say), nothing is changed, and that is said.
"""

from __future__ import annotations

import re
import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.base.errors import InputError, Place
from engine.files.toml import parse_toml
from tui.opening.settings import CONFIG_ITEMS, SettingValue, format_toml

_TABLE = re.compile(r"\s*\[")
_TABLE_NAME = re.compile(r"\s*\[\s*([A-Za-z0-9_-]+)\s*\]\s*(?:#.*)?")
_VALUE = re.compile(
    r"""(?P<value>"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+'|\[[^\[\]#"'\n]*+\]|[^\s\#"'\[{][^\s\#]*+)"""
    r"""(?P<rest>\s*(?:\#.*)?)"""
)
_WIDTH = 98


def make_template() -> str:
    """A file that says nothing yet: every setting in a comment, with what holds without it."""
    lines = [
        "# Your own settings of tui-eval. Commented lines show the defaults.",
        "# Precedence: an option, the environment, dataset.toml, then this file.",
    ]
    table = ""
    for setting in CONFIG_ITEMS.values():
        prefix, dot, _ = setting.name.rpartition(".")
        if prefix != table:
            table = prefix
            lines += ["", f"[{prefix}]"]
        elif not dot:
            lines.append("")
        lines += (f"# {line}" for line in textwrap.wrap(setting.about, _WIDTH))
        lines.append(_comment_out(setting.name))
    return "\n".join(lines) + "\n"


def _comment_out(name: str) -> str:
    """The line of a setting that is not said."""
    return f"# {name.rpartition('.')[2]} = {format_toml(CONFIG_ITEMS[name].usual)}"


def write_in_text(text: str, name: str, value: SettingValue, file: Path) -> str:
    """The text with another value of a setting; `file` is what an error names.

    >>> write_in_text('k = [1]  # mine\\n', "k", (5,), Path("config.toml"))
    'k = [5]  # mine\\n'
    """
    text = text or make_template()
    before = parse_toml(text, file)  # what cannot be read is not touched
    changed = _Lines.of(text).with_value(name, format_toml(value))
    if not _says(changed, before, name, value):
        raise InputError(
            "the line cannot be changed by itself",
            Place(file, setting=name),
            hint=f"write {name} = {format_toml(value)} there by hand",
        )
    return changed


def _says(text: str, before: Mapping[str, Any], name: str, value: SettingValue) -> bool:
    """Whether a text says what another one said, and of one setting this."""
    try:
        after = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        return False
    wanted = list(value) if isinstance(value, tuple) else value
    return after == _with(before, name, wanted)


def _with(table: Mapping[str, Any], name: str, value: object) -> dict[str, Any]:
    prefix, dot, rest = name.partition(".")
    if not dot:
        return {**table, name: value}
    inner = table.get(prefix, {})
    return {**table, prefix: _with(inner if isinstance(inner, dict) else {}, rest, value)}


@dataclass(frozen=True, slots=True)
class _Lines:
    """Lines without their ends, and what ends them."""

    lines: tuple[str, ...]
    end: str

    @classmethod
    def of(cls, text: str) -> _Lines:
        end = "\r\n" if "\r\n" in text else "\n"
        return cls(tuple(text.removesuffix("\n").removesuffix("\r").split(end)), end)

    def with_value(self, name: str, value: str) -> str:
        """The text in which the setting's line has another value; one that is only a comment
        becomes a line; without any, there is a new one."""
        lines = list(self.lines)
        prefix, _, own = name.rpartition(".")
        in_table = list(self._of_table(prefix))
        spelled = [(own, place) for place in in_table]
        if prefix:  # layout.zoom = … outside of its table
            spelled += [(name, place) for place in self._of_table("")]
        for key, place in spelled:
            found = re.match(rf"\s*{_spell(key)}\s*=\s*", lines[place])
            rest = None if found is None else _VALUE.fullmatch(lines[place], found.end())
            if found is not None and rest is not None:
                lines[place] = f"{found[0]}{value}{rest['rest']}"
                return self._joined(lines)
        for place in in_table:
            if lines[place].strip() == _comment_out(name):  # any other comment is a person's own
                lines[place] = f"{own} = {value}"
                return self._joined(lines)
        if prefix and not in_table:
            lines += ["", f"[{prefix}]", f"{own} = {value}"]
        else:
            lines.insert(self._find_last(in_table) + 1, f"{own} = {value}")
        return self._joined(lines)

    def _joined(self, lines: list[str]) -> str:
        return self.end.join(lines) + self.end

    def _find_last(self, places: list[int]) -> int:
        """The last of these lines that says something, a comment only where none other does; -1:
        none does."""
        full = [place for place in places if self.lines[place].strip()]
        said = [place for place in full if not self.lines[place].lstrip().startswith("#")]
        return max(said or full, default=-1)

    def _of_table(self, prefix: str) -> Iterator[int]:
        """The lines of a table, its head among them; of no name: those before the first table."""
        table = ""
        for place, line in enumerate(self.lines):
            if _TABLE.match(line):
                found = _TABLE_NAME.fullmatch(line)
                table = found[1] if found else "?"
            if table == prefix:
                yield place


def _spell(name: str) -> str:
    plain = re.escape(name)
    return rf"(?:{plain}|\"{plain}\"|'{plain}')"
