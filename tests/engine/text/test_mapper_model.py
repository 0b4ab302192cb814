"""The mapper with the real model: quality on queries it was not made for, and unknown words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.base.keyword import Keyword
from engine.text.encoder import SentenceEncoder
from engine.text.mapping.accuracy import measure_accuracy
from engine.text.mapping.mapper import SINGLE_WORD_MARGIN, Mapper
from engine.text.vector_cache import VectorCache

pytestmark = pytest.mark.slow

QUERIES = Path(__file__).parents[2] / "data" / "mapper_queries.jsonl"


@pytest.fixture(scope="module")
def mapper(field_keywords: tuple[Keyword, ...], encoder: SentenceEncoder) -> Mapper:
    return Mapper(field_keywords, encoder)


def test_queries_of_the_field_map_to_their_intended_keywords(mapper: Mapper) -> None:
    records = [json.loads(line) for line in QUERIES.read_text().splitlines()]

    mappings = mapper.map_batch([r["q"] for r in records], [r["groups"] for r in records])
    result = measure_accuracy(
        (frozenset(record["kw"]), frozenset(item.keyword.name for item in mapping.keywords))
        for record, mapping in zip(records, mappings, strict=True)
    )

    assert result.exact_share >= 0.85
    assert result.micro_f1 >= 0.95


@pytest.mark.parametrize(
    ("query", "name"),
    [("tricyclist", "bicyclist"), ("rainwater", "rainy"), ("gloom", "overcast")],
)
def test_a_word_that_no_table_lists_is_found_by_similarity(
    mapper: Mapper, query: str, name: str
) -> None:
    mapping = mapper.map(query)

    (item,) = mapping.keywords
    assert (item.keyword.name, item.why, item.ngram) == (name, "similar", query)
    assert mapper.threshold + SINGLE_WORD_MARGIN <= item.score < 1


def test_what_is_not_similar_enough_is_reported_as_near(mapper: Mapper) -> None:
    mapping = mapper.map("unicyclist", ["object_type"])

    assert mapping.keywords == ()
    assert mapping.near[0].keyword.name == "bicyclist"
    assert mapping.near[0].score < mapper.threshold


def test_a_single_word_must_come_nearer_than_several(mapper: Mapper) -> None:
    mapping = mapper.map("velocipede", ["object_type"])

    assert mapping.keywords == ()
    assert mapping.near[0].keyword.name == "bicyclist"
    assert mapper.threshold < mapping.near[0].score < mapper.threshold + SINGLE_WORD_MARGIN


@pytest.mark.parametrize(
    "query",
    [
        *("red light", "fire", "snow", "white", "blue", "police", "ahead", "driveway", "dusk"),
        *("other side", "family", "rest", "estate agent", "light", "dry"),
    ],
)
def test_what_only_sounds_like_a_keyword_maps_to_nothing(mapper: Mapper, query: str) -> None:
    groups = ["object_type", "actor_behavior", "ego_behavior", "scene_type"]

    assert mapper.map(query, groups).keywords == ()


@pytest.mark.parametrize("text", ["ﷺ car", "\ufe70 car", "\ud800 car", "½ ㎞ car", "Ꮿꮿ car"])
def test_characters_that_unfold_do_not_disturb_the_model(mapper: Mapper, text: str) -> None:
    mapping = mapper.map(text, ["object_type"])

    assert [(k.keyword.name, k.ngram) for k in mapping.keywords] == [("small vehicle", "car")]


@pytest.mark.parametrize("query", ["violin sonata in g minor", "tax return", "banana bread"])
def test_what_has_nothing_to_do_with_driving_maps_to_nothing(mapper: Mapper, query: str) -> None:
    assert mapper.map(query).keywords == ()


def test_similarity_does_not_take_the_contrary_for_the_same(mapper: Mapper) -> None:
    mapping = mapper.map("rightmost neighbor lane", ["spatial_relation"])

    assert all("left" not in item.keyword.name for item in (*mapping.keywords, *mapping.near))


def test_a_batch_gives_what_single_queries_give(mapper: Mapper) -> None:
    queries = ["velocipede at night", "unicyclist", "bus"]

    assert mapper.map_batch(queries) == [mapper.map(query) for query in queries]


def test_keybert_and_plain_encoding_give_the_same_vectors(
    encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What is in a cache is not encoded again: each way begins with an empty one.
    monkeypatch.setattr(encoder, "_cache", VectorCache(None))
    found = encoder.candidates(["red car turning"], 2)
    monkeypatch.setattr(encoder, "_cache", VectorCache(None))
    direct = encoder.encode(list(found))

    assert sorted(found) == ["car", "car turning", "red", "red car", "turning"]
    for row, name in zip(direct, found, strict=True):
        assert found[name] == pytest.approx(row, abs=1e-5)
