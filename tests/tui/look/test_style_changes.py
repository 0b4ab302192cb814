"""Fewer bytes on the line, and the same cells on the screen."""

from __future__ import annotations

import pyte
from hypothesis import given
from hypothesis import strategies as st

from tui.look.style_changes import StyleChanges

COLUMNS, ROWS = 12, 4

_ink = st.sampled_from(["31", "92", "39", "38;5;200", "38;2;1;22;133", "38;2;1;22;134"])
_ground = st.sampled_from(["41", "103", "49", "48;5;17", "48;2;3;2;1", "48;2;90;9;0"])
_flag = st.sampled_from(["1", "3", "4", "7", "9"])
_unforeseen = st.sampled_from(["22", "24", "29", "58;5;3", "38", "48;2;1", "38;7;1"])
_numbers = st.one_of(
    st.just("0"),
    st.just(""),
    st.lists(st.one_of(_flag, _ink, _ground), min_size=1, max_size=4).map(";".join),
    _unforeseen,
)
_piece = st.one_of(
    _numbers.map(lambda numbers: f"\x1b[{numbers}m"),
    st.sampled_from(["a", " bc", "漢", "\r\n", "\x1b[2;3H", "\x1b[;H", "\x1b[K", "\x1b[2J", ""]),
)
_writes = st.lists(st.lists(_piece, max_size=8).map("".join), max_size=5)


def show(writes: list[str]) -> list[list[object]]:
    """Every cell of a terminal that was sent this, and what comes next in its style."""
    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.Stream(screen)
    for text in [*writes, "x"]:
        stream.feed(text)
    return [[screen.buffer[y][x] for x in range(COLUMNS)] for y in range(ROWS)]


@given(_writes)
def test_the_screen_looks_the_same(writes: list[str]) -> None:
    changes = StyleChanges()

    assert show([changes.shorten(text) for text in writes]) == show(writes)


@given(st.lists(st.tuples(_ink, _ground, st.sampled_from(["a", " ", "bcd"])), min_size=1))
def test_what_textual_sends_never_becomes_longer(cells: list[tuple[str, str, str]]) -> None:
    text = "".join(f"\x1b[{ink};{ground}m{shown}\x1b[0m" for ink, ground, shown in cells)

    assert len(StyleChanges().shorten(text)) <= len(text)


def test_a_colour_that_stays_is_sent_once() -> None:
    text = "\x1b[38;2;1;2;3;48;2;4;5;6ma\x1b[0m\x1b[5;9H\r\n\x1b[38;2;7;8;9;48;2;4;5;6mb\x1b[0m"

    shorter = StyleChanges().shorten(text)

    assert shorter == "\x1b[38;2;1;2;3;48;2;4;5;6ma\x1b[5;9H\r\n\x1b[38;2;7;8;9mb\x1b[0m"


def test_every_write_ends_as_it_would_have_ended() -> None:
    """Whoever has the terminal next, with the app stopped, finds it as the app left it."""
    assert StyleChanges().shorten("\x1b[1;31ma\x1b[0m").endswith("\x1b[0m")


def test_what_is_erased_has_the_colour_that_it_would_have_had() -> None:
    changes = StyleChanges()

    assert changes.shorten("\x1b[41ma\x1b[0m\x1b[K") == "\x1b[41ma\x1b[0m\x1b[K"


def test_a_terminal_that_is_taken_is_plain_at_first() -> None:
    assert StyleChanges().shorten("\x1b[?1049h") == "\x1b[?1049h\x1b[0m"
