"""Mapping many queries at once, against KeyBERT called for every n-gram of every query."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator

from benchmarks.claim import Claim
from engine.base.keyword import Keyword
from engine.text.encoder import list_ngrams
from engine.text.mapping.lexicon import compile_lexicon
from engine.text.mapping.mapper import Mapper
from engine.text.mapping.query_words import split_words
from engine.text.model_files import find_model_path
from engine.text.opening import open_encoder
from engine.text.vector_cache import VectorCache

QUERIES = 500
PEER_QUERIES = 12
"""KeyBERT per n-gram takes over a second per query: a part is timed and scaled up."""

KEYWORDS = {
    "object_type": "small vehicle, large vehicle, bollard, pedestrian, motorcyclist, bicyclist",
    "actor_behavior": "entering ego path, stationary, traveling in same direction, "
    "traveling in opposite direction, straight crossing path, oncoming turn across path",
    "ego_behavior": "ego turning, proceeding straight, ego lane change",
    "scene_type": "test track, intersection, crosswalk, highway, urban, bridge/tunnel, "
    "curved road, nighttime, daytime, rainy, sunny, overcast, parking lot/depot",
}
# Half of each list is in the synonym table, half is not and must be compared by similarity.
WHO = ["cyclist", "lorry", "velocipede", "wayfarer", "taxi", "goods carrier", "kid", "roadster fan"]
WHAT = ["stopped", "overtaking", "dawdling", "crossing", "veering wildly", "oncoming", "lurking"]
WHERE = ["downtown", "on the motorway", "near the harbour", "at night", "by the seaside", "in fog"]
HOW = ["", "in the rain", "under floodlights"]


def queries() -> list[str]:
    combined = itertools.product(WHO, WHAT, WHERE, HOW)
    return [" ".join(part for part in parts if part) for parts in combined][:QUERIES]


def vocabulary() -> list[Keyword]:
    return [Keyword(g, name) for g, names in KEYWORDS.items() for name in names.split(", ")]


def run() -> Iterator[Claim]:
    texts = queries()
    with open_encoder(cache=VectorCache(None)) as encoder:
        encoder.wait_until_ready()
        mapper = Mapper(vocabulary(), encoder)
        start = time.perf_counter()
        mapped = mapper.map_batch(texts)
        ours = time.perf_counter() - start
    similar = sum(item.why == "similar" for mapping in mapped for item in mapping.keywords)
    peer = _keybert_per_ngram(texts[:: len(texts) // PEER_QUERIES][:PEER_QUERIES])
    peer *= len(texts) / PEER_QUERIES
    detail = (
        f"{len(texts)} queries, cold cache: ours {ours:.2f} s ({similar} keywords by similarity), "
        f"KeyBERT per n-gram {peer:.0f} s (scaled from {PEER_QUERIES})"
    )
    yield Claim("map 500 queries against KeyBERT per n-gram", peer / ours, 20, "at least", detail)


def _keybert_per_ngram(texts: list[str]) -> float:
    from keybert import KeyBERT
    from sentence_transformers import SentenceTransformer

    model = KeyBERT(SentenceTransformer(find_model_path("embedded"), device="cpu"))
    candidates = [keyword.name for keyword in vocabulary()]
    spelling = compile_lexicon(candidates).spelling
    model.extract_keywords("warm up", candidates=candidates)
    start = time.perf_counter()
    for text in texts:
        words = [word.form for word in split_words(text, spelling)]
        for gram in list_ngrams(words, 3):
            model.extract_keywords(gram, candidates=candidates, keyphrase_ngram_range=(1, 3))
    return time.perf_counter() - start
