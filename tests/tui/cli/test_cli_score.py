"""`tui-eval score`: what it prints, that all its formats agree, and how it refuses."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import pytrec_eval

from tui.cli.app import run_command_line

QRELS = "q1 0 a 1\nq1 0 b 2\nq1 0 c 0\nq2 0 a 1\nq3 0 c 0\n"
BM25 = "q1 Q0 c 1 0.9 t\nq1 Q0 b 2 0.8 t\nq3 Q0 a 1 0.9 t\nq9 Q0 a 1 0.9 t\n"
DENSE = '{"q1": {"b": 0.9, "a": 0.8}, "q2": {"x": 0.5, "a": 0.4}, "q3": {"a": 1}}'


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    Path("qrels.txt").write_text(QRELS)
    Path("bm25.run").write_text(BM25)
    Path("dense.json").write_text(DENSE)
    Path("half.json").write_text('{"q1": {"a": 0.5, "b": 1}}')
    np.save("scores.npy", np.float32([[0.9, 0.1, 0.5], [0.2, 0.8, 0.9], [0.3, 0.2, 0.1]]))
    np.save("unit.npy", np.eye(3, dtype=np.float32))
    return tmp_path


@pytest.fixture
def score(capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*arguments: str) -> str:
        code = run_command_line(["score", *arguments])
        done = capsys.readouterr()
        assert code == 0, done.err
        return done.out

    return run


def test_a_run_is_printed_with_formulas_and_what_was_left_out(score: Any) -> None:
    text = score("--qrels", "qrels.txt", "--run", "bm25.run")

    rows = {line.split()[0]: line.split()[1:] for line in text.splitlines() if "@" in line}
    assert rows["P@5"][0] == "0.1000" and rows["P@5"][-3:] == ["hits@5", "/", "5"]
    assert "3 judged queries" in text and "n = 2" in text
    assert "judged queries that are not in the run: 1, count 0" in text
    assert "queries of the run without judgement: 1, ignored" in text
    assert "1 of 3 queries have no relevant item: left out" in text


def test_json_csv_and_per_query_file_agree(score: Any, tmp_path: Path) -> None:
    common = (
        "--qrels",
        "qrels.txt",
        "-r",
        "bm25.run",
        "--k",
        "2",
        "--per-query",
        "queries.parquet",
    )
    document = json.loads(score(*common, "--json"))
    table = list(csv.DictReader(io.StringIO(score(*common, "--format", "csv"))))
    frame = pd.read_parquet("queries.parquet")

    assert document["schema"] == "tui-eval/score@2"
    assert [row["id"] for row in table] == [row["id"] for row in document["metrics"]]
    for row, metric in zip(table, document["metrics"], strict=True):
        assert (row["mode"], float(row["mean"])) == ("ranked", metric["mean"])
        assert frame[metric["id"]].mean() == pytest.approx(metric["mean"])
    first, _, last = document["per_query"]
    assert first == {
        "mode": "ranked",
        "query": "q1",
        "keywords": [],
        "relevant": 2,
        "retrieved": ["c", "b"],
        "scores": [0.9, 0.8],
        "hits": [0, 2],
        "values": {**first["values"], "P@2": 0.5, "RR": 0.5},
    }
    assert set(last["values"].values()) == {None}
    assert document["queries"] == {
        "judged": 3,
        "in_run": 2,
        "missing": 1,
        "unjudged_ignored": 1,
        "no_relevant": 1,
        "scored": 2,
    }
    assert len(document["inputs"]["run"]["sha256"]) == 64
    names = "mode profile query keywords relevant retrieved scores hits".split()
    assert list(frame.columns[:8]) == names


def test_every_query_is_one_line_of_the_json(score: Any) -> None:
    text = score("--qrels", "qrels.txt", "-r", "bm25.run", "--json")

    lines = [line.strip().rstrip(",") for line in text.splitlines() if '"retrieved"' in line]
    assert [json.loads(line)["query"] for line in lines] == ["q1", "q2", "q3"]


def test_a_beir_folder_tells_what_the_queries_say(score: Any) -> None:
    Path("beir/qrels").mkdir(parents=True)
    Path("beir/qrels/test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\tb\t1\n")
    Path("beir/queries.jsonl").write_text('{"_id": "q1", "text": "is it raining?"}\n')

    document = json.loads(score("--qrels", "beir", "-r", "dense.json", "--json"))

    assert document["per_query"][0]["text"] == "is it raining?"


def test_fractions_can_be_written_to_every_per_query_file(score: Any) -> None:
    for kind in ("csv", "jsonl", "parquet"):
        score("--qrels", "half.json", "-r", "dense.json", "--per-query", f"out.{kind}")

    assert pd.read_parquet("out.parquet")["hits"][0].tolist() == [1.0, 0.5]
    assert pd.read_csv("out.csv")["hits"][0] == "1; 0.5"


def test_several_runs_stand_side_by_side(score: Any) -> None:
    runs = ("--qrels", "qrels.txt", "-r", "bm25.run", "-r", "dense.json", "--metrics", "R@2,MedR")

    table, markdown = score(*runs), score(*runs, "--format", "markdown")
    latex, document = score(*runs, "--format", "latex"), json.loads(score(*runs, "--json"))

    assert "bm25" in table and "dense" in table
    assert "| R@2 | 0.2500 | **1.0000** | hits@2 / R |" in markdown
    assert "| MedR | 2.5000 | **1.5000** |" in markdown
    assert "bm25: judged queries that are not in the run: 1, count 0" in table
    assert r"R@2 & 0.2500 & \textbf{1.0000}" in latex
    assert document["schema"] == "tui-eval/scores@2"
    assert [run["metrics"][0]["mean"] for run in document["runs"]] == [0.25, 1.0]


def test_where_runs_do_not_fit_side_by_side_no_digit_is_lost(
    score: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"a-run-with-a-rather-long-name-{n}.run" for n in range(4)]
    for name in names:
        Path(name).write_text(BM25)
    monkeypatch.setenv("COLUMNS", "80")
    runs = [part for name in names for part in ("-r", name)]

    text = score("--qrels", "qrels.txt", *runs, "--metrics", "P@2")

    assert text.count("0.2500") == 4 and "…" not in text
    assert "· P@2 = hits@2 / 2" in text
    assert max(map(len, text.splitlines())) <= 80


def test_ties_as_in_trec_eval(score: Any) -> None:
    Path("tied.run").write_text("q1 Q0 a 1 0.5 t\nq1 Q0 c 2 0.49999999999 t\nq1 Q0 b 3 0.5 t\n")
    arguments = ("--qrels", "qrels.txt", "-r", "tied.run", "--metrics", "AP", "--json")

    def average_precision(*ties: str) -> float:
        found = json.loads(score(*arguments, *ties))["per_query"][0]["values"]["AP"]
        return float(found)

    judged = {"q1": {"a": 1, "b": 2, "c": 0}}
    run = {"q1": {"a": 0.5, "c": 0.49999999999, "b": 0.5}}
    theirs = pytrec_eval.RelevanceEvaluator(judged, {"map"}).evaluate(run)["q1"]["map"]
    assert average_precision("--ties", "docid_desc") == pytest.approx(theirs)
    assert average_precision("--ties", "docid_desc") == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert average_precision() == 1.0  # a, b, c: doubles can tell c apart
    assert average_precision("--ties", "expected") == pytest.approx(
        np.mean([(1 + 2 / 2) / 2, (1 + 2 / 3) / 2, (1 / 2 + 2 / 3) / 2])
    )


def test_a_matrix_with_partners_on_the_diagonal(score: Any) -> None:
    arguments = ("--scores", "scores.npy", "--diagonal", "--profile", "video", "--k", "1", "--json")

    document = json.loads(score(*arguments))

    means = {row["id"]: row["mean"] for row in document["metrics"]}
    assert means == {"Success@1": pytest.approx(1 / 3), "MedR": 2.0, "MnR": 2.0}
    assert {row["label"] for row in document["metrics"]} == {"R@1", "MedR", "MnR"}
    assert document["per_query"][0]["retrieved"] == ["0"]


def test_distances_are_better_when_lower(score: Any) -> None:
    distances = 1 - np.load("scores.npy")
    np.save("distances.npy", distances)
    common = ("--diagonal", "--metrics", "MnR", "--json")

    near = json.loads(score("--scores", "distances.npy", "--lower-is-better", *common))
    high = json.loads(score("--scores", "scores.npy", *common))

    assert near["metrics"][0]["mean"] == high["metrics"][0]["mean"]
    assert "lower is better: scores are negated" in near["notes"]


def test_embeddings_find_themselves(score: Any) -> None:
    same = ("--query-embeddings", "unit.npy", "--item-embeddings", "unit.npy", "--metric", "l2")

    document = json.loads(score(*same, "--diagonal", "--metrics", "P@1,MedR", "--json"))

    assert [row["mean"] for row in document["metrics"]] == [1.0, 1.0]
    assert set(document["inputs"]) == {"query_embeddings", "item_embeddings"}


def test_the_name_of_the_file_says_the_format(score: Any) -> None:
    for name, start in (("o.json", "{"), ("o.csv", "mode,"), ("o.md", "**bm25"), ("o.tex", "% ne")):
        common = ("--qrels", "qrels.txt", "-r", "bm25.run")
        assert score(*common, "--out", name) == score(*common)
        assert Path(name).read_text().startswith(start)


def test_nothing_in_a_file_speaks_to_the_terminal(score: Any) -> None:
    Path("evil\x1b[31m.run").write_text("q\x1b[2J Q0 d 1 0.5 t\n")
    Path("evil.qrels").write_text("q\x1b[2J 0 d 1\n")
    evil = ("--qrels", "evil.qrels", "-r", "evil\x1b[31m.run")

    for format in ("table", "json", "markdown"):
        assert "\x1b" not in score(*evil, "--format", format)
    score(*evil, "--per-query", "out.csv")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--run", "bm25.run"], ["no relevance", "--qrels"]),
        (["--qrels", "qrels.txt"], ["no rankings", "--run"]),
        (["-r", "bm25.run", "--diagonal"], ["run files need --qrels"]),
        (["-r", "bm25.run", "--qrels", "qrels.txt", "--diagonal"], ["--qrels and --diagonal"]),
        (
            ["-r", "bm25.run", "--scores", "scores.npy", "--qrels", "qrels.txt"],
            ["--run and --scores"],
        ),
        (["--query-embeddings", "unit.npy", "--diagonal"], ["--item-embeddings is missing"]),
        (["-r", "qrels.txt", "--qrels", "bm25.run"], ["bm25.run, line 1", "swapped"]),
        (["-r", "nope.run", "--qrels", "qrels.txt"], ["nope.run: no such file"]),
        (["-r", "bm25.run", "--qrels", "qrels.txt", "--missing", "error"], ["bm25.run", "'q2'"]),
        (["-r", "bm25.run", "--qrels", "qrels.txt", "--metrics", "P@x"], ["'P@x'", "P@10"]),
        (["-r", "bm25.run", "--qrels", "qrels.txt", "--run-format", "x"], ["--run-format", "trec"]),
        (
            ["-r", "bm25.run", "--qrels", "qrels.txt", "--out", "bm25.run"],
            ["an input of this command"],
        ),
        (["-r", "bm25.run", "--qrels", "qrels.txt", "--per-query", "a.txt"], ["a.txt", ".parquet"]),
        (
            ["-r", "bm25.run", "-r", "dense.json", "--qrels", "qrels.txt", "--per-query", "a.csv"],
            ["--per-query takes one run"],
        ),
        (
            ["-r", "bm25.run", "--qrels", "qrels.txt", "--collection", "2"],
            ["smaller than the 3 items"],
        ),
        (
            ["-r", "bm25.run", "--qrels", "qrels.txt", "--collection", "1" + "0" * 23],
            ["--collection"],
        ),
        (["-r", "bm25.run", "--qrels", "qrels.txt", "--lower-is-better"], ["belongs to --scores"]),
        (
            ["-r", "bm25.run", "--qrels", "qrels.txt", "--query-ids", "qrels.txt"],
            ["ids of their own"],
        ),
        (["--scores", "scores.npy", "--qrels", "qrels.txt"], ["no judged query", "'0', '1', '2'"]),
        (
            ["-r", "bm25.run", "--qrels", "qrels.txt", "--json", "--format", "latex"],
            ["--json and --format latex"],
        ),
    ],
)
def test_bad_input_is_one_line_and_exit_code_two(
    arguments: list[str], words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    code = run_command_line(["score", *arguments])

    done = capsys.readouterr()
    assert (code, done.out) == (2, "")
    assert done.err.count("\n") == 1 and "Traceback" not in done.err
    assert [word for word in words if word not in done.err] == [], done.err
