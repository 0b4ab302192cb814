"""Names of keys: as a person writes them, as Textual knows them, and as the screen shows them."""

from __future__ import annotations

import unicodedata
from typing import Final

from textual.keys import KEY_NAME_REPLACEMENTS, REPLACED_KEYS, Keys, key_to_character

from engine.base.messages import suggest

MODIFIERS: Final = ("ctrl", "alt", "shift", "super", "hyper", "meta")

_SPOKEN: Final = {
    "esc": "escape",
    "return": "enter",
    "del": "delete",
    "ins": "insert",
    "pgup": "pageup",
    "pgdn": "pagedown",
    "page_up": "pageup",
    "page_down": "pagedown",
}
"""What people call a key."""

_SAME_BYTE: Final = {
    "ctrl+i": "tab",
    "ctrl+m": "enter",
    "ctrl+left_square_bracket": "escape",
    "ctrl+space": "ctrl+@",
    "ctrl+at": "ctrl+@",
}
"""A terminal sends the same byte for both, and Textual reports it by the second name."""

_SHORT: Final = {"escape": "esc", "delete": "del", "pageup": "pgup", "pagedown": "pgdn"}

_NAMED: Final = frozenset(
    {key.value for key in Keys if not key.value.startswith("<")}
    | set(KEY_NAME_REPLACEMENTS.values())
    | {"space", "comma", "colon"}
) - {"ignore", "return"}


class UnknownKeyError(ValueError):
    """No key has this name; the message says what it could have meant."""


def parse_key(text: str) -> str:
    """The key as Textual names it.

    >>> parse_key("?"), parse_key("Ctrl+R"), parse_key("shift+g"), parse_key("esc")
    ('question_mark', 'ctrl+r', 'G', 'escape')
    """
    written = text if text == " " else text.strip()
    if len(written) == 1:
        return _character(written)
    # "ctrl++" is the plus key with ctrl held.
    head, _, last = (written[:-1] + "plus" if written.endswith("++") else written).rpartition("+")
    modifiers = [part.strip().lower() for part in head.split("+")] if head else []
    base = _base(last.strip(), held=bool(modifiers))
    if base is None or not set(modifiers) <= set(MODIFIERS) or len(written) > 60:
        near = suggest(written.lower(), sorted(_NAMED))
        raise UnknownKeyError(f"no key is called {written[:60]!r}" + (f", {near}" if near else ""))
    if modifiers == ["shift"] and len(base) == 1 and base.isalpha():
        return base.upper()  # a terminal sends the capital letter, never "shift" and the letter
    key = "+".join([*(name for name in MODIFIERS if name in modifiers), base])
    return _SAME_BYTE.get(key, key)


def _character(character: str) -> str:
    name = unicodedata.name(character, "").lower().replace("-", "_").replace(" ", "_")
    if not character.isprintable() or not name:
        raise UnknownKeyError(f"no key is called {character!r}")
    return character if character.isalnum() else KEY_NAME_REPLACEMENTS.get(name, name)


def _base(name: str, *, held: bool) -> str | None:
    """The key without its modifiers, or nothing if there is none of that name."""
    if len(name) == 1 and name.isprintable():
        key = _character(name)
        return key.lower() if held else key
    key = _SPOKEN.get(name.lower(), name.lower())
    if key in _NAMED:
        return key
    character = find_character(key)
    return _character(character) if character else None


def find_character(key: str) -> str | None:
    """The character that a key types; nothing for keys such as Escape or with ctrl held.

    >>> (
    ...     find_character("slash"),
    ...     find_character("G"),
    ...     find_character("ctrl+r"),
    ...     find_character("escape"),
    ... )
    ('/', 'G', None, None)
    """
    character = key_to_character(REPLACED_KEYS.get(key, key))
    return character if character and character.isprintable() else None


def is_character(key: str) -> bool:
    """Whether a text field would take the key as a character.

    >>> is_character("plus"), is_character("tab")
    (True, False)
    """
    return find_character(key) is not None


def name_key(key: str) -> str:
    """The key in plain, short, ASCII words.

    >>> name_key("question_mark"), name_key("ctrl+p"), name_key("escape"), name_key("up")
    ('?', 'ctrl+p', 'esc', 'up')
    """
    *modifiers, base = key.split("+")
    character = None if base == "space" else find_character(base)
    return "+".join([*modifiers, character or _SHORT.get(base, base)])


def make_unpressable_key(command: str) -> str:
    """A key that no terminal sends. Textual cannot hold a command without a key; this is one.

    >>> is_key(make_unpressable_key("results.note")), is_key("a")
    (False, True)
    """
    return f"none:{command}"


def is_key(key: str) -> bool:
    """Whether a person can press it."""
    return not key.startswith("none:")
