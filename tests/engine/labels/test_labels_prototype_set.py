"""Prototypes matched with labels: pooled, named, and refused where they cannot ask."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from engine.base.errors import InputError, Place
from engine.base.similarity import Similarity
from engine.labels.data.directions import Direction
from engine.labels.data.labelled_items import LabelledItems
from engine.labels.data.level import LabelLevel
from engine.labels.prototypes.match_labels import match_prototypes
from engine.labels.prototypes.prototypes import Pooling, Prototypes
from engine.labels.scoring.label_run import score_labels

PLACES = ["town", "town", "road", "road"]
THINGS = ["car", "van", "car", "van"]
ITEMS = np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.1, 0.9]])


def data_of(metric: Similarity = "cosine", **levels: Sequence[str]) -> LabelledItems:
    levels = levels or {"place": PLACES}
    known = tuple(LabelLevel.of(name, labels) for name, labels in levels.items())
    return LabelledItems({"sensor": ITEMS}, known, ("0", "1", "2", "3"), metric)


def prototypes_of(
    labels: Sequence[str], vectors: Any = None, texts: Sequence[str] | None = None
) -> Prototypes:
    given = np.ones((len(labels), 2)) if vectors is None else np.array(vectors, float)
    return Prototypes(tuple(labels), given, None if texts is None else tuple(texts), "p.npy")


def refusal(*args: Any, **kwargs: Any) -> InputError:
    with pytest.raises(InputError) as caught:
        match_prototypes(*args, **kwargs)
    return caught.value


def test_prototypes_of_one_level_are_queries_of_their_labels() -> None:
    matched = match_prototypes(data_of(), prototypes_of(["road", "town"], [[0, 2], [1, 0]]))

    assert matched.level == "place"
    assert matched.names == ("road", "town")
    assert matched.queries.labels == ("road", "town")
    assert matched.queries.vectors.tolist() == [[0, 1], [1, 0]]
    assert matched.notes == ()


# ── pooling ────────────────────────────────────────────────────────────────────────────────

SEVERAL = prototypes_of(
    ["town", "road", "town"], [[2, 0], [0, 1], [0, 1]], ["a street", "a road", "houses"]
)


@pytest.mark.parametrize(
    ("pooling", "names", "starts"),
    [
        ("mean", ("town", "road"), [0, 1, 2]),
        ("max", ("town", "road"), [0, 2, 3]),
        ("each", ("a street", "a road", "houses"), [0, 1, 2, 3]),
    ],
)
def test_several_texts_of_a_label_are_one_query_or_each_their_own(
    pooling: Pooling, names: tuple[str, ...], starts: list[int]
) -> None:
    found = match_prototypes(data_of(), SEVERAL, pooling=pooling)

    assert found.names == names
    assert found.queries.starts.tolist() == starts


def test_means_are_of_directions_by_cosine_and_of_vectors_by_inner_product() -> None:
    cosine = match_prototypes(data_of(), SEVERAL).queries
    product = match_prototypes(data_of("ip"), SEVERAL).queries

    assert cosine.vectors[0].tolist() == [0.5, 0.5]  # of (1, 0) and (0, 1)
    assert product.vectors[0].tolist() == [1.0, 0.5]  # of (2, 0) and (0, 1)


@pytest.mark.parametrize(("pooling", "expected"), [("mean", 1.0), ("max", 0.75), ("each", 2 / 3)])
def test_pooling_decides_what_is_found(pooling: Pooling, expected: float) -> None:
    # mean: town (0.5 + 0.5·ε) finds rows 0 and 1. max: town's rows (1, 0) and (0, 1) find row 0
    # and row 2 alike, one of which is town. each: the second text of town finds roads alone.
    towns = prototypes_of(["town", "road", "town"], [[1, 0], [0, 1], [0, 1]])
    leaning = prototypes_of(["town", "road", "town"], [[1, 0], [0, 1], [0.1, 0.05]])
    asked = leaning if pooling == "mean" else towns
    data = data_of()

    found = match_prototypes(data, asked, pooling=pooling)
    run = score_labels(data, [Direction("prototype", "sensor")], [2], prototypes=found)

    assert run.scores[0].mean(2) == pytest.approx(expected)


def test_equal_texts_and_labels_are_told_apart_by_a_number() -> None:
    texts = ["a", "a", "a (2)", "a"]
    labels = ["town", "town", "road", "road"]

    by_text = match_prototypes(data_of(), prototypes_of(labels, None, texts), pooling="each")
    by_label = match_prototypes(data_of(), prototypes_of(labels), pooling="each")

    assert by_text.names == ("a", "a (2)", "a (2) (2)", "a (3)")
    assert by_label.names == ("town", "town (2)", "road", "road (2)")


def test_an_unknown_pooling_is_refused() -> None:
    assert refusal(data_of(), SEVERAL, pooling="median").message == "no pooling 'median'"


# ── levels ─────────────────────────────────────────────────────────────────────────────────


def test_of_several_levels_the_one_that_has_the_labels_is_taken() -> None:
    data = data_of(place=PLACES, thing=THINGS)

    assert match_prototypes(data, prototypes_of(["car", "van"])).level == "thing"
    assert match_prototypes(data, prototypes_of(["town"])).level == "place"


def test_a_level_may_be_named() -> None:
    data = data_of(place=PLACES, also=PLACES)

    found = match_prototypes(data, prototypes_of(["town"]), level="also")

    assert found.level == "also"


@pytest.mark.parametrize("labels", [["town", "car"], ["nowhere"]])
def test_labels_that_do_not_tell_their_level_are_refused(labels: list[str]) -> None:
    error = refusal(data_of(place=PLACES, thing=THINGS), prototypes_of(labels))

    assert error.message == "the prototypes' labels do not tell which level they belong to"
    assert error.hint == "say it with --prototype-level (place, thing)"


def test_a_level_that_is_not_there_is_refused() -> None:
    error = refusal(data_of(), prototypes_of(["town"]), level="places")

    assert str(error) == "no level 'places' of labels; levels: place"


# ── labels that do not match ───────────────────────────────────────────────────────────────


def test_a_label_that_no_item_has_is_refused_with_the_nearest() -> None:
    error = refusal(data_of(), prototypes_of(["town", "raod"]))

    assert error.message == "a prototype for the label 'raod', which no item has at level 'place'"
    assert error.hint == (
        'did you mean "road"? the items\' labels are road, town; leave unknown ones out with '
        "--unknown-labels skip"
    )
    assert error.place == Place("p.npy")


def test_several_labels_that_no_item_has_are_counted_and_the_first_shown() -> None:
    error = refusal(data_of(), prototypes_of(["town", "d", "c", "b", "a"]))

    assert error.message == (
        "prototypes for 4 labels that no item has at level 'place': 'a', 'b', 'c' and 1 more"
    )


@pytest.mark.parametrize(
    ("unknown", "note"),
    [
        (["sea"], "prototypes of 1 label that no item has are left out: 'sea'"),
        (["sea", "air"], "prototypes of 2 labels that no item has are left out: 'air', 'sea'"),
    ],
)
def test_unknown_labels_may_be_left_out_aloud(unknown: list[str], note: str) -> None:
    labels = [*unknown, "town", "road"]
    vectors = [[9, 9]] * len(unknown) + [[1, 0], [0, 1]]
    texts = [f"text of {label}" for label in labels]

    found = match_prototypes(
        data_of(), prototypes_of(labels, vectors, texts), unknown="skip", pooling="each"
    )

    assert found.notes == (note,)
    assert found.names == ("text of town", "text of road")
    assert found.queries.vectors.tolist() == [[1, 0], [0, 1]]


def test_if_no_label_is_left_nothing_can_be_asked() -> None:
    error = refusal(data_of(), prototypes_of(["sea"]), unknown="skip")

    assert error.message == "no prototype has a label of the items"


def test_labels_without_a_prototype_are_noted() -> None:
    one = match_prototypes(data_of(), prototypes_of(["town"]))
    three = match_prototypes(data_of(place=["a", "b", "c", "d"]), prototypes_of(["d"]))

    assert one.notes == ("1 label has no prototype: 'road'",)
    assert three.notes == ("3 labels have no prototype: 'a', 'b', 'c'",)


# ── vectors that cannot ask ────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("pooling", ["mean", "max", "each"])
def test_a_prototype_of_zeros_has_no_cosine_however_it_is_pooled(pooling: Pooling) -> None:
    zeros = prototypes_of(["town", "road"], [[1, 0], [0, 0]])

    error = refusal(data_of(), zeros, pooling=pooling)

    assert error.message.startswith("row 1 (counted from 0) is all zeros")
    assert error.place == Place("p.npy")


def test_a_prototype_of_zeros_may_ask_by_inner_product() -> None:
    zeros = prototypes_of(["town", "road"], [[1, 0], [0, 0]])

    assert len(match_prototypes(data_of("ip"), zeros, pooling="each").names) == 2


def test_texts_that_cancel_out_have_no_mean() -> None:
    opposite = prototypes_of(["town", "town"], [[1, 0], [-1, 0]])

    assert "cancel out" in refusal(data_of(), opposite).message
    assert match_prototypes(data_of(), opposite, pooling="max").names == ("town",)


def test_prototypes_of_another_space_are_refused() -> None:
    error = refusal(data_of(), prototypes_of(["town"], np.ones((1, 5))))

    assert error.message == "prototypes have 5 dimensions (p.npy), sensor has 2"
    assert "--prototype-embeddings FILE" in error.hint


def test_only_modalities_that_are_asked_must_have_their_dimensions() -> None:
    level = LabelLevel.of("place", PLACES)
    data = LabelledItems({"sensor": ITEMS, "text": np.ones((4, 5))}, (level,), ("0", "1", "2", "3"))
    prototypes = prototypes_of(["town"], np.ones((1, 5)))

    assert match_prototypes(data, prototypes, targets={"text"}).names == ("town",)
    assert "sensor has 2" in refusal(data, prototypes, targets={"sensor", "text"}).message
    assert "sensor has 2" in refusal(data, prototypes).message
