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
