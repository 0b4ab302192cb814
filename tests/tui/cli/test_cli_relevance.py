"""`--relevance`: what makes a clip relevant, in what is printed and written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import CommandLine

pytestmark = pytest.mark.slow

TEXT = "cyclist entering ego lane"


def test_a_run_says_it_and_a_report_and_a_comparison_know_it(
    tui_eval: CommandLine, tmp_path: Path
) -> None:
    found = {}
    for rule in ("all", "any", "graded"):
        file = tmp_path / f"{rule}.json"
        done = tui_eval("run", "--mode", "video", "--relevance", rule, "--out", file)
        assert ("policy relevance: " in done.stdout) is (rule != "all")
        found[rule] = json.loads(file.read_text())
        assert found[rule]["policies"]["relevance"] == rule
    means = {
        rule: {row["id"]: row["mean"] for row in document["metrics"]}
        for rule, document in found.items()
    }
    assert means["all"]["P@5"] < means["any"]["P@5"] == means["graded"]["P@5"]
    assert means["graded"]["nDCG@5"] != means["any"]["nDCG@5"]
    # A keyword by itself does not hear of it.
    alone = [document["keywords_at_k"]["video"] for document in found.values()]
    assert alone[0] == alone[1] == alone[2]
    assert list(alone[0][0]["values"]) == list(alone[0][0]["chance"]) == ["P@1", "P@3", "P@5"]

    files = tmp_path / "any.json", tmp_path / "all.json"
    assert "the policy relevance differs: any, all" in tui_eval("compare", *files).stdout
    gate = tui_eval("gate", files[0], "--baseline", files[1])
    assert gate.returncode == 2 and "the baseline with --relevance all" in gate.stderr
    report = tui_eval("report", files[0], "--out", tmp_path / "report.md")
    assert report.returncode == 0
    text = (tmp_path / "report.md").read_text()
    assert "Each keyword by itself (P@1, P@3, P@5) of video queries, worst first" in text
    assert "relevance: any" in text


def test_a_search_marks_partial_matches_as_hits(tui_eval: CommandLine) -> None:
    by_all, by_any = (
        json.loads(tui_eval("search", TEXT, "--k", "40", "--relevance", rule, "--json").stdout)
        for rule in ("all", "any")
    )

    assert by_all["relevant"] < by_any["relevant"]
    assert by_any["policies"]["relevance"] == "any" and by_any["relevance"] == "keywords"
    for one, other in zip(by_all["results"], by_any["results"], strict=True):
        assert one["hit"] is (one["matched"] == one["total"])
        assert other["hit"] is (one["matched"] > 0)
    hits = sum(one["hit"] for one in by_any["results"])
    assert by_any["metrics"][0]["mean"] == hits / 40
    assert "relevance any" in tui_eval("search", TEXT, "--relevance", "any").stdout


def test_clips_that_are_named_and_a_relevance_by_keywords_exclude_each_other(
    tui_eval: CommandLine,
) -> None:
    done = tui_eval("search", TEXT, "--relevant", "urban_pedestrian_0040", "--relevance", "any")

    assert done.returncode == 2
    assert "--relevant and --relevance any were given" in done.stderr
