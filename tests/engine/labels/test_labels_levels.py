"""Levels and directions: what a label is, and which modality asks which."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base.errors import InputError, Place
from engine.labels.data.directions import Direction, Modalities
from engine.labels.data.level import LabelLevel, format_label


def names(directions: tuple[Direction, ...]) -> list[str]:
    return [direction.name for direction in directions]


def labels_of(level: LabelLevel) -> list[str]:
    return [level.names[code] for code in level.codes]


# ── levels ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (np.array(["walk", "cook"]), ["walk", "cook"]),
        (np.array([" walk ", "walk"]), ["walk", "walk"]),
        (np.array([7, 3], np.int16), ["7", "3"]),
        (np.array([7, 3], np.uint8), ["7", "3"]),
        (np.array([7.0, -3.0], np.float32), ["7", "-3"]),
        (np.array([True, False]), ["True", "False"]),
        (np.array([b"walk", "größer".encode()]), ["walk", "größer"]),
        (np.array(["walk", 7, 7.0, b"7"], dtype=object), ["walk", "7", "7", "7"]),
        (["walk", 7, np.int64(7), np.str_("7 ")], ["walk", "7", "7", "7"]),
        (pd.Series(["walk", "cook"]), ["walk", "cook"]),
        (("日本", "café"), ["日本", "café"]),
    ],
)
def test_labels_are_texts_or_whole_numbers(
    labels: npt.NDArray[np.generic], expected: list[str]
) -> None:
    assert labels_of(LabelLevel.of("l1", labels)) == expected


def test_names_are_in_order_numbers_by_value_before_texts() -> None:
    assert LabelLevel.of("l1", ["b", "10", "9", "a", "-1"]).names == ("-1", "9", "10", "a", "b")


def test_bytes_that_are_not_utf8_stay_different_labels() -> None:
    level = LabelLevel.of("l1", np.array([b"caf\xe9", b"caf\xe8"]))

    assert level.names == ("cafè", "café")


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (np.array(["walk", "  "]), "row 1 (counted from 0) has no label"),
        (np.array([1.0, np.nan]), "row 1 (counted from 0) has no label"),
        (["walk", None], "row 1 (counted from 0) has no label"),
        (np.array([1.0, 1.5]), "the label of row 1 (counted from 0) is '1.5', neither text nor"),
        (np.array([1.0, np.inf]), "the label of row 1 (counted from 0) is 'inf', neither"),
        (["walk", ("a", "b")], "is \"('a', 'b')\", neither text nor a whole number"),
        ([np.array([1, 2])], "is '[1 2]', neither text nor a whole number"),
        (["walk", pd.NA], "is '<NA>', neither text nor a whole number"),
        (np.array([1 + 2j]), "neither text nor a whole number"),
        (np.array([["a", "b"]]), "has the shape (1, 2); one label per item is needed"),
        (np.array("a"), "has the shape (); one label per item is needed"),
    ],
)
def test_what_is_no_label_is_refused_with_its_row(
    labels: npt.NDArray[np.generic], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        LabelLevel.of("l1", labels, Place("labels.npy"))

    assert message in str(caught.value)
    assert str(caught.value).startswith("labels.npy: ")
    assert caught.value.hint


def test_the_row_of_a_bad_label_is_its_first_whatever_its_value() -> None:
    with pytest.raises(InputError, match="row 2"):
        LabelLevel.of("l1", np.array([5.0, 1.0, np.nan, 1.0, np.nan]))


def test_support_counts_items_and_codes_are_found_by_name() -> None:
    level = LabelLevel.of("l1", ["walk", "cook", "walk"])

    assert level.support.tolist() == [1, 2]  # cook, walk
    assert level.codes_of(["walk", "swim", "cook"]).tolist() == [1, -1, 0]
    assert len(level) == 3


@given(st.lists(st.one_of(st.integers(-20, 20), st.text("abc ", min_size=1).filter(str.strip))))
def test_codes_name_the_labels_again(labels: list[int | str]) -> None:
    level = LabelLevel.of("l1", labels)

    assert labels_of(level) == [str(label).strip() for label in labels]
    assert level.support.sum() == len(labels)
    assert len(set(level.names)) == len(level.names)


@given(st.lists(st.integers(-5, 5), min_size=1))
def test_numbers_are_the_same_labels_in_every_type(labels: list[int]) -> None:
    levels = [
        LabelLevel.of("l1", labels),
        LabelLevel.of("l1", np.array(labels)),
        LabelLevel.of("l1", np.array(labels, np.float64)),
        LabelLevel.of("l1", np.array(labels).astype(str)),
        LabelLevel.of("l1", np.array(labels).astype(bytes)),
        LabelLevel.of("l1", np.array(labels, dtype=object)),
    ]

    for level in levels:
        assert level.names == levels[0].names
        assert level.codes.tolist() == levels[0].codes.tolist()


def test_a_label_is_text_without_space_around() -> None:
    assert format_label(" a b ", 0) == "a b"
    assert format_label(np.float64(3), 0) == "3"


# ── directions ─────────────────────────────────────────────────────────────────────────────


def test_a_direction_has_a_name_a_title_and_a_reverse() -> None:
    direction = Direction("video", "text")

    assert (direction.name, direction.title) == ("video2text", "Video -> Text")
    assert direction.reverse == Direction("text", "video")
    assert not direction.is_self
    assert Direction("text", "text").is_self
    assert Direction("prototype", "video").title == "Text Prototype -> Video"


def test_by_default_both_ways_across_are_scored() -> None:
    assert names(Modalities().defaults()) == ["text2sensor", "sensor2text"]


def test_with_prototypes_they_ask_whatever_there_is() -> None:
    both = Modalities(has_prototypes=True)
    one = Modalities(has_b=False, has_prototypes=True)

    assert names(both.defaults()) == ["prototype2sensor", "prototype2text"]
    assert names(one.defaults()) == ["prototype2sensor"]


def test_one_modality_alone_asks_itself() -> None:
    assert names(Modalities(has_b=False).defaults()) == ["sensor2sensor"]
    assert names(Modalities(has_a=False).defaults()) == ["text2text"]


def test_names_of_modalities_are_free() -> None:
    modalities = Modalities("video", "caption", has_prototypes=True)

    assert names(modalities.all()) == [
        "caption2video",
        "video2caption",
        "video2video",
        "caption2caption",
        "prototype2video",
        "prototype2caption",
    ]
    for direction in modalities.all():
        assert modalities.parse([direction.name]) == (direction,)


def test_directions_come_once_and_in_the_order_given() -> None:
    parsed = Modalities().parse(["sensor2sensor", "text2sensor", "sensor2sensor"])

    assert names(parsed) == ["sensor2sensor", "text2sensor"]


def test_an_unknown_direction_is_refused_with_the_nearest_and_all_others() -> None:
    with pytest.raises(InputError) as caught:
        Modalities().parse(["text2sensr"])

    assert caught.value.message == "no direction 'text2sensr'"
    assert 'did you mean "text2sensor"?' in caught.value.hint
    assert "sensor2sensor, text2text, prototype2sensor, prototype2text" in caught.value.hint


def test_no_direction_is_refused() -> None:
    with pytest.raises(InputError, match="no direction is named; choose from text2sensor"):
        Modalities().parse([])


@pytest.mark.parametrize(
    ("modalities", "direction", "message"),
    [
        (Modalities(has_b=False), "text2sensor", "needs embeddings of text; give --text-emb"),
        (Modalities(has_a=False), "text2sensor", "needs embeddings of sensor; give --sensor-emb"),
        (Modalities("video", "text", has_b=False), "text2text", "needs embeddings of text"),
        (Modalities(), "prototype2sensor", "needs prototypes; give --use-prototypes"),
        (
            Modalities(has_b=False, has_prototypes=True),
            "prototype2text",
            "needs embeddings of text",
        ),
    ],
)
def test_a_direction_without_its_embeddings_is_refused(
    modalities: Modalities, direction: str, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        modalities.parse([direction])

    assert str(caught.value).startswith(f"{direction} {message}")


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ("", "text", "--name-a '' is no name"),
        ("sensor", " text", "--name-b ' text' is no name"),
        ("sensor", "a,b", "--name-b 'a,b' is no name"),
        ("sensor\x1b", "text", r"--name-a 'sensor\\x1b' is no name"),
        ("prototype", "text", "--name-a 'prototype' is what asks in prototype retrieval"),
        ("text", "text", "both modalities are called 'text'"),
        ("a", "a2a", "make directions that read alike"),
    ],
)
def test_names_that_cannot_be_told_apart_are_refused(a: str, b: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Modalities(a, b)


words = st.text("ab2", min_size=1, max_size=4)


@given(words, words)
def test_a_name_of_a_direction_means_one_direction(a: str, b: str) -> None:
    try:
        modalities = Modalities(a, b, has_prototypes=True)
    except InputError:
        return

    for direction in modalities.all():
        assert modalities.parse([direction.name]) == (direction,)


def test_bytes_are_decoded_alike_in_all_items() -> None:
    level = LabelLevel.of("l1", np.array([b"\xc3\xa9", b"\xe9"]))  # é in UTF-8 and in Latin-1

    assert len(level.names) == 2
