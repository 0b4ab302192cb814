"""The net below every widget: what is painted can be seen, and is as wide as it was."""

from __future__ import annotations

import sys
from codecs import getincrementaldecoder
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import ControlType, Segment
from textual.color import Color

from benchmarks.terminal import Terminal, environment
from engine.base.visible import is_hidden
from tests.conftest import ROOT
from tui.look.visible_filter import VisibleFilter, cover_hidden

BLACK = Color(0, 0, 0)
HOSTILE = "ab\x1b[2J\x07\x9b31m\x1b]0;owned\x1b\\c\u202ed\u200be\u00a0f\u2028\U000e0041漢|"

CARELESS = """
import sys
from rich.segment import Segment
from textual.strip import Strip
from textual.widget import Widget
from tui.cli.shared.start import _run
from tui.opening.starts import AppStart
from tui.shell.base_app import BaseApp

class Careless(Widget):
    DEFAULT_CSS = "Careless {{ border: round; }}"
    def render_line(self, y):
        return Strip([Segment({hostile!r})])

class CarelessApp(BaseApp):
    def compose(self):
        widget = Careless()
        widget.border_title = {hostile!r}
        yield widget

_run(CarelessApp(AppStart()))
"""


@given(st.text(st.sampled_from(HOSTILE + "\t\n\ufe0f\u200d❤👩💻é🇩🇪\u0301"), max_size=12))
def test_nothing_hidden_is_left_and_the_width_stays(text: str) -> None:
    covered = cover_hidden(text)
    assert not any(map(is_hidden, covered))
    assert cell_len(covered) == cell_len(text)


def test_a_line_without_hidden_characters_is_not_made_again() -> None:
    segments = [Segment("╭─ é "), Segment("漢\u3000✅")]
    assert VisibleFilter().apply(segments, BLACK) is segments


def test_what_steers_the_terminal_stays_as_it_is() -> None:
    picture = Segment("\x1bPq…", None, [(ControlType.CURSOR_FORWARD, 0)])
    kitty = Segment("\U0010eeee\u0305")
    assert VisibleFilter().apply([picture, Segment("a\x07"), kitty], BLACK) == [
        picture,
        Segment("a"),
        kitty,
    ]


@pytest.mark.slow
def test_a_widget_that_forgets_to_escape_is_harmless(tmp_path: Path) -> None:
    command = [sys.executable, "-c", CARELESS.format(hostile=HOSTILE)]
    with Terminal(command, environment(tmp_path, PYTHONPATH=str(ROOT))) as terminal:
        terminal.wait_for("ab[2J31m]0;owned\\cde�f")
        # The end of the last character may not have come yet.
        sent = getincrementaldecoder("utf-8")().decode(terminal.raw)
    sent = sent.replace("\x1b]22;default\x07", "")  # the mouse's pointer
    assert "\x1b[2J" not in sent and "\x1b]0;" not in sent
    assert not set(sent) & set("\x07\x9b\u202e\u200b\u00a0\u2028\U000e0041")
