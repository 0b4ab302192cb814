"""The encoders that models name: shared, opened without loading, and known for what they cost."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.base.errors import InputError
from engine.dataset.dataset import Dataset
from engine.keywords.model_encoders import EncoderStatus, ModelEncoders
from engine.keywords.question import Question
from engine.keywords.workbench import Workbench
from engine.text.encoder import SentenceEncoder
from tests.engine.keywords.sample_workbench import CYCLIST, GROUPS, sample, workbench
from tests.engine.keywords.workbench_by_hand import MEASURES


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that says that it is a model, and is none."""
    monkeypatch.setenv("TUI_EVAL_CACHE", str(tmp_path / "cache"))
    own = tmp_path / "own-model"
    own.mkdir()
    (own / "modules.json").write_text("[]")
    return own


def naming(folder: Path, *models: str) -> Dataset:
    """The sample, where these models name an encoder."""
    opened = sample()
    own = {name: replace(opened.model(name), encoder=str(folder)) for name in models}
    return replace(opened, models={**opened.models, **own})


def test_models_that_name_the_same_encoder_share_it(folder: Path, encoder: SentenceEncoder) -> None:
    encoders = ModelEncoders(naming(folder, "alfa-0.1", "alfa-0.2"), encoder)

    assert encoders.of("alfa-0.1") is encoders.of("alfa-0.2") is not encoder
    assert ModelEncoders(naming(folder, "alfa-0.1"), encoder).of("alfa-0.2") is encoder


def test_only_an_encoder_that_takes_seconds_has_a_status(
    folder: Path, encoder: SentenceEncoder
) -> None:
    encoders = ModelEncoders(naming(folder, "alfa-0.1"), encoder)

    assert encoders.status("alfa-0.1") == EncoderStatus(str(folder), "alfa-0.1", "cold", 0.0)
    assert encoders.status("alfa-0.2") is None


def test_a_text_must_wait_unless_it_was_encoded_before(
    folder: Path, encoder: SentenceEncoder
) -> None:
    encoders = ModelEncoders(naming(folder, "alfa-0.1"), encoder)
    own = encoders.of("alfa-0.1")
    assert isinstance(own, SentenceEncoder)
    own.cache.put({"a car": np.ones(384, np.float32)})

    assert encoders.must_load("alfa-0.1", "a bus")
    assert not encoders.must_load("alfa-0.1", "a car")
    assert not encoders.must_load("alfa-0.2", "a bus")


@pytest.mark.slow
def test_the_loading_of_a_model_is_surrounded_also_where_it_fails(
    folder: Path, encoder: SentenceEncoder
) -> None:
    said: list[str] = []

    def loading(name: str) -> AbstractContextManager[object]:
        said.append(name)
        return nullcontext()

    encoders = ModelEncoders(naming(folder, "alfa-0.1"), encoder, loading)
    with pytest.raises(InputError, match="cannot be read as a text model"):
        encoders.wait_until_ready("alfa-0.1")

    status = encoders.status("alfa-0.1")
    assert said == [str(folder)]
    assert status is not None and (status.state, status.seconds) == ("failed", 0.0)
    encoders.close()


def test_what_a_text_means_is_known_without_its_models_encoder(
    folder: Path, encoder: SentenceEncoder
) -> None:
    with Workbench(naming(folder, "alfa-0.1"), encoder) as bench:
        question = Question("text", CYCLIST, "alfa-0.1", GROUPS)

        known = bench.find_keywords(question)

        assert bench.must_load(question)
        whole = workbench(encoder).ask(question, MEASURES, k=5)
        assert known.keywords == whole.keywords
        assert known.mapping is not None and whole.mapping is not None
        assert known.mapping.keywords == whole.mapping.keywords
        status = bench.encoders.status("alfa-0.1")
        assert status is not None and status.state == "cold"
