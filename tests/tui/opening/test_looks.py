"""What a person has set for good is named where it is wrong, as an option is."""

from __future__ import annotations

import pytest

from engine.base.errors import InputError
from tui.keys.keymap import find_user_key_file, load_keymap
from tui.opening.looks import Looks


def test_a_theme_that_is_not_there_is_said_of_whoever_asked_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TUI_EVAL_THEME", "neon")
    with pytest.raises(InputError, match=r'^\$TUI_EVAL_THEME: there is no theme "neon"; choose'):
        Looks().chosen_theme  # noqa: B018
    with pytest.raises(InputError, match=r'^--theme: there is no theme "lava"; choose'):
        Looks(theme="lava").chosen_theme  # noqa: B018


def test_keys_that_are_not_there_are_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TUI_EVAL_KEYS", "nope")
    with pytest.raises(InputError, match=r"^\$TUI_EVAL_KEYS: there are no keys"):
        load_keymap(None, find_user_key_file())
    with pytest.raises(InputError, match=r"^--keys: there are no keys"):
        load_keymap("nope", find_user_key_file())
