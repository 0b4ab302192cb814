"""A terminal that becomes tiny while something is open, as when a window is dragged or tiled."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.text.encoder import SentenceEncoder
from tests.tui.inspector import CLIP, Inspector, inspect
from tests.tui.moments.moment_screens import Moments, look

pytestmark = pytest.mark.slow

LARGE = (120, 40)


async def shrink_and_grow(see: Inspector | Moments) -> None:
    """To nothing, column by column, and back; every size is laid out."""
    for width in range(24, 0, -1):
        await see.pilot.resize_terminal(width, 30)
    for height in (6, 1):
        await see.pilot.resize_terminal(1, height)
    await see.pilot.resize_terminal(*LARGE)
    await see.until(lambda: see.app.size == LARGE, "the large terminal")


@pytest.mark.parametrize(
    "keys",
    [
        ("ctrl+p",),
        ("ctrl+p", "z", "z"),
        ("b",),
        ("a",),
        ("e",),
        ("p",),
        ("M",),
        ("ctrl+o",),
        ("question_mark",),
        ("2",),
        ("3",),
        ("4",),
    ],
    ids="+".join,
)
def test_what_is_open_in_the_inspector_survives(
    keys: tuple[str, ...], tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.press(*keys)
        opened = see.app.screen
        await shrink_and_grow(see)
        await see.until(lambda: see.app.screen is opened, "what was open")

    inspect(flow, tmp_path, encoder, query=("video", CLIP), size=LARGE)


@pytest.mark.parametrize(
    "keys",
    [("ctrl+p",), ("F",), ("T",), ("slash",), ("P",), ("question_mark",), ("enter",)],
    ids="+".join,
)
def test_what_is_open_on_the_moment_screen_survives(keys: tuple[str, ...], tmp_path: Path) -> None:
    async def flow(see: Moments) -> None:
        await see.press(*keys)
        opened = see.app.screen
        await shrink_and_grow(see)
        await see.until(lambda: see.app.screen is opened, "what was open")

    look(flow, tmp_path, size=LARGE)
