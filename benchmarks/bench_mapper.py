"""Mapping many queries at once, against KeyBERT called for every n-gram of every query."""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Iterator, Sequence

from benchmarks.claim import Claim
from engine.base.keyword import Keyword
from engine.text.mapping.lexicon import compile_lexicon
from engine.text.mapping.mapper import Mapper
from engine.text.mapping.query_words import split_words
from engine.text.model_files import find_model_path
from engine.text.opening import open_encoder
from engine.text.vector_cache import VectorCache
from engine.text.wordnet.table import load_wordnet
from training.fields import Field, read_field

QUERIES = 500
LARGE = 20_000
PHRASES = ("exact", "synonym")
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
    yield _batch("of the synonym table", vocabulary(), queries())
    garden = read_field("gardening")
    texts = [f"{query.text} near {town}" for query in garden.queries for town in TOWNS]
    yield _batch("of another field", list(garden.vocabulary), texts)
    yield _new_query(read_field("travel"))
    yield _large_vocabulary()


TOWNS = "york leeds hull bath ely rye poole wells derby truro".split()


def _batch(name: str, keywords: list[Keyword], texts: list[str]) -> Claim:
    with open_encoder(cache=VectorCache(None)) as encoder:
        encoder.wait_until_ready()
        mapper = Mapper(keywords, encoder)
        start = time.perf_counter()
        mapped = mapper.map_batch(texts)
        ours = time.perf_counter() - start
    weighed = sum(item.why not in PHRASES for mapping in mapped for item in mapping.keywords)
    candidates = [keyword.name for keyword in keywords]
    peer = _keybert_per_ngram(texts[:: len(texts) // PEER_QUERIES][:PEER_QUERIES], candidates)
    peer *= len(texts) / PEER_QUERIES
    detail = (
        f"{len(texts)} queries, cold cache: ours {ours:.2f} s ({weighed} keywords by weighing), "
        f"KeyBERT per n-gram {peer:.0f} s (scaled from {PEER_QUERIES})"
    )
    claim = f"map 500 queries {name} against KeyBERT per n-gram"
    return Claim(claim, peer / ours, 20, "at least", detail)


def _new_query(field: Field) -> Claim:
    """Queries that were never seen, one by one, once the mapper is made."""
    times = []
    with open_encoder(cache=VectorCache(None)) as encoder:
        mapper = Mapper(field.vocabulary, encoder)
        mapper.map("anything at all to begin with")
        for query in field.queries:
            start = time.perf_counter()
            mapper.map(query.text, query.groups)
            times.append(time.perf_counter() - start)
    median, slowest = statistics.median(times), max(times)
    detail = f"{len(times)} queries: median {1e3 * median:.0f} ms, slowest {1e3 * slowest:.0f} ms"
    return Claim("one new query / 50 ms", median / 0.05, 1, "at most", detail)


def _large_vocabulary() -> Claim:
    """Keywords of any kind, drawn evenly from WordNet; the query is explained by words alone."""
    lemmas = [name for name in load_wordnet().list_lemmas() if name.isascii()]
    names = [name.replace("_", " ") for name in lemmas[:: len(lemmas) // LARGE][:LARGE]]
    keywords = [Keyword(f"g{number % 10}", name) for number, name in enumerate(names)]
    with open_encoder(cache=VectorCache(None)) as encoder:
        start = time.perf_counter()
        mapper = Mapper(keywords, encoder)
        made = time.perf_counter() - start
        assert mapper.map(names[77]).keywords
    detail = f"{len(keywords):,} keywords in {made:.1f} s"
    return Claim("compile 20,000 keywords / 10 s", made / 10, 1, "at most", detail)


def _keybert_per_ngram(texts: list[str], candidates: list[str]) -> float:
    from keybert import KeyBERT
    from sentence_transformers import SentenceTransformer

    model = KeyBERT(SentenceTransformer(find_model_path("embedded"), device="cpu"))
    spelling = compile_lexicon(candidates).spelling
    model.extract_keywords("warm up", candidates=candidates)
    start = time.perf_counter()
    for text in texts:
        words = [word.form for word in split_words(text, spelling)]
        for gram in list_ngrams(words, 3):
            model.extract_keywords(gram, candidates=candidates, keyphrase_ngram_range=(1, 3))
    return time.perf_counter() - start


def list_ngrams(words: Sequence[str], longest: int) -> list[str]:
    """All n-grams of 1 to `longest` words.

    >>> list_ngrams(["red", "car"], 3)
    ['red', 'car', 'red car']
    """
    sizes = range(1, min(longest, len(words)) + 1)
    return [
        " ".join(words[start : start + size])
        for size in sizes
        for start in range(len(words) - size + 1)
    ]
