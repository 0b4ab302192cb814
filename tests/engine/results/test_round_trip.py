"""The law of saved results: whatever was written reads back as it was, in every format."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.base.errors import InputError
from engine.base.json_text import as_json
from engine.files.csv_cells import escape_formula, join_cell, split_cell, to_csv, unescape_formula
from engine.metrics import Measure, find_profile
from engine.report.per_query.write import dump_queries, write_per_query
from engine.results.read_results import read_results
from engine.results.results import KeptResults, Results, number_queries
from tests.examples import examples

AWKWARD = ("\u2028", "\u0085", "\x0b", "\x1c", "\r", "\n", "\r\n", "; ", ";", "'", "=", "[", '"')
# A zero byte makes a file one that is not text; a lone surrogate cannot be written at all.
CHARACTERS = st.characters(exclude_characters="\0", exclude_categories=("Cs",))
TEXTS = st.lists(st.one_of(st.sampled_from(AWKWARD), CHARACTERS), max_size=6).map("".join)
SCORES = st.floats(-1e9, 1e9, allow_nan=False)
GRADES = st.one_of(st.integers(0, 4).map(float), st.floats(0, 4))
VALUES = st.one_of(st.just(float("nan")), st.floats(0, 1))
FORMATS = ("csv", "jsonl", "parquet", "json")


@st.composite
def rankings(draw: st.DrawFn) -> KeptResults:
    size = draw(st.integers(0, 3))
    return KeptResults(
        *(tuple(draw(st.lists(of, min_size=size, max_size=size))) for of in (TEXTS, SCORES, GRADES))
    )


@st.composite
def any_results(draw: st.DrawFn) -> Results:
    n = draw(st.integers(1, 4))

    def each(of: st.SearchStrategy[object]) -> list[object]:
        return draw(st.lists(of, min_size=n, max_size=n))

    return Results(
        name="saved",
        language=find_profile(draw(st.sampled_from(("alfa", "ir", "video")))),
        measures=(Measure.parse("P@5"), Measure.parse("MedR")),
        keys=number_queries(each(TEXTS), each(TEXTS)),  # type: ignore[arg-type]
        values=np.array(each(st.tuples(VALUES, VALUES)), np.float64),
        keywords=tuple(map(tuple, each(st.lists(TEXTS, max_size=3)))),  # type: ignore[arg-type]
        relevant=np.array(each(st.integers(-1, 10**6)), np.int64),
        ranked=tuple(each(rankings())) if draw(st.booleans()) else (),  # type: ignore[arg-type]
        videos=tuple(each(TEXTS)) if draw(st.booleans()) else (),  # type: ignore[arg-type]
    )


def written(results: Results, folder: str, kind: str) -> Path:
    path = Path(folder) / f"saved.{kind}"
    if kind != "json":
        write_per_query(results, path)
        return path
    document = {
        "schema": "tui-eval/score@1",
        "run": "saved",
        "profile": results.language.name,
        "per_query": list(dump_queries(results)),
    }
    path.write_text(as_json(document), encoding="utf-8")
    return path


@pytest.mark.parametrize("kind", FORMATS)
@given(results=any_results())
@examples(60)
def test_results_read_back_as_they_were(kind: str, results: Results) -> None:
    with TemporaryDirectory() as folder:
        found = read_results(written(results, folder, kind))

    assert found.name == results.name
    assert found.language == results.language
    assert found.measures == results.measures
    assert found.keys == results.keys
    assert found.keywords == results.keywords
    assert found.ranked == results.ranked
    assert found.videos == (results.videos if any(results.videos) else ())
    np.testing.assert_array_equal(found.relevant, results.relevant)
    np.testing.assert_array_equal(found.values, results.values)


@given(st.text())
@example("'=")
@example("''-1")
@example("'tis")
def test_a_cell_that_was_made_harmless_has_its_original(text: str) -> None:
    cell = escape_formula(text)

    assert unescape_formula(cell) == text
    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r"))


@given(st.lists(TEXTS, max_size=4))
@example([""])
@example(["a; b"])
@example(["[1]"])
@example(['["a"]'])
def test_a_list_in_one_cell_is_the_same_list(items: list[str]) -> None:
    assert split_cell(join_cell(items)) == items


@given(st.lists(TEXTS, min_size=2, max_size=2))
def test_python_reads_the_same_cells_from_the_csv(cells: list[str]) -> None:
    text = to_csv(("a", "b"), [cells])

    _, found = csv.reader(io.StringIO(text, newline=""))

    assert found == [escape_formula(cell) for cell in cells]


def test_a_list_that_reads_back_plainly_is_written_plainly() -> None:
    assert join_cell(["road", "rain;", " snow"]) == "road; rain;;  snow"


@pytest.mark.parametrize("kind", FORMATS)
def test_a_text_of_200_000_characters_reads_back(kind: str, tmp_path: Path) -> None:
    usual = csv.field_size_limit()
    results = one_query("x" * 200_000)

    found = read_results(written(results, str(tmp_path), kind))

    assert found.keys == results.keys
    assert csv.field_size_limit() == usual, "the limit is everybody's: it is put back"


def one_query(text: str, language: str = "alfa") -> Results:
    return Results(
        name="saved",
        language=find_profile(language),
        measures=(Measure.parse("P@5"),),
        keys=number_queries(["text"], [text]),
        values=np.array([[0.5]]),
        keywords=((),),
        relevant=np.array([2]),
    )


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_the_profile_stands_behind_the_mode(kind: str, tmp_path: Path) -> None:
    path = written(one_query("rain", "video"), str(tmp_path), kind)

    assert read_results(path).language.name == "video"
    if kind == "csv":
        assert path.read_text().startswith("mode,profile,query,keywords,relevant,P@5\ntext,video,")
    if kind == "jsonl":
        assert list(json.loads(path.read_text()))[:3] == ["mode", "profile", "query"]


@pytest.mark.parametrize(
    ("mode", "language"), [("text", "alfa"), ("video", "alfa"), ("ranked", "ir")]
)
def test_a_file_that_names_no_profile_has_the_usual_one(
    mode: str, language: str, tmp_path: Path
) -> None:
    path = tmp_path / "q.csv"
    path.write_text(f"mode,query,keywords,relevant,P@5\n{mode},a,,1,0.5\n\n")

    assert read_results(path).language.name == language


HEAD = "mode,profile,query,keywords,relevant,P@5"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        (
            "q.csv",
            f"{HEAD}\ntext,ir,a,,1,0.5\ntext,alfa,b,,1,0.5\n",
            "line 3: has the profile alfa, a row before it ir",
        ),
        (
            "q.jsonl",
            '{"mode": "text", "profile": "ir"}\n{"mode": "text", "profile": "alfa"}\n',
            "line 2: has the profile alfa, a row before it ir",
        ),
        ("q.csv", f"{HEAD}\ntext,x,a,,1,0.5\n", "line 2: unknown profile 'x'; choose one of"),
        ("q.csv", f"{HEAD},P@5\ntext,ir,a,,1,0.5,1\n", "line 1: has two columns 'P@5'"),
        ("q.csv", f"{HEAD},query\ntext,ir,a,,1,0.5,b\n", "line 1: has two columns 'query'"),
        ("q.csv", f"{HEAD},p@5\ntext,ir,a,,1,0.5,1\n", "line 1: has P@5 twice"),
        ("q.csv", ",,\n,\n", "has no column 'mode'"),
        ("q.csv", f'{HEAD}\ntext,ir,"a\nb",,1\n', "line 2: has 5 cells, the header has 6"),
    ],
)
def test_what_is_contradictory_is_named(tmp_path: Path, name: str, text: str, said: str) -> None:
    path = tmp_path / name
    path.write_text(text)

    with pytest.raises(InputError) as error:
        read_results(path)

    assert str(path) in str(error.value)
    assert said in str(error.value)
