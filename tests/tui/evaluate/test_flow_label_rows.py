"""Items of label files are asked by their id, or by the number of their row."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.base.errors import InputError
from engine.dataset.ground_truth import GroundTruth
from engine.labels.data.labelled_items import find_item
from engine.text.encoder import SentenceEncoder
from tests.tui.evaluate.test_flow_labels import inspect_labels, labels
from tests.tui.inspector import Inspector


def truth_of(*ids: str) -> GroundTruth:
    return GroundTruth.from_columns(list(ids), {"room": [["hall"]] * len(ids)})


def test_an_id_wins_over_the_number_of_a_row() -> None:
    truth = truth_of("b", "0", "c")

    assert find_item("0", truth) == "0"
    assert find_item("2", truth) == "c"


@pytest.mark.parametrize("text", ["3", "-1", "1.0", "²", "1_0", "9" * 5000])
def test_what_is_neither_an_id_nor_a_row_is_refused_with_what_to_type(text: str) -> None:
    with pytest.raises(InputError, match="no item") as said:
        find_item(text, truth_of("a", "b", "c"))

    assert "from 0 to 2" in said.value.hint


def test_a_row_that_is_typed_asks_with_its_item_and_is_saved_by_its_id(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    item = labels().truth.ids[17]

    async def flow(see: Inspector) -> None:
        await see.press("c")
        await see.type("17")
        await see.press("enter")
        await see.answered(item)
        assert see.field == item
        assert see.session().answers()[-1].question.query == item

    inspect_labels(flow, tmp_path, encoder)


def test_a_row_of_the_command_line_asks_with_its_item(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    first, second = labels().truth.ids[17], labels().truth.ids[3]

    async def flow(see: Inspector) -> None:
        await see.answered(first)
        assert see.field == first
        await see.press("c")
        await see.type("3")
        await see.press("enter")
        await see.answered(second)
        await see.press("left_square_bracket")
        await see.answered(first)
        assert [one.question.query for one in see.session().answers()][:1] == [first]

    inspect_labels(flow, tmp_path, encoder, query=("video", "17"), ready=False)


def test_a_row_that_there_is_not_says_which_there_are(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.press("c")
        await see.type("284")
        await see.press("enter")
        await see.says("the number of a row from 0 to 283")

    inspect_labels(flow, tmp_path, encoder)
