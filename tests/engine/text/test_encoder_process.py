"""Other models: a child process that starts late and ends with its parent, errors in one line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from engine.base.errors import InputError
from engine.text.checkpoints.encoder import CheckpointEncoder
from engine.text.encoder_process import EncoderProcess
from engine.text.model_files import find_model_path
from engine.text.opening import open_encoder
from engine.text.transformer_encoder import TransformerEncoder
from engine.text.vector_cache import VectorCache


@pytest.fixture(scope="module")
def started() -> Iterator[TransformerEncoder]:
    """The embedded model as if it were any other: named by its folder, in a child process."""
    with TransformerEncoder(find_model_path("embedded"), cache=VectorCache(None)) as encoder:
        encoder.wait_until_ready()
        yield encoder


@pytest.fixture
def child(started: TransformerEncoder, monkeypatch: pytest.MonkeyPatch) -> TransformerEncoder:
    """The encoder that runs already, but it remembers no text."""
    monkeypatch.setattr(started, "_cache", VectorCache(None))
    return started


@pytest.mark.parametrize(
    ("missing", "named"),
    [
        (("torch",), "torch, which is not installed"),
        (("torch", "sentence_transformers"), "sentence-transformers, torch, which are not"),
    ],
)
def test_without_its_packages_another_encoder_says_what_to_install(
    missing: tuple[str, ...], named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in missing:
        monkeypatch.setitem(sys.modules, name, None)
    (tmp_path / "modules.json").write_text("[]")
    (tmp_path / "weights.pt").write_bytes(b"")
    encoders: list[EncoderProcess] = [
        TransformerEncoder(str(tmp_path), cache=VectorCache(None)),
        CheckpointEncoder(tmp_path / "weights.pt", cache=VectorCache(None)),
    ]

    for encoder in encoders:
        with pytest.raises(InputError, match=named) as refused:
            encoder.encode(["a car"])
        assert "run make run in" in str(refused.value)
        assert encoder.state == "failed" and encoder.seconds_loading == 0
        assert encoder._child is None, "no process was started"


@pytest.mark.slow
def test_the_child_encodes_texts_in_order(child: TransformerEncoder) -> None:
    vectors = child.encode(["a bicycle", "a lorry", "a bicycle"])

    assert vectors.shape == (3, 384)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    assert (vectors[0] == vectors[2]).all()
    assert child.encode([]).shape[0] == 0


@pytest.mark.slow
def test_the_child_encodes_phrases_as_keybert_does(child: TransformerEncoder) -> None:
    phrases = ["cyclist entering ego lane", "it stops", "lorry", "it stops"]

    vectors = child.encode_phrases(phrases)

    assert vectors == pytest.approx(child.encode(phrases), abs=1e-5)


@pytest.mark.slow
def test_a_model_that_is_not_here_is_one_clear_line() -> None:
    encoder = open_encoder("nobody/no-such-model", cache=VectorCache(None))

    with pytest.raises(InputError, match=r"^nobody/no-such-model: cannot be read as a text"):
        encoder.encode(["a car"])
    assert encoder.state == "failed"


@pytest.mark.slow
def test_a_killed_child_is_reported_and_the_next_call_starts_another(
    child: TransformerEncoder,
) -> None:
    child.wait_until_ready()
    assert child.state == "ready"
    assert child._child is not None
    os.kill(child._child.pid, signal.SIGKILL)
    with pytest.raises(InputError, match="the encoder process ended"):
        child.encode(["a car"])

    assert child.encode(["a car"]).shape == (1, 384)


@pytest.mark.slow
def test_a_query_need_not_wait_until_a_thousand_texts_are_encoded(
    child: TransformerEncoder,
) -> None:
    child.wait_until_ready()
    many = [f"text number {number}" for number in range(1_000)]
    thread = threading.Thread(target=lambda: child.encode(many))
    thread.start()
    while len(child.cache.get(many)) == 0:  # until the first of them are there
        time.sleep(0.005)

    child.encode(["one query"])

    assert len(child.cache.get(many)) < len(many)
    thread.join()
    assert len(child.cache.get(many)) == len(many)


@pytest.mark.slow
def test_what_was_encoded_before_the_encoder_ended_is_kept(tmp_path: Path) -> None:
    many = [f"text number {number}" for number in range(2_000)]
    encoder = TransformerEncoder(
        find_model_path("embedded"), cache=VectorCache(tmp_path / "vectors.sqlite")
    )
    encoder.wait_until_ready()

    def encode() -> None:
        with pytest.raises(InputError, match="the encoder process ended"):
            encoder.encode(many)

    thread = threading.Thread(target=encode)
    thread.start()
    while len(encoder.cache.get(many)) == 0:
        time.sleep(0.005)

    encoder.close()
    thread.join()

    kept = VectorCache(tmp_path / "vectors.sqlite").get(many)
    assert 0 < len(kept) < len(many)


@pytest.mark.slow
@pytest.mark.parametrize("after", [0, 0.5, 2.0])
def test_the_child_ends_with_a_parent_that_is_killed(after: float) -> None:
    """Also in the middle of its imports, which take seconds and look at nothing else."""
    script = (
        "import time\n"
        "from engine.text.opening import open_encoder\n"
        f"encoder = open_encoder({find_model_path('embedded')!r}); encoder.start()\n"
        "print(encoder._child.pid, flush=True); time.sleep(60)"
    )
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    time.sleep(after)  # the moment of its imports at which the parent dies
    parent.kill()
    parent.wait()

    end = time.monotonic() + 1
    while _lives(child):
        assert time.monotonic() < end, "the encoder outlives its parent"
        time.sleep(0.02)


def _lives(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"
