"""Query sets: three file forms, combinations of the ground truth, samples with a seed."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.base.errors import InputError
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.query_files import (
    find_combinations,
    make_combination_queries,
    read_queries,
    sample_rows,
)


def write(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.write_bytes(text.encode())
    return file


def test_a_csv_has_texts_and_perhaps_keywords(tmp_path: Path) -> None:
    file = write(tmp_path, "q.csv", '\ufeffQuery,Keywords\r\nbus at night,"bus, night"\r\ncar,\r\n')

    bus, car = read_queries(file)

    assert (bus.text, bus.keywords) == ("bus at night", ("bus", "night"))
    assert (car.text, car.keywords) == ("car", None)
    assert car.place is not None and car.place.line == 3


def test_a_semicolon_parts_cells_as_well(tmp_path: Path) -> None:
    file = write(tmp_path, "q.csv", "text;kw\nbus, red;bus\n")

    assert read_queries(file)[0].text == "bus, red"


def test_json_lines_have_groups_too(tmp_path: Path) -> None:
    file = write(
        tmp_path, "q.jsonl", '{"q": "bus", "kw": [], "groups": ["a"]}\n\n{"text": "car"}\n'
    )

    bus, car = read_queries(file)

    assert (bus.keywords, bus.groups) == ((), ("a",))
    assert (car.keywords, car.groups) == (None, None)


def test_plain_lines_are_texts(tmp_path: Path) -> None:
    file = write(tmp_path, "q.txt", " bus \n\ncar\n")

    assert [query.text for query in read_queries(file)] == ["bus", "car"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("q.jsonl", '{"q": " "}', r"line 1: the query text is empty"),
        ("q.jsonl", "[" * 100_000, r"nested too deeply|not valid JSON"),
        ("q.csv", "id,words\n1,bus\n", r"line 1: has no column for the query text"),
        ("q.csv", "query,keywords\nbus,a,b\n", r"line 2: has 3 fields, the header has 2"),
        ("q.csv", 'query\n"bus\n', r"is not valid CSV"),
        ("q.csv", 'query,keywords\n"",bus\n', r"line 2: the query text is empty"),
        ("q.csv", "query\n", r"has no query"),
        ("q.jsonl", '{"q": "bus"}\n{"q": \n', r"line 2: is not valid JSON"),
        ("q.jsonl", "[1]", r"item 1: is not a JSON object"),
        ("q.jsonl", '{"q": 3}', r"line 1: has no query text"),
        ("q.jsonl", '{"q": "a", "kw": [1]}', r"kw must be a list of strings"),
        ("q.txt", "", r"is empty"),
        ("q.txt", "a\0b", r"is not a text file"),
    ],
)
def test_a_query_file_that_cannot_be_read_says_where(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        read_queries(write(tmp_path, name, text))


def test_a_missing_query_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.csv: no such file"):
        read_queries(tmp_path / "nowhere.csv")


def test_combinations_are_those_that_some_clip_has() -> None:
    truth = GroundTruth.from_columns(
        ["a", "b", "c"],
        {
            "object": [["bus", "car"], ["car"], []],
            "scene": [["city"], ["rain"], ["city"]],
        },
    )
    found = find_combinations(truth, truth.words.select())

    assert [[k.name for k in combination] for combination in found] == [
        ["bus", "city"],
        ["car", "city"],
        ["car", "rain"],
    ]
    assert make_combination_queries(truth, truth.words.select())[0].text == "bus city"
    assert make_combination_queries(truth, truth.words.select())[0].keywords == (
        "object:bus",
        "scene:city",
    )


def test_a_sample_depends_on_its_seed_alone() -> None:
    assert sample_rows(100, 5, seed=1).tolist() == sample_rows(100, 5, seed=1).tolist()
    assert sample_rows(100, 5, seed=1).tolist() != sample_rows(100, 5, seed=2).tolist()
    assert sample_rows(3, None, seed=0).tolist() == [0, 1, 2]
    with pytest.raises(InputError):
        sample_rows(3, 0, seed=0)
