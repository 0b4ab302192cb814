"""The engine behind the screens: what waits for what."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.text.opening import open_encoder
from engine.text.vector_cache import VectorCache
from tests.tui.inspector import CLIP, Inspector, inspect


@pytest.mark.slow
def test_a_clip_is_answered_while_a_text_waits_for_the_encoder(tmp_path: Path) -> None:
    with open_encoder(cache=VectorCache(tmp_path / "vectors.db")) as cold:

        async def flow(see: Inspector) -> None:
            await see.press("slash")
            await see.type("zebra near a lamp post")
            await see.press("enter")
            await see.says("waiting for the text encoder")
            await see.ask_clip(CLIP)

            assert see.app.services.encoder_state == "warming"
            assert see.inspection is not None and see.inspection.query == CLIP

        inspect(flow, tmp_path, cold)


@pytest.mark.slow
def test_a_text_that_waits_is_answered_the_moment_the_encoder_is_ready(tmp_path: Path) -> None:
    with open_encoder(cache=VectorCache(tmp_path / "vectors.db")) as cold:

        async def flow(see: Inspector) -> None:
            await see.ask("zebra near a lamp post")

            assert see.app.services.encoder_state == "ready"
            assert "encoder ready" in see.title or see.app.screen.is_modal

        inspect(flow, tmp_path, cold)
