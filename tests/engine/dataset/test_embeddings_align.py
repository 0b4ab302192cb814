"""Clips on one side only are named; what both sides have is matched in the annotations' order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base.errors import InputError
from engine.dataset.embeddings.read import EmbeddingSet, align_rows

ID_LISTS = st.lists(st.sampled_from("abcdefgh"), min_size=1, unique=True)


def embedding_set(*ids: str) -> EmbeddingSet:
    return EmbeddingSet("m", ids, np.arange(2 * len(ids), dtype=np.float32).reshape(-1, 2))


def test_the_same_ids_in_the_same_order_share_the_vectors() -> None:
    embedded = embedding_set("a", "b", "c")
    aligned = align_rows(embedded, ["a", "b", "c"])
    assert aligned.take(embedded) is embedded.vectors
    assert aligned.without_vector == aligned.without_annotation == ()
    assert aligned.notes() == ()


def test_another_order_follows_the_ground_truth() -> None:
    embedded = embedding_set("a", "b", "c")
    aligned = align_rows(embedded, ["c", "a", "b"])
    assert aligned.set_rows.tolist() == [2, 0, 1]
    assert aligned.take(embedded).tolist() == [[4, 5], [0, 1], [2, 3]]


def test_a_leading_part_of_the_set_is_not_the_whole_set() -> None:
    embedded = embedding_set("a", "b", "c")
    assert align_rows(embedded, ["a", "b"]).take(embedded).tolist() == [[0, 1], [2, 3]]


def test_both_sides_are_reported_with_counts_and_examples() -> None:
    aligned = align_rows(embedding_set("a", "v", "w", "x", "y"), ["a", "b"])
    assert aligned.notes() == (
        "1 clip is annotated but without an embedding ('b')",
        "4 clips are embedded but not annotated ('v', 'w', 'x', …)",
    )
    assert aligned.without_vector or aligned.without_annotation


def test_nothing_in_common_shows_examples_of_both_sides() -> None:
    with pytest.raises(InputError, match=r"'1', '2'.*'clip_1', 'clip_2'"):
        align_rows(embedding_set("1", "2"), ["clip_1", "clip_2"])


@given(ID_LISTS, ID_LISTS)
def test_every_id_is_either_matched_or_named(embedded_ids: list[str], truth: list[str]) -> None:
    embedded = embedding_set(*embedded_ids)
    common = [key for key in truth if key in embedded_ids]
    if not common:
        with pytest.raises(InputError):
            align_rows(embedded, truth)
        return
    aligned = align_rows(embedded, truth)
    assert [embedded.ids[row] for row in aligned.set_rows] == common
    assert [truth[row] for row in aligned.truth_rows] == common
    assert aligned.without_vector == tuple(key for key in truth if key not in embedded_ids)
    assert aligned.without_annotation == tuple(key for key in embedded_ids if key not in truth)
    np.testing.assert_array_equal(aligned.take(embedded), embedded.vectors[aligned.set_rows])
