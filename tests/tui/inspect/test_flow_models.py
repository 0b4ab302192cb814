"""Change the model: the same question again, and where each result stands in the other one."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.keywords.question import Question
from engine.text.encoder import SentenceEncoder
from tests.tui.inspect.test_flow_inspect import strip_values
from tests.tui.inspector import (
    CLIP,
    CYCLIST,
    GROUPS,
    Inspector,
    answer,
    inspect,
    small_dataset,
    workbench,
)

SIX = """
    a,,,car,city
    b,,,car,rain
    c,,,bus,city
    d,,,bus,rain
    e,,,bus,city
    f,,,car,city
"""


@pytest.mark.slow
def test_the_same_query_is_asked_again_and_cursor_and_marks_stay_on_their_clips(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    old, new = answer(encoder, CYCLIST), answer(encoder, CYCLIST, model="alfa-0.2")

    async def flow(see: Inspector) -> None:
        await see.answered(CYCLIST)
        await see.press("j", "j", "minus", "g", "j", "j")
        clip = old.clip(2)
        assert see.results.clip == clip
        await see.press("m")
        await see.until(lambda: see.home.question.model == "alfa-0.2")
        await see.answered(CYCLIST)
        assert "alfa-0.2 (2/2)" in see.title
        assert [row[3] for row in see.rows()] == [new.clip(place) for place in range(284)]
        place = new.place_of(clip)
        assert place is not None
        assert see.results.clip == clip
        assert see.results.cursor == place
        assert see.rows()[place][4] == "✗ "
        values = [text.removeprefix("Recall") for text in strip_values(new)]
        adjudicated = [text for text in values if text not in see.metrics]
        assert adjudicated == []  # the published values are those of the new model
        await see.press("u")  # the model was the last thing
        await see.until(lambda: see.home.question.model == "alfa-0.1")
        await see.answered(CYCLIST)
        assert see.results.cursor == 2
        await see.press("G", "u")
        assert see.rows()[2][4] == ""
        assert see.results.cursor == 2  # where it happened

    inspect(flow, tmp_path, encoder, query=("text", CYCLIST))


def test_each_result_shows_its_rank_in_the_other_model(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    found = answer(encoder, CLIP, "video")
    question = Question("video", CLIP, "alfa-0.1", GROUPS)
    standing = workbench(encoder).standing(question, "alfa-0.2")
    other = answer(encoder, CLIP, "video", "alfa-0.2")

    def cell(place: int) -> str:
        rank, own = standing.rank(found.clip(place)), place + 1
        assert rank is not None
        assert other.clip(rank - 1) == found.clip(place)  # the rank is where the model puts it
        return f"#{rank} {'=' if rank == own else '▲' if rank < own else '▼'}"

    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        assert see.results.source is not None
        assert see.results.source.columns[-1].title == "alfa-0.2"
        assert [row[5] for row in see.rows()] == [cell(place) for place in range(283)]
        rank = standing.rank(found.clip(0))
        assert rank == 9
        assert "in alfa-0.2" in see.detail
        assert "#9 ▼ (good: a miss fell)" in see.detail

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_of_more_than_two_models_one_is_chosen_from_a_list(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    dataset = small_dataset(tmp_path / "three", SIX, "one two three")

    async def flow(see: Inspector) -> None:
        await see.answered("a")
        assert "one (1/3)" in see.title
        await see.press("m")
        assert "Which model?" in see.screen_text
        await see.press("3")
        await see.until(lambda: see.home.question.model == "three")
        await see.answered("a")
        assert "three (3/3)" in see.title
        await see.press("m", "escape")
        assert see.home.question.model == "three"

    inspect(flow, tmp_path, encoder, dataset=dataset, query=("video", "a"))


def test_with_one_model_there_is_no_key_for_another(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    dataset = small_dataset(tmp_path / "one", SIX)

    async def flow(see: Inspector) -> None:
        await see.answered("a")
        assert "Model" not in see.footer
        assert see.results.source is not None
        assert len(see.results.source.columns) == 5  # no column for another model
        await see.press("m")
        assert not see.app.screen.is_modal
        assert see.home.question.model == "one"

    inspect(flow, tmp_path, encoder, dataset=dataset, query=("video", "a"))


def test_before_a_query_the_model_changes_for_the_next_one(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.press("m")
        await see.until(lambda: "alfa-0.2 (2/2)" in see.title)
        await see.ask_clip(CLIP)
        expected = answer(encoder, CLIP, "video", "alfa-0.2")
        assert see.rows()[0][3] == expected.clip(0)

    inspect(flow, tmp_path, encoder)
