"""The footer: what is used most is there at 80 columns, and nothing that leads where one is."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.text.encoder import SentenceEncoder
from tests.tui.inspector import CLIP, Inspector, inspect, small_dataset
from tui.keys.commands import COMMANDS
from tui.keys.footer import SHORT_TITLES, USED_MOST, Hint, fit_hints

NARROW = (80, 24)
SHOWN = {command.id for command in COMMANDS if command.footer}


def last_line(see: Inspector) -> str:
    return see.screen_text.splitlines()[-1]


def test_every_command_of_the_order_is_one_that_the_footer_shows() -> None:
    assert set(USED_MOST) <= SHOWN
    assert SHORT_TITLES.keys() <= SHOWN
    assert len(set(USED_MOST)) == len(USED_MOST)


def test_a_screen_of_which_one_command_is_ordered_has_all_of_its_own_before_the_apps() -> None:
    first_of_app = USED_MOST.index("app.next_model")
    own = [command.partition(".")[0] for command in USED_MOST[:first_of_app]]

    assert {"results", "inspect", "evaluate", "compare", "moments", "sessions"} <= set(own)


@pytest.mark.parametrize(("width", "first"), [(80, "n Miss"), (200, "n Next miss")])
def test_titles_are_short_where_not_all_fit(width: int, first: str) -> None:
    many = [Hint(letter, "Something", "") for letter in "abcdefgh"]
    hints = (Hint("n", "Next miss", "results.next_miss"), *many)

    shown, _ = fit_hints(hints, width)

    assert f"{shown[0].label} {shown[0].title}" == first


def test_at_80_columns_one_can_judge_ask_and_edit(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        line = last_line(see)
        for hint in ("n Miss", "b Bias", "+ Rel.", "- Not", "a Note", "/ Search", "e Keywords"):
            assert hint in line
        assert line.endswith("? Help") and len(line) <= 80
        await see.do("results.mark_not_relevant")
        await see.until(lambda: "u Undo" in last_line(see), "something to undo")

    inspect(flow, tmp_path, encoder, size=NARROW, query=("video", CLIP))


def test_at_80_columns_a_row_is_opened_filtered_and_sorted(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.do("app.show_evaluate", "evaluate.toggle_mode")
        assert last_line(see).startswith(" r Run")
        await see.do("evaluate.run")
        await see.says("enter Open")
        assert last_line(see).startswith(" enter Open  f Filter  s Sort  F Count  P Plots  r Run")
        await see.do("app.show_sessions")
        await see.says("i New")
        assert "1" in see.footer.values() and "3" not in see.footer.values()

    inspect(flow, tmp_path, encoder, size=NARROW)


def test_a_small_pane_has_its_own_keys_first(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.do("inspect.edit_keywords")
        await see.until(lambda: last_line(see).startswith(" x Drop  i Add"), "the keywords' keys")
        await see.do("inspect.pick")
        await see.until(lambda: last_line(see).startswith(" space Choose"), "the groups' keys")

    inspect(flow, tmp_path, encoder, size=NARROW, query=("video", CLIP))


def test_what_cannot_be_played_is_not_offered(tmp_path: Path, encoder: SentenceEncoder) -> None:
    dataset = small_dataset(tmp_path / "bare", "\n".join(f"{name},,,car,city" for name in "abcdef"))

    async def flow(see: Inspector) -> None:
        await see.answered("a")
        assert "Play" not in see.footer
        await see.press("space")
        await see.says("No clip has media")

    inspect(flow, tmp_path, encoder, dataset=dataset, images="quadrant", query=("video", "a"))
