"""`tui-eval search` with clips typed as relevant, with counts, and without any ground truth."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.conftest import CommandLine

pytestmark = pytest.mark.slow

TEXT = "person crossing the street"
TYPED = "urban_pedestrian_0040,urban_small_vehicle_0036=2,rural_bollard_0284"
NO_KEYWORD = ("zebra quux", "--groups", "object_type")


def test_typed_clips_decide_in_table_json_and_csv(tui_eval: CommandLine) -> None:
    table = tui_eval("search", TEXT, "--relevant", TYPED)
    document = json.loads(tui_eval("search", TEXT, "--relevant", TYPED, "--json").stdout)
    rows = list(
        csv.DictReader(
            tui_eval("search", TEXT, "--relevant", TYPED, "--format", "csv").stdout.splitlines()
        )
    )

    assert "Typed  3 relevant clips, with grades; keywords are shown, but do not" in table.stdout
    assert "Relevance typed by hand: 3 relevant clips, with grades" in table.stdout
    assert "1 of 3 relevant below the top 5, at rank" in table.stdout
    assert document["relevance"] == "typed" and document["relevant"] == 3
    assert document["typed"][1] == {"slice_id": "urban_small_vehicle_0036", "grade": 2.0}
    hits = {"urban_pedestrian_0040", "urban_small_vehicle_0036"}
    assert {own["slice_id"] for own in document["results"] if own["hit"]} == hits
    assert next(m for m in document["metrics"] if m["id"] == "P@5")["mean"] == 0.4
    assert document["missed"]["slice_ids"] == ["rural_bollard_0284"]
    assert document["keywords"]  # still reported
    assert {row["relevance"] for row in rows} == {"typed"}
    assert {row["slice_id"] for row in rows if row["hit"] == "True"} == hits


def test_typed_clips_can_come_from_a_file_and_judge_a_text_without_keyword(
    tui_eval: CommandLine, tmp_path: Path
) -> None:
    file = tmp_path / "relevant.txt"
    file.write_text("rural_bollard_0284\n")

    done = tui_eval("search", *NO_KEYWORD, "--relevant", file, "--metrics", "RR", "--json")

    document = json.loads(done.stdout)
    rank = next(
        (own["rank"] for own in document["results"] if own["hit"]),
        (document["missed"]["ranks"] or [0])[0],
    )
    assert document["keywords"] == []
    assert document["metrics"][0]["mean"] == pytest.approx(1 / rank)


def test_without_any_ground_truth_the_similarity_is_reported(tui_eval: CommandLine) -> None:
    done = tui_eval("search", *NO_KEYWORD)
    document = json.loads(tui_eval("search", *NO_KEYWORD, "--json").stdout)

    assert "No ground truth for this query: similarity only." in done.stdout
    assert document["relevance"] == "none"
    assert [row["id"] for row in document["metrics"]] == ["AvgSim@1", "AvgSim@3", "AvgSim@5"]
    scores = [own["score"] for own in document["results"]]
    assert document["metrics"][2]["mean"] == pytest.approx(sum(scores) / 5, abs=1e-6)


def test_the_counts_are_drawn_and_agree_with_the_json(tui_eval: CommandLine) -> None:
    drawn = tui_eval("search", TEXT, "--confusion", "--ascii").stdout
    rows = json.loads(tui_eval("search", TEXT, "--confusion", "--json").stdout)["metrics"]

    counts = {row["id"]: row["mean"] for row in rows}
    assert counts["TP@5"] + counts["FP@5"] == 5
    assert counts["TP@5"] + counts["FN@5"] == 11
    assert sum(counts[f"{name}@5"] for name in ("TP", "FP", "FN", "TN")) == 284
    assert "Confusion at K = 5" in drawn
    assert f"P@5 {counts['P@5']:.3f} ####......" in drawn


def test_the_four_counts_are_drawn_when_they_are_asked_for(tui_eval: CommandLine) -> None:
    names = "TP@3,FP@3,FN@3,TN@3"

    assert "Confusion at K = 3" in tui_eval("search", TEXT, "--metrics", names).stdout
    assert "Confusion" not in tui_eval("search", TEXT, "--metrics", names[:-5]).stdout


@pytest.mark.parametrize(
    ("relevant", "message"),
    [
        ("rural_bollard_284", 'no clip "rural_bollard_284" in the annotations; did you mean "'),
        ("rural_bollard_0284=two", 'the grade "two" of the clip "rural_bollard_0284" is not a'),
        ("relevnt.txt", "relevnt.txt: no such file; check the path of --relevant"),
        (",", "an option's list ',' is empty; separate names by commas"),
    ],
)
def test_a_wrong_list_is_one_line_and_exit_code_two(
    tui_eval: CommandLine, relevant: str, message: str
) -> None:
    done = tui_eval("search", TEXT, "--relevant", relevant)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {message}") and done.stderr.count("\n") == 1
