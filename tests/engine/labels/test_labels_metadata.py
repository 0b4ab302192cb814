"""Texts of labels from metadata: which data set, which style, and every way to get it wrong."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base.errors import InputError
from engine.labels.prototypes.metadata import (
    list_labels_and_texts,
    load_text_prototypes_from_metadata,
)

MILAN = {
    "sensors": ["M001"],
    "label_to_text_plain": {"Cooking": "someone cooks", "Sleep": ["asleep", " in bed "]},
    "label_to_text_short": {"Cooking": "cook"},
}


def written(tmp_path: Path, document: object) -> Path:
    path = tmp_path / "metadata.json"
    text = document if isinstance(document, str) else json.dumps(document)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("document", [{"milan": MILAN}, {"v": 2, "datasets": {"milan": MILAN}}])
def test_texts_are_found_at_the_top_or_below_datasets(tmp_path: Path, document: object) -> None:
    path = written(tmp_path, document)

    texts = load_text_prototypes_from_metadata(path, "milan", "plain")

    assert texts == {"Cooking": "someone cooks", "Sleep": ["asleep", "in bed"]}


def test_the_path_may_be_a_string_and_the_style_the_name_of_the_field(tmp_path: Path) -> None:
    path = written(tmp_path, {"milan": MILAN})

    texts = load_text_prototypes_from_metadata(str(path), "milan", "label_to_text_short")

    assert texts == {"Cooking": "cook"}


@pytest.mark.parametrize("field", ["label_to_text", "label_to_text_only"])
def test_a_sole_style_need_not_be_named(tmp_path: Path, field: str) -> None:
    path = written(tmp_path, {"milan": {field: {"Eat": "a meal"}}})

    assert load_text_prototypes_from_metadata(path, "milan") == {"Eat": "a meal"}


def test_labels_keep_the_order_of_the_file(tmp_path: Path) -> None:
    labels = [f"label {number}" for number in (3, 1, 2, 0)]
    path = written(tmp_path, {"milan": {"label_to_text": dict.fromkeys(labels, "text")}})

    assert list(load_text_prototypes_from_metadata(path, "milan")) == labels


def test_a_data_set_may_be_called_datasets(tmp_path: Path) -> None:
    path = written(tmp_path, {"datasets": {"label_to_text": {"Eat": "a meal"}}})

    assert load_text_prototypes_from_metadata(path, "datasets") == {"Eat": "a meal"}


def style(value: object) -> dict[str, object]:
    return {"milan": {"label_to_text_plain": value}}


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"milan": MILAN, "aruba": {}}, "has 2 styles of texts: plain, short; choose one"),
        ({"aruba": MILAN, "x": 3}, "has no data set 'milan'; it has aruba"),
        ({"milano": MILAN}, 'it has milano; did you mean "milano"?'),
        ({"datasets": {"milano": MILAN}}, "has no data set 'milan'; it has milano"),
        ({"milan": []}, "has no data set 'milan'; it has none"),
        ({"milan": MILAN, "datasets": {"milan": MILAN}}, "has the data set 'milan' twice"),
        ({"milan": {"sensors": []}}, r"setting milan: has no label_to_text_… \(it has sensors\)"),
        ([MILAN], "holds a list, not an object of data sets"),
        ("null", "holds null, not an object"),
        ('{"milan": ', "line 1: is not valid JSON"),
        ("[" * 100_000, "is not valid JSON"),
        ("  ", "is empty"),
        ("a\0b", "is not a text file"),
        (style(["Cooking"]), r"setting milan\.label_to_text_plain: is a list, not an object"),
        (style({}), r"setting milan\.label_to_text_plain: has no labels"),
        (style({" ": "text"}), "has an empty label"),
        (style({"Eat": " "}), "the text of 'Eat' is empty"),
        (style({"Eat": ["a meal", ""]}), "text 2 of the label 'Eat' is empty"),
        (style({"Eat": []}), "the label 'Eat' has no texts"),
        (style({"Eat": None}), "the text of 'Eat' is null, not a text"),
        (style({"Eat": {"a": "b"}}), "the text of 'Eat' is an object, not a text"),
        (style({"Eat": [True]}), "text 1 of the label 'Eat' is a truth value, not a text"),
        (style({"Eat": 3.5}), "is a number, not a text"),
        (style({"Eat": "\ud800"}), "the text of 'Eat' holds a character that is none"),
        (style({"E\0at": "a"}), "holds a character that is none"),
        (style({"Eat": "a", "Eat ": "b"}), "has the label 'Eat' twice"),
        ('{"milan": {"label_to_text": {"Eat": "a", "Eat": "b"}}}', "has the label 'Eat' twice"),
        ('{"milan": {"label_to_text": {}, "label_to_text": {}}}', "has label_to_text twice"),
        ('{"milan": {}, "milan": {}}', "has the data set 'milan' twice"),
    ],
)
def test_whatever_is_wrong_is_one_line_with_its_place(
    tmp_path: Path, document: object, message: str
) -> None:
    path = written(tmp_path, document)

    with pytest.raises(InputError, match=message) as raised:
        load_text_prototypes_from_metadata(path, "milan")
    assert str(raised.value).startswith(str(path))
    assert "\n" not in str(raised.value)


def test_an_unknown_style_lists_those_that_there_are(tmp_path: Path) -> None:
    path = written(tmp_path, {"milan": MILAN})

    with pytest.raises(InputError, match=r"no style 'plane'; it has plain, short; did you mean"):
        load_text_prototypes_from_metadata(path, "milan", "plane")


def test_names_given_twice_elsewhere_are_no_matter(tmp_path: Path) -> None:
    milan = '{"note": 1, "note": 2, "label_to_text": {"E": "m"}}'
    document = f'{{"aruba": 1, "aruba": 2, "milan": {milan}}}'

    assert load_text_prototypes_from_metadata(written(tmp_path, document), "milan") == {"E": "m"}


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.json: no such file"):
        load_text_prototypes_from_metadata(tmp_path / "none.json", "milan")


readable = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1)
words = readable.map(str.strip).filter(bool)


@given(st.dictionaries(words, st.one_of(words, st.lists(words, min_size=1)), min_size=1))
def test_what_is_written_is_read_and_every_text_is_a_row(
    texts: dict[str, str | list[str]],
) -> None:
    with TemporaryDirectory() as folder:
        path = written(Path(folder), {"milan": {"label_to_text": texts}})
        read = load_text_prototypes_from_metadata(path, "milan")

    assert read == texts and list(read) == list(texts)
    rows = [
        (label, text)
        for label, value in texts.items()
        for text in ([value] if isinstance(value, str) else value)
    ]
    assert list(zip(*list_labels_and_texts(read), strict=True)) == rows


def test_no_labels_at_all_are_refused() -> None:
    with pytest.raises(InputError, match="has no labels"):
        list_labels_and_texts({})
