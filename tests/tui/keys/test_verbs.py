"""One verb, one key: a key does the same on every screen, and the same is done by the same keys."""

from __future__ import annotations

from collections import defaultdict

import pytest

from tui.keys.commands import COMMANDS
from tui.keys.keymap import SHIPPED_KEYMAPS, load_keymap
from tui.keys.panes import PANES

FREE_KEYS = {
    "enter": "takes what the cursor is on, whatever that is",
    "escape": "goes one level back",
    "space": "turns on or off what the cursor is on: a clip plays, a group is chosen",
    "left": "moves",
    "right": "moves",
    "up": "moves",
    "down": "moves",
    "slash": "begins to look for something: with a query in Inspect, among the rows elsewhere",
}
"""Keys whose verb is wider than that of one command, and why."""

FREE = {"default": FREE_KEYS.keys(), "vim": FREE_KEYS.keys() | {"h", "l"}}
"""In vim h and l are arrows."""


@pytest.mark.parametrize("name", SHIPPED_KEYMAPS)
def test_a_key_has_one_verb_on_all_screens(name: str) -> None:
    keys, verbs = load_keymap(name).keys, defaultdict(set)
    for command in COMMANDS:
        for key in set(keys[command.id]) - FREE[name]:
            verbs[key].add(command.verb)

    assert {key: found for key, found in verbs.items() if len(found) > 1} == {}


@pytest.mark.parametrize("name", SHIPPED_KEYMAPS)
def test_a_verb_has_the_same_keys_on_all_screens(name: str) -> None:
    keys, found = load_keymap(name).keys, defaultdict(dict)
    for command in COMMANDS:
        if not PANES[command.pane].is_field:  # there letters are typed
            found[command.verb][command.id] = set(keys[command.id]) - FREE[name]

    odd = {verb: by for verb, by in found.items() if len(set(map(frozenset, by.values()))) > 1}
    assert odd == {}


def test_every_free_key_is_used() -> None:
    used = {key for keys in load_keymap("default").keys.values() for key in keys}

    assert FREE_KEYS.keys() <= used


@pytest.mark.parametrize(
    ("key", "verb", "places"),
    [
        ("r", "run", "inspect evaluate compare moments"),
        ("f", "filter", "picker evaluate compare moments"),
        ("w", "write", "inspect evaluate compare sessions moments"),
        ("x", "take off", "results keywords picker sessions"),
        ("n", "next", "results evaluate compare moments moment"),
        ("P", "plots", "evaluate compare moments"),
        ("F", "count", "evaluate compare moments"),
        ("e", "edit", "inspect sessions"),
        ("i", "insert", "inspect keywords sessions moments"),
    ],
)
def test_what_is_done_on_many_screens_is_done_by_one_key(key: str, verb: str, places: str) -> None:
    having = [one for one in COMMANDS if key in load_keymap("default").keys[one.id]]

    assert {one.verb for one in having} == {verb}
    assert {one.pane for one in having} >= set(places.split())
