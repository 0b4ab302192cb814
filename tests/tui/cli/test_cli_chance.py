"""`tui-eval run` beside chance, and the first hits of its queries."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest

from engine.results.results import CHANCE_COLUMNS, METRIC_COLUMNS
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
    assert document["queries"]["video"]["chance"] == {"alpha": 0.05}
    assert all(row["chance_n"] == row["n"] == len(relevant) for row in by_id.values())
    assert {row["chance_shuffles"] for row in by_id.values()} == {499}


def test_a_model_that_knows_nothing_is_not_above_chance(run: Printed, tmp_path: Path) -> None:
    files = write_random_model(tmp_path)
    document = json.loads(run(*files, "--json"))
    recall = next(row for row in document["metrics"] if row["id"] == "P@5")
    assert recall["above_chance"] is False and recall["chance_p"] > 0.05
    assert recall["chance"] == pytest.approx(19 / 59)
    (said,) = [note for note in document["notes"] if "chance" in note]
    assert said.startswith("video: not above chance (p > 0.05): Recall@1 ")
    assert f", Recall@5 {recall['mean']:.3f} (chance 0.322), " in said
    assert said in " ".join(run(*files).split())
    below = [row["label"] for row in document["metrics"] if row["above_chance"] is False]
    assert [part.split()[0] for part in said.split(": ")[2].split("), ")] == below


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


@pytest.mark.parametrize("mode", ["text", "video"])
@pytest.mark.parametrize("metric", ["AvgSim@5", "MaxSim@5", "MinSim@5", "MedR(all)"])
def test_a_metric_that_is_not_tested_may_stand_alone(run: Printed, metric: str, mode: str) -> None:
    (row,) = json.loads(run("--mode", mode, "--metrics", metric, "--json"))["metrics"]
    assert row["id"] == metric
    assert row["chance_p"] is row["above_chance"] is row["chance_n"] is None
    assert (row["chance"] is None) == (metric != "MedR(all)")


def test_metrics_that_are_not_tested_are_not_said_to_be_above_chance(run: Printed) -> None:
    printed = " ".join(run(*VIDEO, "--metrics", "P@5,AvgSim@5,MedR(all)").split())
    tested = "· video: every tested metric is above chance (p ≤ 0.002)"
    assert f"{tested}; not tested: AvgSim@5, MedR(all)" in printed


def test_a_median_of_averaged_ties_has_neither_level_nor_verdict(
    run: Printed, tmp_path: Path
) -> None:
    files = (*write_random_model(tmp_path), "--ties", "expected", "--metrics", "MedR,P@5")
    document = json.loads(run(*files, "--json"))
    median, recall = document["metrics"]
    assert median["chance"] is median["chance_p"] is median["above_chance"] is None
    assert recall["above_chance"] is False
    assert not any("MedR" in note for note in document["notes"])


def test_a_metric_has_one_verdict_whatever_else_is_asked_for(run: Printed, tmp_path: Path) -> None:
    files = write_random_model(tmp_path)
    alone = json.loads(run(*files, "--metrics", "Success@1,Success@3", "--json"))["metrics"]
    with_ranks = json.loads(run(*files, "--profile", "video", "--k", "1,3,5", "--json"))["metrics"]
    assert [row["chance_p"] for row in alone] == [row["chance_p"] for row in with_ranks[:2]]
    assert {row["chance_n"] for row in with_ranks} == {60}


def test_a_sample_of_the_queries_is_named_wherever_it_decides(
    run: Printed,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("engine.keywords.shuffle_plan.QUICK_RESULTS", 0)
    monkeypatch.setattr("engine.keywords.shuffle_plan.MOST_RESULTS", 39 * 59 * 25)
    file, page = tmp_path / "run.json", tmp_path / "report.md"
    options = (*write_random_model(tmp_path), "--metrics", "P@1,AP")
    table = " ".join(run(*options, "--out", str(file)).split())
    document = json.loads(file.read_text(encoding="utf-8"))
    recall, precision = document["metrics"]
    assert (recall["chance_n"], precision["chance_n"]) == (60, 25)
    assert {row["chance_shuffles"] for row in document["metrics"]} == {39}
    by_hand = (
        f"video: not above chance (p > 0.05): Recall@1 {recall['mean']:.3f} (chance 0.322), MAP "
        f"{precision['mean']:.3f} (chance {precision['chance']:.3f}, tested with 25 of 60 queries)",
        "video: MAP against chance: tested with 25 of 60 queries, drawn at random",
    )
    assert tuple(note for note in document["notes"] if "chance" in note) == by_hand
    assert all(note in table for note in by_hand)
    printed_by("report", capsys)(str(file), "--out", str(page))
    below = "not above: Recall@1, MAP (tested with 25 of 60 queries)."
    assert below in page.read_text(encoding="utf-8")


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
    chance = "Chance: what a random ranking would score; above chance means p ≤ 0.05 with"
    assert f"{chance} shuffled annotations; all are." in text
    document = json.loads(file.read_text(encoding="utf-8"))
    for row in document["metrics"]:
        for name in CHANCE_COLUMNS[len(METRIC_COLUMNS) :]:
            del row[name]
    del document["keywords_at_k"]
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


def test_a_search_says_whether_its_query_is_above_chance(
    capsys: pytest.CaptureFixture[str],
) -> None:
    search = printed_by("search", capsys)
    asked = ("cyclist on a curved road", "--metrics", "P@5,Success@5,FP@5,AP,AvgSim@5")
    found = json.loads(search(*asked, "--json"))
    rows = {row["id"]: row for row in found["metrics"]}
    items, relevant = found["clips"], found["relevant"]
    assert all(result["hit"] for result in found["results"][:5])
    all_hit = math.comb(relevant, 5) / math.comb(items, 5)
    some_hit = 1 - math.comb(items - relevant, 5) / math.comb(items, 5)
    assert rows["P@5"]["chance_p"] == pytest.approx(all_hit, rel=1e-9)
    assert rows["FP@5"]["chance_p"] == pytest.approx(all_hit, rel=1e-9)
    assert rows["Success@5"]["chance_p"] == pytest.approx(some_hit)
    verdicts = {name: row["above_chance"] for name, row in rows.items()}
    by_hand = {"P@5": True, "FP@5": True, "Success@5": False, "AP": None, "AvgSim@5": None}
    assert verdicts == by_hand
    printed = search(*asked).splitlines()
    said = {line.split()[0]: line for line in printed if " chance " in line}
    assert "chance 0.173: above chance" in said["Recall@5"]
    assert "chance 0.615: not above chance" in said["Success@5"]
    assert "AvgSim@5" not in said


@pytest.mark.parametrize("text", ["cyclist on a curved road", "pedestrian crossing at night"])
def test_one_query_has_the_same_verdict_in_a_search_and_in_a_run(
    run: Printed, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    """The one counts exactly, the other shuffles 499 times."""
    file = tmp_path / "one.txt"
    file.write_text(text + "\n", encoding="utf-8")
    metrics = ("--metrics", "P@5,R@5,Success@1,Success@5,F1@5,TN@5", "--json")
    alone = json.loads(printed_by("search", capsys)(text, *metrics))["metrics"]
    of_run = json.loads(run("--mode", "text", "--queries", str(file), *metrics))["metrics"]
    for one, row in zip(alone, of_run, strict=True):
        assert (one["id"], one["mean"], one["chance"]) == (row["id"], row["mean"], row["chance"])
        error = math.sqrt(one["chance_p"] * (1 - one["chance_p"]) / 499)
        assert abs(one["chance_p"] - row["chance_p"]) <= 4 * error + 0.003, one["id"]
        assert one["above_chance"] is row["above_chance"]
