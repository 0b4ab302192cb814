"""Moments as documents: the official numbers, why queries fail, one row per query, one query."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from engine.base.errors import InputError
from engine.moments.failures.failures import explain
from engine.moments.failures.task_analysis import analyse_tasks
from engine.moments.moments_source import MomentsRequest, MomentsSource
from engine.moments.tasks import HitRule
from engine.report.moments.document import build_moments_document
from engine.report.moments.moment_detail import build_moment_document, find_moment_detail, find_row
from engine.report.moments.numbers import collect_official_numbers, dump_number, format_numbers_csv
from engine.report.moments.per_query import write_moments_per_query
from engine.report.moments.tables import format_moments_markdown
from engine.results.read_results import EXPLANATION_COLUMNS, read_results
from tests.engine.moments.moments_by_hand import Query, SourceByHand, assess, truth_of

GOOD, FAIR, NONE = (10.0, 20.0), (10.0, 14.0), (50.0, 60.0)
QUERIES = [
    Query("a", [(10, 20)], [("a", *GOOD)], 60.0, "hit", "v"),
    Query("b", [(10, 20)], [("a", *GOOD), ("b", *GOOD)], 30.0, "=low", "v"),
    Query("c", [(10, 20)], [("a", *GOOD), ("c", *FAIR)], 40.0, "near", "vt"),
    Query("d", [(10, 12)], [("d", *NONE)], 90.0, "time", "vt"),
    Query("e", [(10, 12)], [("a", *GOOD)], float("nan"), "video", "v"),
]
SOURCE: MomentsSource = SourceByHand(QUERIES, notes=("two ids were repeated",))


def document(source: MomentsSource = SOURCE) -> dict[str, Any]:
    found = analyse_tasks(source)
    made = build_moments_document(source, source.official(), found)
    return json.loads(json.dumps(made, allow_nan=False))  # type: ignore[no-any-return]


def test_the_document_has_every_official_number_with_id_and_formula() -> None:
    made = document()

    assert made["schema"] == "tui-eval/moments@2"
    numbers = {one["id"]: one for one in made["numbers"]}
    assert numbers["VCMR/0.5-r1"] == {
        "task": "VCMR", "type": "", "iou": 0.5, "k": 1, "id": "VCMR/0.5-r1",
        "formula": "100 · queries with a hit among the first 1 / queries; "
        "hit: right video, IoU ≥ 0.5", "value": 20.0, "n": 5,
    }  # fmt: skip
    assert numbers["SVMR/0.5-r1"]["value"] == 40.0
    assert numbers["VR/r5"]["value"] == 80.0
    by_type = numbers["VCMR_by_type/v-0.5-r5"]
    assert (by_type["value"], by_type["n"], by_type["type"]) == (66.67, 3, "v")
    # Three tasks and their types: 8 + 8 + 4 numbers, four times.
    assert len(numbers) == 4 * 20
    assert all(one["formula"] for one in made["numbers"])


def test_a_number_that_is_not_defined_is_null() -> None:
    made = document()

    # No description is of type t.
    numbers = {one["id"]: one for one in made["numbers"]}
    assert numbers["VCMR_by_type/t-0.5-r1"]["value"] is None
    assert numbers["VCMR_by_type/t-0.5-r1"]["n"] == 0
    assert made["official"]["VCMR_by_type"]["t-0.5-r1"] is None


def test_the_document_says_how_many_queries_are_of_each_class_and_what_it_means() -> None:
    tasks = {one["task"]: one for one in document()["tasks"]}

    vcmr = tasks["VCMR"]
    assert vcmr["at"] == "0.5-r1"
    assert [(one["class"], one["queries"], one["share"]) for one in vcmr["classes"]] == [
        ("hit", 1, 0.2), ("ranked low", 1, 0.2), ("nearly right", 1, 0.2),
        ("wrong time", 1, 0.2), ("wrong video", 1, 0.2),
    ]  # fmt: skip
    assert all(one["about"].endswith(".") for one in vcmr["classes"])
    videos = tasks["VR"]
    assert videos["at"] == "r1"
    assert {one["class"]: one["queries"] for one in videos["classes"]} == {
        "hit": 2, "ranked low": 2, "wrong video": 1,
    }  # fmt: skip


def test_the_document_has_the_curve_and_both_lengths() -> None:
    tasks = {one["task"]: one for one in document()["tasks"]}

    curve = tasks["VCMR"]["curve"]
    assert curve["ks"] == [1, 5, 10, 100]
    assert curve["recall"][0][curve["ious"].index(0.5)] == 0.2
    assert curve["recall"][1][curve["ious"].index(0.4)] == 0.6
    assert tasks["VR"]["curve"]["ious"] is None
    assert tasks["VR"]["curve"]["recall"] == [[0.4], [0.8], [0.8], [0.8]]
    videos = tasks["VCMR"]["by_video_length"]
    assert [one["queries"] for one in videos] == [1, 1, 1, 1, 1]
    assert (videos[-1]["from"], videos[-1]["to"], videos[-1]["recall"]) == (None, None, 0)
    (moments,) = tasks["VCMR"]["by_moment_length"]  # the quartiles are 2, 2, 10, 10 and 10
    assert (moments["from"], moments["to"], moments["queries"]) == (2, 10, 5)


def test_the_document_names_its_settings_inputs_and_notes() -> None:
    made = document()

    assert made["settings"] == {
        "tasks": ["VCMR", "SVMR", "VR"], "ious": [0.5, 0.7], "ks": [1, 5, 10, 100], "nms": None,
        "most": 100, "types": True, "near": 0.3,
        "at": {"VCMR": "0.5-r1", "SVMR": "0.5-r1", "VR": "r1"},
    }  # fmt: skip
    assert made["inputs"] == {"truth": {"path": "truth.jsonl", "sha256": "ab"}}
    assert made["policies"] == {"nms": None, "most": 100}
    assert made["notes"] == ["two ids were repeated"]


def test_dropped_repeats_are_reported_beside_the_numbers() -> None:
    request = MomentsRequest(Path("p"), Path("t"), nms=0.5)

    (note, _) = document(SourceByHand(QUERIES, request=request, notes=("x",)))["notes"]

    assert note.startswith("predictions that overlap a better one of the same video by more than")


def test_the_flat_table_has_a_row_per_number() -> None:
    numbers = collect_official_numbers(SOURCE.official(), "tvr", SOURCE.truth)

    rows = list(csv.DictReader(format_numbers_csv(numbers).splitlines()))

    assert list(rows[0]) == ["task", "type", "iou", "k", "id", "formula", "value", "n"]
    assert rows[0]["value"] == "20.0"
    assert len(rows) == len(numbers)
    undefined = next(row for row in rows if row["id"] == "VR_by_type/t-r1")
    assert (undefined["value"], undefined["iou"], undefined["n"]) == ("", "", "0")


def test_numbers_of_highlights_have_formulas_and_the_queries_behind_them() -> None:
    truth = truth_of([Query("a", [(0, 10), (20, 50)]), Query("b", [(0, 12)]), Query("c", [(0, 4)])])
    official = {
        "brief": {"MR-full-mAP": 1.0},
        "HL-min-Fair": {"HL-mAP": 67.77, "HL-Hit1": 66.45},
        "full": {"MR-mAP": {"0.5": 54.96, "average": 32.2}, "MR-R1": {"0.5": 53.94}},
        "short": {"MR-mAP": {"average": 3.28}},
    }

    found = {one.id: dump_number(one) for one in collect_official_numbers(official, "qvh", truth)}

    assert list(found) == [
        "HL-min-Fair/HL-mAP", "HL-min-Fair/HL-Hit1", "full/MR-mAP/0.5", "full/MR-mAP/average",
        "full/MR-R1/0.5", "short/MR-mAP/average",
    ]  # fmt: skip
    assert found["full/MR-R1/0.5"]["value"] == 53.94
    assert (found["full/MR-R1/0.5"]["k"], found["full/MR-R1/0.5"]["iou"]) == (1, 0.5)
    assert found["short/MR-mAP/average"]["n"] == 2  # windows of 10 and of 4 seconds; 12 is middle
    assert found["full/MR-mAP/0.5"]["n"] == 3
    assert "rated Fair (2) or better" in found["HL-min-Fair/HL-Hit1"]["formula"]


def per_query(path: Path, queries: list[Query] = QUERIES) -> Path:
    found = [one.failures for one in analyse_tasks(SourceByHand(queries))]
    write_moments_per_query(found, "tvr", (0.5, 0.7), (1, 5), path)
    return path


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_a_row_per_task_overlap_and_query_says_why(tmp_path: Path, suffix: str) -> None:
    path = per_query(tmp_path / f"rows.{suffix}")

    read = {"csv": pd.read_csv, "parquet": pd.read_parquet}
    table = read[suffix](path) if suffix in read else pd.read_json(path, lines=True)
    assert list(table.columns) == [
        "mode", "profile", "query", "keywords", "relevant", "video", "Success@1", "Success@5",
        "text", "class", "right_rank", "hit_rank", "best_iou", "best_iou_at_k", "duration",
        "moment_length", "predictions",
    ]  # fmt: skip
    assert table["mode"].unique().tolist() == ["VCMR@0.5", "VCMR@0.7", "SVMR@0.5", "SVMR@0.7", "VR"]
    assert len(table) == 5 * len(QUERIES)
    first = table[table["mode"] == "VCMR@0.5"].reset_index(drop=True)
    assert first["class"].tolist() == [
        "hit", "ranked low", "nearly right", "wrong time", "wrong video"]  # fmt: skip
    assert first["Success@1"].tolist() == [1, 0, 0, 0, 0]
    assert first["Success@5"].tolist() == [1, 1, 0, 0, 0]
    assert first["best_iou"].tolist() == [1, 1, 0.4, 0, 0]
    assert first["best_iou_at_k"].tolist() == [1, 0, 0, 0, 0]
    assert first["right_rank"].fillna(0).tolist() == [1, 2, 2, 1, 0]
    assert first["hit_rank"].fillna(0).tolist() == [1, 2, 0, 0, 0]
    assert first["duration"].fillna(0).tolist() == [60, 30, 40, 90, 0]
    assert first["moment_length"].tolist() == [10, 10, 10, 2, 2]
    assert first["predictions"].tolist() == [1, 2, 2, 1, 1]
    videos = table[table["mode"] == "VR"]
    assert videos["Success@1"].tolist() == [1, 0, 0, 1, 0]
    assert videos["best_iou"].isna().all()


def test_texts_are_harmless_in_a_spreadsheet(tmp_path: Path) -> None:
    assert ",'=low," in per_query(tmp_path / "rows.csv").read_text()


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_rows_read_back_as_results_without_what_explains_them(tmp_path: Path, suffix: str) -> None:
    results = read_results(per_query(tmp_path / f"rows.{suffix}"))

    assert list(map(str, results.measures)) == ["Success@1", "Success@5"]
    assert results.language.name == "tvr"
    assert results.keys[1].query == "101"
    assert results.of_mode("VCMR@0.5").values.tolist() == [[1, 1], [0, 1], [0, 0], [0, 0], [0, 0]]
    assert results.keywords[:3] == (("type:v",), ("type:v",), ("type:vt",))
    assert results.videos[:2] == ("a", "b")
    assert set(results.relevant.tolist()) == {1}
    assert not set(map(str, results.measures)) & set(EXPLANATION_COLUMNS)


def test_another_extension_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot write per-query results as \.txt"):
        per_query(tmp_path / "rows.txt")


def test_an_overlap_reads_as_it_was_compared(tmp_path: Path) -> None:
    query = Query("a", [(0, 10)], [("a", 0.0, 7.0)])  # float32 0.7 is less than 0.7 in float64

    table = pd.read_csv(per_query(tmp_path / "rows.csv", [query]))

    exact = table[table["mode"] == "VCMR@0.7"]
    assert exact["class"].tolist() == ["hit"]
    assert exact["best_iou"].tolist() == [0.7]


def test_one_query_tells_its_class_and_first_predictions() -> None:
    failures = explain(assess("VCMR", QUERIES), HitRule(0.5, 1))

    one = find_moment_detail(failures, 2, most=5)

    assert (one.kind, one.type, one.duration, one.spans) == ("nearly right", "vt", 40, ((10, 20),))
    assert one.why == "the right video is at rank 2; the best overlap is 0.400, 0.5 is needed."
    assert [(p.rank, p.video, p.start, p.end, p.iou, p.mark) for p in one.shown] == [
        (1, "a", 10, 20, None, "wrong video"),
        (2, "c", 10, 14, 0.4, "nearly right"),
    ]


def test_the_first_predictions_are_shown_and_those_that_decided() -> None:
    found = [("a", *NONE), ("b", *GOOD), ("a", *NONE), ("a", *GOOD), ("b", *GOOD), ("a", *NONE)]
    failures = explain(assess("SVMR", [Query("a", [(10, 20)], found)]), HitRule(0.5, 1))

    one = find_moment_detail(failures, 0, most=2)

    assert (one.predictions, len(one.shown)) == (6, 3)
    assert [(p.place, p.rank, p.mark) for p in one.shown] == [
        (1, 1, "wrong time"),
        (2, None, "wrong video"),
        (4, 3, "ranked low"),  # after the first two, but what the class is about
    ]
    assert [p.rank for p in find_moment_detail(failures, 0).shown] == [1, None, 2, 3, None, 4]


def test_more_predictions_are_shown_when_asked_for_and_all_of_them() -> None:
    many = Query("a", [(10, 20)], [("a", *NONE)] * 30)
    failures = explain(assess("VCMR", [many]), HitRule(0.5, 1))

    counts = [len(find_moment_detail(failures, 0, most).shown) for most in (10, 25, None)]

    assert counts == [10, 25, 30]


def test_a_shown_prediction_has_its_score_and_the_seconds_it_shares() -> None:
    spans = [(10.0, 20.0), (12.0, 18.0), (40.0, 50.0), (70.0, 80.0)]
    found = [("a", 10.0, 20.0), ("a", 12.3, 20.0), ("b", 10.0, 20.0)]
    judged = assess("VCMR", [Query("a", spans, found), Query("a", spans[:1], found)])
    scored = replace(judged.predictions, scores=np.array([0.9, np.nan, 0.7] * 2))
    failures = explain(replace(judged, predictions=scored), HitRule(0.5, 1))

    four, one = (find_moment_detail(failures, row).shown for row in (0, 1))

    assert [p.score for p in four] == [0.9, None, 0.7]
    # Of four spans the second best decides, here the one from 12 to 18.
    assert [p.shared for p in four] == [6.0, 5.7, None]
    assert [p.shared for p in one] == [10.0, 7.7, None]


def test_the_json_of_single_queries_has_null_for_what_is_not_there() -> None:
    failures = explain(assess("VR", QUERIES), HitRule(0.5, 1))

    source = SourceByHand(QUERIES)
    made = build_moment_document(source, [find_moment_detail(failures, 4)], 0.3)

    (query,) = json.loads(json.dumps(made, allow_nan=False))["queries"]
    assert made["schema"] == "tui-eval/moment@2"
    assert (query["class"], query["duration"], query["right_rank"]) == ("wrong video", None, None)
    assert query["shown"][0]["iou"] is None


def test_the_markdown_has_every_table_and_tells_texts_apart_from_markup() -> None:
    odd = MomentsRequest(Path("my_run|1.json"), Path("truth.jsonl"))
    source = SourceByHand(QUERIES, request=odd, notes=("<b>two</b> ids",))

    text = format_moments_markdown(source, source.official(), analyse_tasks(source))

    lines = text.splitlines()
    assert lines[0] == "# TVR: my\\_run\\|1.json against truth.jsonl"
    assert "| VCMR | 0.5 | 20.00 | 40.00 | 40.00 | 40.00 |" in lines
    assert "| ranked low | 20.00 | 1 | a right moment was predicted, but after rank k. |" in lines
    assert "- \\<b\\>two\\</b\\> ids" in lines
    tables = [n for n, line in enumerate(lines) if line.startswith("| :---") or "---:" in line]
    assert len(tables) == 8  # numbers, by type, three tasks, all, curve, lengths of videos
    for rule in tables:
        body = takewhile(lambda line: line.startswith("|"), lines[rule + 1 :])
        assert {line.count("|") for line in body} == {lines[rule].count("|")}


def test_a_query_is_found_by_its_id_and_a_wrong_one_is_reported() -> None:
    truth = truth_of(QUERIES)

    assert find_row(truth, " 102 ") == 2
    with pytest.raises(InputError, match=r"truth\.jsonl: has no query '1022'; did you mean 102\?"):
        find_row(truth, "1022")
