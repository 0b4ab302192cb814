"""Embeddings of another space than the embedded encoder's: what can be asked is offered first."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.text.encoder import SentenceEncoder
from tests.tui.inspector import Inspector, inspect, small_dataset

CLIPS = "otter_1,,,otter,river\notter_2,,,otter,lake"


@pytest.mark.parametrize(("width", "first"), [(16, "video"), (384, "text")])
def test_a_start_offers_what_can_be_asked(
    width: int, first: str, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    dataset = small_dataset(tmp_path / "d", CLIPS, width=width)

    async def flow(see: Inspector) -> None:
        await see.until(lambda: see.home.truth is not None, "the annotations")
        shown = see.screen_text
        takes_texts = first == "text"
        assert (shown.index("ask with a clip") > shown.index("/  ")) == takes_texts
        assert ("texts need an encoder: start with --encoder FOLDER" in shown) != takes_texts
        assert ("texts need an encoder of these embeddings" in shown) != takes_texts
        await see.do("app.show_evaluate")
        assert see.app.evaluate_screen.mode == first
        await see.says(f"{first} queries")

    inspect(flow, tmp_path, encoder, dataset=dataset)


@pytest.mark.parametrize("key", ["2", "4"])
def test_before_a_run_of_texts_it_is_said_that_none_can_be_asked(
    key: str, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    dataset = small_dataset(tmp_path / "d", CLIPS, "one two", width=16)

    async def flow(see: Inspector) -> None:
        await see.until(lambda: see.home.truth is not None, "the annotations")
        await see.press(key)
        await see.says("video queries")
        assert "need an encoder" not in see.screen_text
        await see.press("t")
        await see.says("Text queries need an encoder of these")
        await see.says("--encoder FOLDER.")
        await see.says("t changes to video queries.")
        assert "the whole set of text queries" not in see.screen_text

    inspect(flow, tmp_path, encoder, dataset=dataset)
