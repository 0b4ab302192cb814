"""`tui-eval moments` with files of QVHighlights, and with the sample that comes along."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sample_data import folder
from tui.cli.app import run_command_line

SAMPLE = folder() / "moments"
FILES = ("p.jsonl", "--gt", "gt.jsonl")
TRUTH = [(1, [[0, 10]]), (2, [[10, 30]]), (3, [[0, 60]]), (4, [[20, 24]])]
FOUND = [
    [[0, 10, 0.9]],  # hit
    [[50, 60, 0.9], [10, 30, 0.8]],  # ranked low
    [[0, 24, 0.9]],  # 0.4: nearly right
    [[40, 60, 0.9]],  # wrong time
]


def write_lines(name: str, entries: list[dict[str, Any]]) -> None:
    Path(name).write_text("".join(json.dumps(entry) + "\n" for entry in entries))


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    same = {"query": "a door opens", "vid": "v"}
    clips = [{"relevant_clip_ids": [0, 1], "saliency_scores": [[4, 2, 3], [1, 2, 2]]}] * 4
    truth = [
        {"qid": qid, **same, "duration": 60, "relevant_windows": spans, **rated}
        for (qid, spans), rated in zip(TRUTH, clips, strict=True)
    ]
    write_lines("gt.jsonl", truth)
    scores = {"pred_saliency_scores": [1.0, *[0.0] * 29]}
    found = [
        {"qid": qid, **same, "pred_relevant_windows": windows, **scores}
        for (qid, _), windows in zip(TRUTH, FOUND, strict=True)
    ]
    write_lines("p.jsonl", found)
    alone = [{k: v for k, v in one.items() if k != "pred_relevant_windows"} for one in found]
    write_lines("highlights.jsonl", alone)


@pytest.fixture
def moments(capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*arguments: str, code: int = 0) -> str:
        assert run_command_line(["moments", *arguments]) == code
        done = capsys.readouterr()
        return done.err if code else done.out

    return run


def test_json_is_brief_first_and_its_recall_is_the_share_of_hits(moments: Any) -> None:
    official = json.loads(moments(*FILES, "--json"))

    assert next(iter(official)) == "brief"
    assert official["brief"]["MR-full-R1@0.5"] == 25.0
    (task,) = json.loads(moments(*FILES, "--format", "document"))["tasks"]
    assert [(one["class"], one["queries"]) for one in task["classes"]] == [
        ("hit", 1), ("ranked low", 1), ("nearly right", 1), ("wrong time", 1), ("no prediction", 0),
    ]  # fmt: skip


def test_the_summary_has_windows_by_length_and_highlights_by_rating(moments: Any) -> None:
    official = json.loads(moments(*FILES, "--json"))
    text = moments(*FILES)

    rows = {" ".join(line.split()[:2]): line.split()[2:] for line in text.splitlines()}
    for name in ("full", "short", "middle", "long"):
        recall, precision = official[name]["MR-R1"], official[name]["MR-mAP"]
        values = [recall["0.5"], recall["0.7"], precision["0.5"], precision["0.75"]]
        assert list(map(float, rows[f"MR {name}"])) == [*values, precision["average"]]
    for name in ("Fair", "Good", "VeryGood"):
        both = official[f"HL-min-{name}"]
        assert list(map(float, rows[f"HL {name}"])) == [both["HL-mAP"], both["HL-Hit1"]]
    assert "Why queries fail at 0.5-r1 (MR)" in text
    assert max(map(len, text.splitlines())) <= 80


def test_rows_of_queries_are_of_the_one_task(moments: Any) -> None:
    moments(*FILES, "--per-query", "rows.csv")

    table = pd.read_csv("rows.csv")
    assert table["mode"].tolist() == ["MR@0.5"] * 4 + ["MR@0.7"] * 4
    assert table["profile"].unique().tolist() == ["qvh"]
    assert table["Success@1"].tolist() == [1, 0, 0, 0] * 2
    assert table["Success@5"].tolist() == [1, 1, 0, 0] * 2


def test_the_table_of_numbers_has_ids_and_how_many_queries_are_behind_them(moments: Any) -> None:
    moments(*FILES, "--out", "numbers.csv")

    table = pd.read_csv("numbers.csv").set_index("id")
    assert table.loc["full/MR-R1/0.5", ["value", "n", "iou", "k"]].tolist() == [25.0, 4, 0.5, 1]
    assert table.loc["short/MR-mAP/average", "n"] == 2
    assert table.loc["HL-min-Fair/HL-Hit1", "value"] == 100.0


def test_highlights_alone_have_numbers_and_nothing_to_explain(moments: Any) -> None:
    files = ("highlights.jsonl", "--gt", "gt.jsonl")

    text = moments(*files)

    assert "HL VeryGood" in text
    assert "Why queries fail" not in text
    assert "there are no rows to write" in moments(*files, "--per-query", "rows.csv", code=2)


def test_highlights_alone_are_named_and_shown(moments: Any) -> None:
    files = ("highlights.jsonl", "--gt", "gt.jsonl")

    assert moments(*files).startswith("4 queries · QVHighlights · HL · highlights.jsonl against")
    assert moments(*FILES).startswith("4 queries · QVHighlights · MR, HL · p.jsonl against")
    text = moments(*files, "--show", "2")
    assert text.startswith("2 · a door opens\nv (60 s) · no windows were predicted\n")
    assert "HL · clip 0 (0 to 2 s) has the highest predicted score." in text
    # The clip is rated 4, 2 and 3. To one rater it is very good, and first: AP is 1, and 0 twice.
    assert ["VeryGood", "(4)", "0.333", "✅", "hit"] in [line.split() for line in text.splitlines()]
    (one,) = json.loads(moments(*files, "--show", "2", "--json"))["highlights"]
    assert (one["id"], one["clip"], one["start"], one["end"]) == (2, 0, 0, 2)
    assert [(level["level"], level["hit"]) for level in one["levels"]] == [
        ("Fair", True), ("Good", True), ("VeryGood", True),
    ]  # fmt: skip
    official = json.loads(moments(*files, "--json"))
    shown = [
        json.loads(moments(*files, "--show", str(qid), "--json"))["highlights"][0]
        for qid in (1, 2, 3, 4)
    ]
    mean = sum(one["levels"][0]["ap"] for one in shown) / 4
    assert official["HL-min-Fair"]["HL-mAP"] == pytest.approx(100 * mean, abs=0.005)


def test_four_windows_are_no_reason_to_ask_for_two(moments: Any) -> None:
    spans = [[0, 10], [10, 20], [20, 30], [40, 50]]
    clips = {"relevant_clip_ids": [0], "saliency_scores": [[4, 2, 3]]}
    same = {"query": "a door opens", "vid": "v", "duration": 60}
    write_lines("gt.jsonl", [{"qid": 1, **same, "relevant_windows": spans, **clips}])
    write_lines("p.jsonl", [{"qid": 1, **same, "pred_relevant_windows": [[0, 4, 0.9]]}])

    text = " ".join(moments(*FILES, "--show", "1").split())

    assert "the best overlap is 0.400, 0.5 is needed." in text


def test_a_query_is_shown_by_its_qid(moments: Any) -> None:
    text = moments(*FILES, "--show", "2")

    assert "right: 10 to 30 s" in text
    assert "MR at 0.5-r1: ranked low · a right moment is at rank 2, after 1." in text


def test_a_task_of_the_other_benchmark_is_refused(moments: Any) -> None:
    assert "VCMR" in moments(*FILES, "--tasks", "VCMR", code=2)
    assert "not of QVHighlights" in moments(*FILES, "--benchmark", "qvh", "--tasks", "VR", code=2)


def test_the_sample_is_there_without_any_option(moments: Any) -> None:
    named = ("--gt", str(SAMPLE / "ground_truth.jsonl"), str(SAMPLE / "submission.json"))

    text = moments("--json")

    assert text == moments(*named, "--json")
    assert list(json.loads(text))[:3] == ["VCMR", "SVMR", "VR"]
    assert "Why queries fail at 0.5-r1 (VCMR)" in moments()
