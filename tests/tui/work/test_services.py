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
        await see.says("esc gives up")
        await see.ask_clip(CLIP)

        assert see.app.services.find_loading(see.home.question.model) is not None
        assert see.inspection is not None and see.inspection.query == CLIP

    inspect(flow, tmp_path, encoder, dataset=slow_start)


def test_a_text_that_waits_is_answered_the_moment_the_encoder_is_ready(
    slow_start: Dataset, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.ask(TEXT)

        status = see.app.services.bench.encoder_status(see.home.question.model)
        assert status is not None and (status.state, status.seconds) == ("ready", 0.0)
        assert "encoder" not in see.title and "loading" not in see.title

    inspect(flow, tmp_path, encoder, dataset=slow_start)


def test_a_text_of_the_embedded_encoder_waits_for_no_process(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.ask(TEXT)

        assert see.app.services.bench.encoder_status(see.home.question.model) is None
        assert see.app.services.bench.work.text_encoder(see.home.question.model) is encoder

    inspect(flow, tmp_path, encoder)


def test_nothing_is_started_once_the_bench_is_closed(
    slow_start: Dataset, encoder: SentenceEncoder
) -> None:
    """The app may end before the thread that starts an encoder has come that far."""
    bench = Bench(slow_start, encoder, LaneGroup(lambda call: call()))
    bench.close()

    with pytest.raises(InputError, match="is closed"):
        bench.work.encoders.wait_until_ready(slow_start.model().name)
    status = bench.encoder_status(slow_start.model().name)
    assert status is not None and status.state == "cold"
