"""Help: a sheet in columns, the focused pane's keys first; what is typed is found and explained."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.text.encoder import SentenceEncoder
from tests.tui.inspector import CLIP, Inspector, inspect
from tui.dialogs.help import HelpScreen

SIZES = [(60, 20), (80, 24), (120, 40), (200, 50)]


def titles_in_order(text: str, *titles: str) -> bool:
    places = [text.find(title) for title in titles]
    return -1 not in places and places == sorted(places)


@pytest.mark.parametrize("size", SIZES)
def test_the_sheet_fits_and_begins_with_the_focused_pane(
    size: tuple[int, int], tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.do("app.help")
        await see.says("Help: Results")
        await see.says("The ranked list")
        lines = see.screen_text.splitlines()
        assert max(map(len, lines)) <= size[0]
        assert see.screen_text.count("type to find") == 1
        await see.press(*["pagedown"] * 12)
        await see.says("Your own keys")

    inspect(flow, tmp_path, encoder, size=size, query=("video", CLIP))


def test_at_80_columns_several_commands_stand_on_a_line(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.do("app.help")
        await see.says("Like this")
        titles = ("Next miss", "Bias", "Relevant", "Unmark", "Note", "Like this", "Play", "Open")
        lines = see.screen_text.splitlines()
        assert max(sum(title in line for title in titles) for line in lines) >= 2
        assert titles_in_order(see.screen_text, "Results", "Next miss", "Inspect", "Least sim.")

    inspect(flow, tmp_path, encoder, size=(80, 24), query=("video", CLIP))


def test_pane_then_screen_then_lists_and_app_then_terms(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.do("app.help")
        parts = ("Mark a bias case", "Type a text query", "One row down", "Go to the Evaluate")
        await see.until(lambda: titles_in_order(see.screen_text, *parts), "everything")
        await see.press("end", *["pagedown"] * 3)
        await see.says("Adjudicated")

    inspect(flow, tmp_path, encoder, size=(200, 70), query=("video", CLIP))


@pytest.mark.parametrize(
    ("typed", "found", "others"),
    [
        ("bias", "Mark a bias case and choose why.", "Type a text query."),
        ("MARK relevant", "Mark as relevant after all.", "Mark a bias case"),
        ("x", "Take the mark off.", "Mark a bias case"),
        ("adjud", "The same metrics with your marks", "Take the mark off."),
        ("ctrl+r", "Do again what was taken back.", "Take the mark off."),
    ],
)
def test_what_is_typed_is_found_by_its_key_or_its_words_and_explained(
    typed: str, found: str, others: str, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.do("app.help")
        await see.type(typed)
        await see.says(found)
        assert others not in see.screen_text

    inspect(flow, tmp_path, encoder, size=(80, 24), query=("video", CLIP))


def test_letters_are_typed_and_escape_goes_back_one_level(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.do("app.help")
        await see.type("qqjk")
        await see.says("Nothing here has that name.")
        await see.press("escape")
        await see.says("The ranked list")
        assert isinstance(see.app.screen, HelpScreen)
        await see.press("h")  # no key, so that a word begins
        await see.pilot.pause()
        assert "The ranked list" in see.screen_text
        await see.press("escape", "escape")
        assert see.app.screen is see.home
        await see.do("app.help", "app.help")  # the same key opens and closes it
        assert see.app.screen is see.home

    inspect(flow, tmp_path, encoder, size=(80, 24), query=("video", CLIP))
