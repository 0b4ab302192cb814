"""The engine behind the screens: what waits for what."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.base.errors import InputError
from engine.dataset.dataset import Dataset
from engine.text.encoder import SentenceEncoder
from engine.text.model_files import find_model_path
from tests.tui.inspector import CLIP, Inspector, inspect, sample
from tui.work.bench import Bench
from tui.work.lanes import LaneGroup

pytestmark = pytest.mark.slow

TEXT = "zebra near a lamp post"


@pytest.fixture
def slow_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Dataset:
    """The sample, with models whose encoder takes seconds to load, in a child process."""
    monkeypatch.setenv("TUI_EVAL_CACHE", str(tmp_path / "cache"))
    opened, folder = sample(), find_model_path("embedded")
    models = {name: replace(model, encoder=folder) for name, model in opened.models.items()}
    return replace(opened, models=models)


def test_a_clip_is_answered_while_a_text_waits_for_the_encoder(
    slow_start: Dataset, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.press("slash")
        await see.type(TEXT)
        await see.press("enter")
        await see.says("waiting for the text encoder")
        await see.ask_clip(CLIP)

        assert see.app.services.encoder_state == "warming"
        assert see.inspection is not None and see.inspection.query == CLIP

    inspect(flow, tmp_path, encoder, dataset=slow_start)


def test_a_text_that_waits_is_answered_the_moment_the_encoder_is_ready(
    slow_start: Dataset, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.ask(TEXT)

        assert see.app.services.encoder_state == "ready"
        assert "encoder ready" in see.title or see.app.screen.is_modal

    inspect(flow, tmp_path, encoder, dataset=slow_start)


def test_a_text_of_the_embedded_encoder_waits_for_no_process(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.ask(TEXT)

        assert see.app.services.encoder_state == "ready"
        assert see.app.services.bench.work.text_encoder(see.home.question.model) is encoder

    inspect(flow, tmp_path, encoder)


def test_nothing_is_started_once_the_bench_is_closed(
    slow_start: Dataset, encoder: SentenceEncoder
) -> None:
    """The app may end before the thread that starts an encoder has come that far."""
    bench = Bench(slow_start, encoder, LaneGroup(lambda call: call()))
    bench.close()

    with pytest.raises(InputError, match="is closed"):
        bench.work.wait_until_ready(slow_start.model().name)
    assert bench.work.encoder_state(slow_start.model().name) == "cold"
