"""Two directions held against each other, where only in one an item may find itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.compare.table import CompareTable
from engine.text.encoder import SentenceEncoder
from tests.tui.evaluate.test_flow_labels import inspect_labels, scored
from tests.tui.inspector import Inspector
from tui.compare.screen import CompareScreen

SAID = "never finds the item itself"


async def compared(see: Inspector, number: str) -> CompareTable:
    """Compare text2video with the direction of this number in the choice."""
    await see.press("4", "m")
    await see.says("Compare text2video with which direction?")
    await see.press(number)
    await see.press("r")
    await see.says("284 of 284 queries count")
    screen = see.app.compare_screen
    assert isinstance(screen, CompareScreen)
    table = screen.listing.result
    assert table is not None
    return table


@pytest.mark.parametrize("size", [(80, 24), (140, 40)])
def test_within_a_modality_the_item_itself_is_no_result_that_fell_out(
    size: tuple[int, int], tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        table = await compared(see, "3")
        assert f"video2video {SAID}, text2video may" in see.screen_text
        listed = [{one.clip for one in table.results(row)} for row in range(len(table))]
        assert not any(table.name(row) in clips for row, clips in enumerate(listed))
        for row in range(len(table)):
            # 100 results are held: of those of the same label, what one has and the other not.
            flips = [one for one in table.results(row) if one.relevant]
            assert table.fell_out[row] == sum(not one.after for one in flips)
            assert table.came_in[row] == sum(not one.before for one in flips)

    inspect_labels(flow, tmp_path, encoder, size=size)


def test_the_values_are_still_those_of_the_directions(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        table = await compared(see, "3")
        before, after = table.values(table.main)
        assert before.mean() == pytest.approx(scored("text2video").hits[:, 0].mean() / 10)
        assert after.mean() == pytest.approx(scored("video2video").hits[:, 0].mean() / 10)

    inspect_labels(flow, tmp_path, encoder)


def test_two_directions_across_are_compared_as_they_are(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        table = await compared(see, "2")
        assert SAID not in see.screen_text
        own = sum(
            table.name(row) in {one.clip for one in table.results(row)} for row in range(len(table))
        )
        assert own > 200  # nearly every item finds its partner among the first 100

    inspect_labels(flow, tmp_path, encoder)
