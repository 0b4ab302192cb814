"""Labelled queries: keywords of a vocabulary, by the groups that each query asks for."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.base.errors import InputError
from engine.base.keyword import Keyword
from engine.dataset.labelled_queries import read_labelled_queries
from engine.dataset.vocabulary import Vocabulary

WORDS = Vocabulary(
    ("object", "scene"),
    (
        Keyword("object", "car"),
        Keyword("object", "other"),
        Keyword("scene", "city"),
        Keyword("scene", "other"),
    ),
)


def write(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.write_text(text)
    return file


def test_json_lines_name_groups_and_may_mean_nothing(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        "q.jsonl",
        '{"q": "a", "kw": ["car", "city"], "groups": ["scene"]}\n'
        '{"q": "b", "kw": []}\n{"q": "c"}\n',
    )
    found = read_labelled_queries(file, WORDS)
    assert [(q.text, q.groups, q.meant) for q in found.queries] == [
        ("a", ("scene",), {Keyword("scene", "city")}),
        ("b", ("object", "scene"), frozenset()),
    ]
    assert found.unlabelled == 1


def test_a_csv_without_keywords_on_a_line_leaves_it_out(tmp_path: Path) -> None:
    file = write(tmp_path, "q.csv", 'query,keywords\na,"Car, city"\nb,\n')
    found = read_labelled_queries(file, WORDS, ["pv_object"])
    assert [(q.text, q.meant) for q in found.queries] == [("a", {Keyword("object", "car")})]
    assert found.unlabelled == 1


def test_a_name_in_two_groups_must_say_which(tmp_path: Path) -> None:
    file = write(tmp_path, "q.csv", "query,keywords\na,other\n")
    with pytest.raises(InputError, match=r"q\.csv, line 2.*several groups.*scene:other"):
        read_labelled_queries(file, WORDS)
    assert read_labelled_queries(file, WORDS, ["scene"]).queries[0].meant == {
        Keyword("scene", "other")
    }


def test_an_unknown_keyword_is_reported_with_its_line(tmp_path: Path) -> None:
    file = write(tmp_path, "q.csv", "query,keywords\na,cars and more\n")
    with pytest.raises(InputError, match=r'q\.csv, line 2.*unknown keyword "cars and more"'):
        read_labelled_queries(file, WORDS)


def test_a_file_without_labels_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no query says which keywords it means"):
        read_labelled_queries(write(tmp_path, "q.txt", "a car\n"), WORDS)
