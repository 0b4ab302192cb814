"""`tui-eval run` beside chance, and the first hits of its queries."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from tests.tui.cli.command_lines import Printed, printed_by

VIDEO = ("--mode", "video")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Printed:
    return printed_by("run", capsys)


def write_random_model(folder: Path, clips: int = 60) -> tuple[str, ...]:
    """Clips of three objects, whose vectors say nothing of them."""
    rng = np.random.default_rng(4)
    rows = [f"c{n},{['car', 'tram', 'bus'][n % 3]}" for n in range(clips)]
    (folder / "clips.csv").write_text("slice_id,object_type\n" + "\n".join(rows) + "\n")
    ids = np.array([f"c{n}" for n in range(clips)])
    vectors = rng.standard_normal((clips, 8)).astype(np.float32)
    np.savez(folder / "clips.npz", slice_id=ids, embedding=vectors)
    files = "--annotations", str(folder / "clips.csv"), "--embeddings", str(folder / "clips.npz")
    return (*VIDEO, *files)


def test_levels_in_json_are_those_by_hand(run: Printed) -> None:
    document = json.loads(run(*VIDEO, "--json"))
    by_id = {row["id"]: row for row in document["metrics"]}
    relevant = [entry["relevant"] for entry in document["per_query"] if entry["relevant"]]
    assert by_id["P@5"]["chance"] == pytest.approx(np.mean(relevant) / 283)
    assert by_id["R@5"]["chance"] == pytest.approx(5 / 283)
    assert all(row["above_chance"] is True and row["chance_p"] == 0.002 for row in by_id.values())
    tested = document["queries"]["video"]["chance"]
    assert tested == {"shuffles": 499, "queries": 284, "alpha": 0.05}


def test_a_model_that_knows_nothing_is_not_above_chance(run: Printed, tmp_path: Path) -> None:
    files = write_random_model(tmp_path)
    document = json.loads(run(*files, "--json"))
    recall = next(row for row in document["metrics"] if row["id"] == "P@5")
    assert recall["above_chance"] is False and recall["chance_p"] > 0.05
    assert recall["chance"] == pytest.approx(19 / 59)
    said = f"video: Recall@5 {recall['mean']:.3f}, chance 0.322: not above chance"
    assert said in document["notes"]
    assert said in " ".join(run(*files).split())


@pytest.mark.parametrize("width", [80, 120])
def test_the_table_has_a_column_of_chance_at_every_width(
    run: Printed, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    lines = run("--k", "1,5").splitlines()
    heads = [line for line in lines if line.split()[:1] == ["metric"]]
    assert len(heads) == (2 if width == 80 else 1), "one below the other where it is narrow"
    assert sum(head.count("chance") for head in heads) == 2
    for line in (line for line in lines if line.startswith(" Recall@5")):
        numbers = [word for word in line.split() if word.startswith("0.")]
        assert len(numbers) == 3 * 2 // len(heads)
        assert line.endswith("P@5      hits@5 / 5")
    assert "· video: every metric is above chance (p ≤ 0.002)" in lines


def test_csv_says_the_same_as_json(run: Printed) -> None:
    options = (*VIDEO, "--sample", "40", "--metrics", "P@5,MedR,AvgSim@5")
    as_json = json.loads(run(*options, "--json"))["metrics"]
    as_csv = list(csv.DictReader(run(*options, "--format", "csv").splitlines()))
    assert [float(row["chance"]) for row in as_csv[:2]] == [row["chance"] for row in as_json[:2]]
    assert [row["above_chance"] for row in as_csv] == ["True", "True", ""]
    assert as_json[2]["chance"] is as_json[2]["above_chance"] is None


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_per_query_files_have_first_hits_and_are_read_back(
    run: Printed, tmp_path: Path, suffix: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / f"queries.{suffix}"
    document = json.loads(run(*VIDEO, "--json", "--per-query", str(file)))
    first = {entry["query"]: entry["first_hit"] for entry in document["per_query"]}
    for entry in document["per_query"]:
        within = [rank for rank, hit in enumerate(entry["hits"], 1) if hit]
        assert first[entry["query"]] == within[0] if within else (first[entry["query"]] or 99) > 5
        assert (entry["first_hit"] is None) == (entry["relevant"] == 0)
    if suffix == "csv":
        with file.open(encoding="utf-8") as text:
            written = {row["query"]: row["first_hit"] for row in csv.DictReader(text)}
        assert written == {
            query: "" if rank is None else str(rank) for query, rank in first.items()
        }
    compare = printed_by("compare", capsys)
    schema = json.loads(compare(str(file), str(file), "--json"))["schema"]
    assert schema.startswith("tui-eval/compare@")


def test_a_report_has_the_column_and_one_of_an_earlier_run_has_not(
    run: Printed, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, page = tmp_path / "run.json", tmp_path / "report.md"
    run(*VIDEO, "--out", str(file))
    report = printed_by("report", capsys)
    report(str(file), "--out", str(page))
    text = page.read_text(encoding="utf-8")
    assert "| chance |" in text
    assert "Chance: what a random ranking would score; all are above chance" in text
    document = json.loads(file.read_text(encoding="utf-8"))
    for row in document["metrics"]:
        del row["chance"], row["chance_p"], row["above_chance"]
    file.write_text(json.dumps(document), encoding="utf-8")
    page.unlink()
    report(str(file), "--out", str(page))
    assert "chance" not in page.read_text(encoding="utf-8").lower()


def test_a_search_has_the_level_of_its_query(capsys: pytest.CaptureFixture[str]) -> None:
    search = printed_by("search", capsys)
    found = json.loads(search("--video", "urban_bicyclist_0002", "--json"))
    recall = next(row for row in found["metrics"] if row["id"] == "P@5")
    assert recall["chance"] == pytest.approx(found["relevant"] / 283)
    typed = ("--relevant", "urban_bicyclist_0048=3,urban_bicyclist_0095=1")
    graded = json.loads(
        search("--video", "urban_bicyclist_0002", *typed, "--metrics", "nDCG@5,P@5", "--json")
    )
    gain, precision = (row["chance"] for row in graded["metrics"])
    discounts = [1 / np.log2(rank + 1) for rank in range(1, 6)]
    assert precision == pytest.approx(2 / 283)
    assert gain == pytest.approx(4 / 283 * sum(discounts) / (3 + discounts[1]))
