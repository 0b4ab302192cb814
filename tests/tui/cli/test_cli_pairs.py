"""`tui-eval pairs`: minimal pairs as a table, data, and a query set that `run` reads."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from engine.dataset.query_files import read_queries
from tui.cli.app import run_command_line


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four clips of two kinds in one scene, and two queries."""
    (tmp_path / "clips.csv").write_text(
        'slice_id,object,scene\na,car,city\nb,car,city\nc,bus,city\nd,"bus, tram",city\n'
    )
    (tmp_path / "queries.csv").write_text("query,keywords\na car in town,car\na tram,tram\n")
    (tmp_path / "dataset.toml").write_text(
        'schema = "tui-eval/dataset@1"\nname = "small"\nannotations = "clips.csv"\n'
        'group_columns = ["object", "scene"]\ngroups = ["object", "scene"]\n'
        'queries = "queries.csv"\n'
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TUI_EVAL_DATA", str(tmp_path / "data"))
    return tmp_path


def run(*arguments: str) -> int:
    return run_command_line(["pairs", "-d", ".", *arguments])


def test_the_table_counts_by_group_and_lists_the_first(
    small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run() == 0

    said = " ".join(capsys.readouterr().out.split())
    assert "small · 5 pairs from 4 clips · seed 0" in said
    assert "object 2 3" in said and "scene 0 0" in said
    assert "car, not bus" in said
    assert "tui-eval triage --analyses pairs says how often the right one wins" in said
    assert "clips: no pair differs by one keyword of scene alone" in said


@pytest.mark.parametrize("width", [80, 100])
def test_no_id_is_cut_and_a_file_that_is_written_is_not_offered(
    width: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    out = tmp_path / "pairs.csv"

    assert run_command_line(["pairs", "--kind", "clips", "--limit", "12"]) == 0
    offered = capsys.readouterr().out
    assert run_command_line(["pairs", "--kind", "clips", "--limit", "12", "--out", str(out)]) == 0
    written = capsys.readouterr().out

    assert "… and 2 more: --out pairs.csv" in offered
    assert "… and 2 more\n" in written and "--out" not in written
    assert max(map(len, written.splitlines())) <= width and written.count("…") == 1
    rows = list(csv.DictReader(out.read_text().splitlines()))
    pieces = {piece for row in rows[:10] for piece in row["right_clip"].split("_")}
    assert all(piece in written for piece in pieces)


def test_json_csv_and_lines_hold_the_same_pairs(
    small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = {}
    for format in ("json", "csv", "jsonl"):
        assert run("--format", format) == 0
        done = capsys.readouterr()
        found[format] = done.out
        assert ("scene alone" in done.err) == (format != "json")
    document = json.loads(found["json"])
    rows = list(csv.DictReader(found["csv"].splitlines()))

    assert document["schema"] == "tui-eval/pairs@1"
    assert document["settings"] == {"limit": 500, "seed": 0, "wording": "keywords"}
    assert document["counts"] == {
        "clips": {"object": 2, "scene": 0},
        "texts": {"object": 3, "scene": 0},
    }
    assert document["inputs"].keys() == {"annotations"}
    assert [json.loads(line) for line in found["jsonl"].splitlines()] == document["pairs"]
    assert len(document["pairs"]) == len(rows) == 5
    for pair, row in zip(document["pairs"], rows, strict=True):
        assert pair["shared"] == ["scene:city"] and row["shared"] == "scene:city"
        assert {**pair, "shared": 0, "swapped": pair["swapped"] or ""} == {**row, "shared": 0}
        assert {pair["right_keyword"], pair["wrong_keyword"]} == {"car", "bus"}
    asking = [pair for pair in document["pairs"] if pair["kind"] == "clips"]
    assert {(p["anchor"], p["right_clip"], p["wrong_clip"]) for p in asking} == {
        ("a", "b", "c"),
        ("b", "a", "c"),
    }


def test_the_same_seed_writes_the_same_bytes(capsys: pytest.CaptureFixture[str]) -> None:
    written = []
    for seed in ("3", "3", "4"):
        assert run_command_line(["pairs", "--limit", "20", "--seed", seed, "--format", "csv"]) == 0
        written.append(capsys.readouterr().out)

    assert written[0] == written[1] != written[2]


def test_the_texts_are_a_query_set_with_their_keywords(
    small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--kind", "texts", "--format", "queries", "--out", "swapped.jsonl") == 0

    found = {query.text: query.keywords for query in read_queries(Path("swapped.jsonl"))}
    assert found == {
        "car city": ("object:car", "scene:city"),
        "bus city": ("object:bus", "scene:city"),
    }


def test_own_queries_are_taken_where_they_name_the_keyword(
    small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--kind", "texts", "--wording", "queries", "--json") == 0

    document = json.loads(capsys.readouterr().out)
    assert {(pair["anchor"], pair["swapped"]) for pair in document["pairs"]} == {
        ("a car in town", "a bus in town")
    }
    assert document["inputs"].keys() == {"annotations", "queries"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--limit", "0"), "the limit is 0; ask for at least one pair"),
        (("--seed", "-1"), "the seed is -1"),
        (("--groups", "colour"), 'unknown group "colour"'),
        (("--keywords", "lorry"), 'unknown keyword "lorry"'),
        (("--kind", "clips", "--format", "queries"), "clips make no query set of texts"),
        (("--format", "queries", "--out", "swapped.csv"), "name a file that ends in .jsonl"),
        (("--out", "clips.csv"), "clips.csv"),
        (("--kind", "films"), "films"),
    ],
)
def test_what_makes_no_sense_is_one_clear_line(
    given: tuple[str, ...], said: str, small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*given) == 2

    done = capsys.readouterr()
    assert done.out == "" and done.err.count("\n") == 1
    assert done.err.startswith("error: ") and said in done.err


def test_a_dataset_without_queries_of_its_own_says_so(
    small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = Path("dataset.toml")
    settings.write_text(settings.read_text().replace('queries = "queries.csv"\n', ""))

    assert run("--wording", "queries") == 2
    assert "the dataset small has no queries of its own" in capsys.readouterr().err
