"""Whatever a terminal sends is keys, a window that there can be, or text that was pasted."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events
from textual.message import Message

from tui.look.keyboard import LONGEST_PASTE, ForgivingParser, PasteFilter

BEGIN, END = "\x1b[200~", "\x1b[201~"
PASTE_OF_COLOURS = f"{BEGIN}ab\x1b[31mxx\x1b[A\x07{END}"


def parse(*parts: str) -> list[Message]:
    parser = ForgivingParser()
    return [message for part in parts for message in parser.feed(part)]


def pastes(messages: Iterable[Message]) -> list[str]:
    return [one.text for one in messages if isinstance(one, events.Paste)]


def keys(messages: Iterable[Message]) -> list[str]:
    return [one.key for one in messages if isinstance(one, events.Key)]


@pytest.mark.parametrize("code", ["1114112", "97;1;1114112", "99999999999999999999", "55296"])
def test_a_key_that_is_no_character_is_no_end(code: str) -> None:
    found = parse(f"\x1b[{code}u", "j")

    assert keys(found)[-1] == "j"


def test_a_window_that_there_cannot_be_is_not_believed() -> None:
    found = parse("\x1b[48;99999;99999;9;9t", "\x1b[48;40;120;800;1200t")

    assert [one.size for one in found if isinstance(one, events.Resize)] == [(120, 40)]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
def test_escape_sequences_in_a_paste_are_text_and_press_no_key(size: int) -> None:
    whole = f"j{PASTE_OF_COLOURS}k"
    found = parse(*(whole[at : at + size] for at in range(0, len(whole), size)))

    assert pastes(found) == ["ab[31mxx[A"]
    assert keys(found) == ["j", "k"]


def test_the_beginning_of_a_very_long_paste_is_taken() -> None:
    found = parse(f"{BEGIN}{'x' * (LONGEST_PASTE + 5)}{END}j")

    assert pastes(found) == ["x" * LONGEST_PASTE]
    assert keys(found) == ["j"]


def test_escape_alone_is_a_key_at_once() -> None:
    assert PasteFilter().feed("\x1b") == "\x1b"


@given(st.lists(st.sampled_from([*"ab\x1b[201~", BEGIN, END]), max_size=30), st.integers(1, 9))
def test_it_does_not_matter_how_the_bytes_come_in(pieces: list[str], size: int) -> None:
    whole = "".join(pieces) + END
    parted = PasteFilter()

    assert "".join(
        parted.feed(whole[at : at + size]) for at in range(0, len(whole), size)
    ) == PasteFilter().feed(whole)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=80))
def test_what_is_not_pasted_is_passed_on_as_it_is(text: str) -> None:
    if BEGIN not in text:
        assert PasteFilter().feed(text) == text
