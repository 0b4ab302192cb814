"""Results written and read back: nothing is lost, and what is wrong has a place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sample_data
from engine.base.errors import InputError
from engine.base.json_text import as_json
from engine.dataset.settings_file import open_dataset
from engine.keywords.evaluated_run import collect_results
from engine.keywords.run import Run, RunRequest, run_request
from engine.keywords.workbench import Workbench
from engine.metrics import Measure
from engine.report.per_query.write import write_per_query
from engine.report.run.document import build_run_document
from engine.results.read_results import read_results
from engine.results.results import QueryKey, Results
from engine.text.opening import open_encoder


@pytest.fixture(scope="module")
def run() -> Run:
    """Video queries need no model to be started."""
    bench = Workbench(open_dataset(sample_data.folder()), open_encoder())
    return run_request(RunRequest(modes="video", groups=("actor_behavior",)), bench)


@pytest.fixture
def saved(run: Run, tmp_path: Path) -> Path:
    path = tmp_path / "run.json"
    path.write_text(as_json(build_run_document(run)), encoding="utf-8")
    return path


def assert_same(found: Results, expected: Results) -> None:
    assert found.keys == expected.keys
    assert found.measures == expected.measures
    assert found.keywords == expected.keywords
    assert found.ranked == expected.ranked
    np.testing.assert_array_equal(found.relevant, expected.relevant)
    np.testing.assert_array_equal(found.values, expected.values)
    assert found.videos == expected.videos


def test_a_saved_run_reads_back_as_it_was(run: Run, saved: Path) -> None:
    found = read_results(saved)

    assert found.name == "alfa-0.1"
    assert found.language.name == "alfa"
    assert_same(found, collect_results(run))


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_a_per_query_file_reads_back_as_it_was(run: Run, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"queries{suffix}"
    write_per_query(collect_results(run), path)

    found = read_results(path)

    assert found.name == "queries"
    assert_same(found, collect_results(run))


def test_queries_that_were_left_out_are_there_without_values(run: Run) -> None:
    results = collect_results(run)

    left_out = [place for place, _ in run.evaluations[0].queries.left_out]
    assert left_out, "the sample has clips without a behaviour"
    assert np.isnan(results.values[left_out]).all()
    assert all(results.keywords[place] == () for place in left_out)


def test_a_query_that_is_asked_twice_is_told_apart(saved: Path) -> None:
    document = json.loads(saved.read_text())
    document["per_query"] = [document["per_query"][0]] * 2
    saved.write_text(json.dumps(document))

    first, second = read_results(saved).keys

    assert first == QueryKey("video", first.query, 0)
    assert second == first._replace(nth=1)


def test_a_text_that_looks_like_a_formula_is_read_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "queries.csv"
    path.write_text("mode,query,keywords,relevant,P@5\ntext,'=1+1,,3,0.4\ntext,'tis,,3,\n")

    found = read_results(path)

    assert [key.query for key in found.keys] == ["=1+1", "'tis"]
    np.testing.assert_array_equal(found.column(Measure.parse("P@5")), [0.4, np.nan])
    assert found.ranked == ()


def spoilt(document: Any, *path: str | int, to: Any) -> str:
    inner = document
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = to
    return json.dumps(document)


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("schema",), "other@1", "is not a saved run; give what tui-eval run --out FILE.json, "),
        (
            ("schema",),
            "tui-eval/session@2",
            "is an exported session, not a saved run; to read it, write it as Markdown: "
            "tui-eval sessions export SESSION --out FILE.md",
        ),
        (("per_query",), [], "holds no query"),
        (("per_query",), "all", "per_query is 'all', not a list"),
        (("per_query", 0, "values"), [1], "per_query[0].values is not an object"),
        (("per_query", 0, "values", "P@1"), "high", "P@1 is 'high', not a finite number"),
        (("per_query", 0, "values", "XY@1"), 1, "unknown metric 'XY@1'"),
        (("per_query", 0, "values", "P@1"), 1e308, "P@1 is 1e+308, larger than any metric"),
        (("per_query", 0, "scores"), [1.0], "lists of different length"),
        (("per_query", 0, "relevant"), -2, "relevant is -2, not a whole number from 0 up"),
    ],
)
def test_what_is_wrong_with_a_saved_run_is_named(
    saved: Path, path: tuple[str | int, ...], value: Any, said: str
) -> None:
    saved.write_text(spoilt(json.loads(saved.read_text()), *path, to=value))

    with pytest.raises(InputError) as error:
        read_results(saved)

    assert str(saved) in str(error.value)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("q.csv", "query,P@5\nrain,0.5\n", "line 1: has no column 'mode'"),
        ("q.csv", "mode,query,keywords,relevant\n", "has no column with a metric"),
        ("q.csv", "mode,query,keywords,relevant,P@5\ntext,a,,1\n", "line 2: has 4 cells"),
        (
            "q.csv",
            "mode,query,keywords,relevant,P@5\ntext,a,,1,x\n",
            "line 2, column P@5: 'x' is not a number",
        ),
        (
            "q.csv",
            "mode,query,keywords,relevant,best\ntext,a,,1,1\n",
            "line 1: unknown metric 'best'",
        ),
        ("q.csv", "\nmode,query,keywords,relevant,p5\n", "line 2: unknown metric 'p5'"),
        ("q.jsonl", '{"mode": "text"\n', "line 1: is not valid JSON"),
        ("q.jsonl", '{"query": "a"}\n', 'has no "mode"'),
        ("q.jsonl", '{"mode": [], "query": "a"}\n', "mode is a list, not a text"),
        ("q.parquet", "PAR1", "is not a whole parquet file"),
        ("q.json", "", "is empty"),
        ("q.txt", "x", "is neither a saved run nor a per-query file"),
    ],
)
def test_what_is_wrong_with_a_per_query_file_is_named(
    tmp_path: Path, name: str, text: str, said: str
) -> None:
    path = tmp_path / name
    path.write_text(text)

    with pytest.raises(InputError) as error:
        read_results(path)

    assert str(path) in str(error.value)
    assert said in str(error.value)


def test_a_table_of_first_hits_from_an_earlier_inspector_is_read(tmp_path: Path) -> None:
    path = tmp_path / "evaluate-text-alfa-0.1.csv"
    path.write_text("mode,query,keywords,relevant,first hit,P@5\ntext,a,,9,>500,0.0\n")

    assert list(map(str, read_results(path).measures)) == ["P@5"]


def test_a_measure_that_is_not_there_is_reported_with_those_that_are(saved: Path) -> None:
    with pytest.raises(InputError, match=r"alfa-0\.1 has no MedR; it has P@1, P@3"):
        read_results(saved).column(Measure.parse("MedR"))
