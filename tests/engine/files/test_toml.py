"""TOML of users: what would take the parser for ever is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.base.errors import InputError
from engine.files.toml import MOST_PARTS, parse_toml

FILE = Path("settings.toml")


@pytest.mark.parametrize("part", ["a", '"a.b"', "'a b'"])
@pytest.mark.parametrize("dot", [".", " . "])
def test_a_key_of_many_parts_is_refused_before_it_is_parsed(part: str, dot: str) -> None:
    text = f"x = 1\n{dot.join([part] * 50_000)} = 1"

    with pytest.raises(InputError, match=f"line 2 has a key of more than {MOST_PARTS} parts"):
        parse_toml(text, FILE)


def test_keys_that_people_write_are_read() -> None:
    text = f"{'.'.join('abcdefgh')} = 1\n[models.'a.b']\nx = 'one. two. three.'\n"

    assert parse_toml(text, FILE)["models"] == {"a.b": {"x": "one. two. three."}}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1\na = " + "[" * 9_000, r"nested too deeply \(at line 2\); take out brackets"),
        ("a = 1" + "0" * 5_000, "a number has thousands of digits; write it shorter"),
    ],
    ids=["nesting", "digits"],
)
def test_what_the_parser_cannot_take_is_said_in_our_words(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        parse_toml(text, FILE)


@pytest.mark.parametrize("text", ["a = ", "a = 1" + "0" * 5_000, "a = " + "[" * 9_000])
def test_what_is_no_toml_is_said_with_the_file(text: str) -> None:
    with pytest.raises(InputError, match=r"settings\.toml: is not valid TOML"):
        parse_toml(text, FILE)
