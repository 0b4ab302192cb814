"""Encoders: nothing is loaded before a text needs it, and what was encoded is kept."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pytest

from benchmarks.bench_mapper import list_ngrams
from engine.base.arrays import Vectors
from engine.base.errors import InputError
from engine.files.data_folder import find_cache_folder
from engine.text.embedded.encoder import EmbeddedEncoder
from engine.text.encoder import PrecomputedEncoder, SentenceEncoder
from engine.text.model_files import hash_model
from engine.text.opening import open_encoder
from engine.text.transformer_encoder import TransformerEncoder
from engine.text.vector_cache import VectorCache


@pytest.mark.parametrize("model", ["embedded", "some/folder"])
def test_nothing_is_loaded_before_a_text_is_encoded(model: str) -> None:
    encoder = open_encoder(model)

    assert (encoder.name, encoder.state) == (model, "cold")


def test_the_embedded_model_needs_no_process_and_every_other_one_has_its_own() -> None:
    assert isinstance(open_encoder(), EmbeddedEncoder)
    assert isinstance(open_encoder("embedded"), EmbeddedEncoder)
    assert isinstance(open_encoder("some/folder"), TransformerEncoder)


def test_cached_texts_need_no_model(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "vectors.sqlite")
    cache.put({"a car": np.float32([1, 2, 3])})
    cache.close()

    encoder = open_encoder("no-such-model", cache=VectorCache(tmp_path / "vectors.sqlite"))
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


class Doubling(SentenceEncoder):
    """A model whose vectors say how long a text is, twice."""

    state = "ready"

    def wait_until_ready(self) -> None: ...
    def close(self) -> None: ...
    def _digest(self) -> None: ...
    def _compute(self, texts: list[str]) -> Vectors:
        return np.float32([[len(text), len(text)] for text in texts])


@pytest.mark.parametrize(
    "damage",
    [
        "SET vector = NULL",
        "SET vector = 7",
        "SET vector = 'text'",
        "SET vector = x'', checksum = 0",
        "SET vector = x'010203', checksum = 1438416925",
        "SET checksum = NULL",
        "SET checksum = 'text'",
        "SET checksum = -1",
        "SET vector = x'00000000', checksum = 558161692 WHERE text = 'car'",
        "SET vector = x'00000000', checksum = 558161692",
    ],
)
def test_whatever_a_row_of_the_cache_holds_the_text_is_encoded_again(
    tmp_path: Path, damage: str
) -> None:
    file, texts = tmp_path / "vectors.sqlite", ["car", "night", "bus"]
    cache = VectorCache(file)
    Doubling("doubling", cache).encode(texts[:2])
    cache.close()
    with sqlite3.connect(file) as connection:
        connection.execute(f"UPDATE vectors {damage}")
    connection.close()

    for _ in ("encoded again", "and replaced"):
        cache = VectorCache(file)
        found = Doubling("doubling", cache).encode(texts)
        cache.close()
        assert found.tolist() == [[3, 3], [5, 5], [3, 3]]
    assert len(VectorCache(file).get(texts)) == 3


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
