"""The installed command on the sample dataset: what it prints, and that screen and JSON agree."""

from __future__ import annotations

import csv
import json
import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from engine.text import MAPPER_THRESHOLD
from sample_data import folder
from tests.conftest import CommandLine

pytestmark = pytest.mark.slow

SAMPLE_LINES = (folder() / "unified_annotation.csv").read_text(encoding="utf-8").splitlines()[1:]


def test_without_a_command_the_sample_dataset_is_summarised(tui_eval: CommandLine) -> None:
    done = tui_eval()

    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "\\n" not in done.stdout
    for word in ("sample", "object_type", "alfa-0.1", "alfa-0.2", "text to video", "hits@5 / 5"):
        assert word in done.stdout


def test_a_run_prints_json_with_everything_that_defines_its_numbers(tui_eval: CommandLine) -> None:
    done = tui_eval("run", "--mode", "both", "--groups", "pv_object_type,Actor Behavior", "--json")

    document = json.loads(done.stdout)
    assert document["schema"] == "tui-eval/run@2"
    assert document["groups"] == ["object_type", "actor_behavior"]
    assert {row["mode"] for row in document["metrics"]} == {"text", "video"}
    recall = next(row for row in document["metrics"] if row["label"] == "Recall@5")
    assert (recall["id"], recall["formula"]) == ("P@5", "hits@5 / 5")
    assert 0 < recall["mean"] < 1 and recall["n"] > 0
    assert document["policies"]["self_clip"] == "remove"
    assert document["policies"]["std_ddof"] == 1
    assert set(document["skipped"]["text"]) == {"no_keyword", "no_relevant"}
    assert all(
        re.fullmatch("[0-9a-f]{64}", entry["sha256"]) for entry in document["inputs"].values()
    )


def test_the_means_are_those_of_the_per_query_file(tui_eval: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "queries.parquet"
    done = tui_eval("run", "--mode", "video", "--json", "--per-query", file)

    document, table = json.loads(done.stdout), pd.read_parquet(file)
    assert len(table) == document["queries"]["video"]["total"]
    assert list(table["query"]) == [line.split(",")[0] for line in SAMPLE_LINES]
    for row in document["metrics"]:
        assert row["mean"] == pytest.approx(table[row["id"]].mean(), abs=1e-12)
        assert row["std"] == pytest.approx(table[row["id"]].std(ddof=1), abs=1e-12)
        assert row["n"] == table[row["id"]].count()
    hits = table["hits"].map(lambda own: sum(own[:5]) / 5)
    counted = table["relevant"] > 0
    assert hits[counted].mean() == pytest.approx(table["P@5"].mean())


def test_csv_and_json_have_the_same_numbers(tui_eval: CommandLine) -> None:
    options = ("run", "--mode", "video", "--sample", "40", "--seed", "3", "--profile", "ir")
    as_json = json.loads(tui_eval(*options, "--json").stdout)["metrics"]
    as_csv = list(csv.DictReader(tui_eval(*options, "--format", "csv").stdout.splitlines()))

    assert [float(row["mean"]) for row in as_csv] == [row["mean"] for row in as_json]
    assert [row["id"] for row in as_csv] == [row["id"] for row in as_json]


def test_a_run_can_be_written_to_a_file(tui_eval: CommandLine, tmp_path: Path) -> None:
    out = tmp_path / "run.json"
    done = tui_eval("run", "--mode", "video", "--limit", "5", "--out", out)

    document = json.loads(out.read_text())
    assert done.stderr == f"wrote {out}\n"
    assert done.stdout == tui_eval("run", "--mode", "video", "--limit", "5").stdout
    assert document["queries"]["video"]["total"] == 5
    assert document["notes"][0] == "video: 5 of 284 queries (all clips, limit 5)"


def test_every_query_has_its_row_also_one_that_was_left_out(
    tui_eval: CommandLine, tmp_path: Path
) -> None:
    file = tmp_path / "queries.csv"
    tui_eval("run", "--mode", "text", "--groups", "scene_type", "--per-query", file)

    with (folder() / "queries.csv").open(encoding="utf-8") as handle:
        asked = [row["query"] for row in csv.DictReader(handle)]
    assert list(pd.read_csv(file)["query"]) == asked


def test_what_was_asked_beyond_the_defaults_is_in_the_result(tui_eval: CommandLine) -> None:
    options = ("--mode", "video", "--sample", "40", "--seed", "3", "--self-clip", "keep")
    done = tui_eval("run", *options)

    assert "video: 40 of 284 queries (sample with seed 3)" in done.stdout
    assert "policy self_clip: keep" in done.stdout


def test_the_same_command_gives_the_same_bytes(tui_eval: CommandLine) -> None:
    options = ("run", "--mode", "both", "--json")

    assert tui_eval(*options).stdout == tui_eval(*options).stdout


def test_the_model_that_sees_motion_is_better_at_behavior(tui_eval: CommandLine) -> None:
    """The case the product exists to find must be in the data that shows it."""

    def recall(model: str) -> float:
        options = ("--model", model, "--mode", "text", "--queries", "combinations", "--json")
        rows = json.loads(tui_eval("run", *options).stdout)["metrics"]
        return next(row["mean"] for row in rows if row["id"] == "P@5")

    assert recall("alfa-0.2") > recall("alfa-0.1")


def test_a_search_shows_marks_that_agree_with_its_metrics(tui_eval: CommandLine) -> None:
    document = json.loads(tui_eval("search", "cyclist entering ego lane", "--json").stdout)

    assert [item["keyword"] for item in document["mapping"]] == ["bicyclist", "entering ego path"]
    hits = [
        all(m["has"] for marks in r["groups"].values() for m in marks) for r in document["results"]
    ]
    assert [result["hit"] for result in document["results"]] == hits
    recall = next(row for row in document["metrics"] if row["id"] == "P@5")
    assert recall["mean"] == pytest.approx(sum(hits) / 5)


def test_a_search_is_printed_with_marks_and_verdicts(tui_eval: CommandLine) -> None:
    done = tui_eval("search", "cyclist entering ego lane")

    assert '"cyclist", synonym 0.95' in done.stdout
    assert re.search(r"object type +(✅|❌) bicyclist", done.stdout)
    assert re.search(r"→ (Full|Partial|No) match \(\d/2 keywords\)", done.stdout)
    assert re.search(
        r"Recall@5 +[0-9.]+ +chance [0-9.]+: above chance +P@5 +hits@5 / 5", done.stdout
    )


def test_a_search_says_which_words_do_not_count(tui_eval: CommandLine) -> None:
    done = tui_eval("search", "truck at night")

    assert 'not in the chosen groups: nighttime ("at night", scene_type)' in done.stdout


def test_marks_can_be_plain_letters(tui_eval: CommandLine) -> None:
    done = tui_eval("search", "cyclist entering ego lane", "--min-similarity", "0.7", "--ascii")

    assert done.stdout.isascii()
    assert re.search(r"\[[+-]\] bicyclist", done.stdout)


@pytest.mark.parametrize("command", ["labels", "moments"])
def test_plain_letters_are_plain_in_every_command(command: str, tui_eval: CommandLine) -> None:
    done = tui_eval(command, "--ascii")

    assert done.returncode == 0 and done.stdout.isascii()


def test_marks_stay_two_where_the_encoding_lacks_them(tui_eval: CommandLine) -> None:
    done = tui_eval(
        "search", "truck crossing the street", env={**os.environ, "PYTHONIOENCODING": "ascii"}
    )

    lines = [line for line in done.stdout.splitlines() if line.endswith(" large vehicle")]
    assert {line.removesuffix(" large vehicle").split()[-1] for line in lines} == {"+", "-"}


def test_a_clip_never_finds_itself(tui_eval: CommandLine) -> None:
    clip = json.loads(tui_eval("search", "cyclist", "--json").stdout)["results"][0]["slice_id"]
    document = json.loads(tui_eval("search", "--video", clip, "--k", "10", "--json").stdout)

    assert len(document["results"]) == 10
    assert clip not in [result["slice_id"] for result in document["results"]]
    assert document["mapping"] is None


def test_results_below_the_threshold_are_not_retrieved(tui_eval: CommandLine) -> None:
    done = tui_eval("search", "cyclist", "--min-similarity", "0.99", "--json")

    document = json.loads(done.stdout)
    assert not any(result["retrieved"] or result["hit"] for result in document["results"])
    assert next(row for row in document["metrics"] if row["id"] == "P@5")["mean"] == 0


def test_mapping_a_batch_keeps_the_order_and_tells_the_accuracy_in_the_groups_asked(
    tui_eval: CommandLine, tmp_path: Path
) -> None:
    words = tmp_path / "words.json"
    words.write_text('{"object_type": ["bicyclist", "large vehicle"], "scene_type": ["rainy"]}')
    batch = tmp_path / "batch.jsonl"
    batch.write_text(
        '{"q": "lorry", "groups": ["pv_object_type"], "kw": ["large vehicle"]}\n'
        '{"q": "cyclist in the rain", "groups": ["object_type"], "kw": ["bicyclist", "rainy"]}\n'
        '{"q": "cyclist in the rain"}\n'
    )
    done = tui_eval("map", "--batch", batch, "--vocabulary", words)

    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [[k["keyword"] for k in answer["keywords"]] for answer in answers] == [
        ["large vehicle"],
        ["bicyclist"],
        ["bicyclist", "rainy"],
    ]
    assert "exact keyword sets 2/2 (100.0%) · micro-F1 1.000" in done.stderr


def test_map_prints_evidence(tui_eval: CommandLine) -> None:
    document = json.loads(tui_eval("map", "Cyclist!", "--groups", "object_type", "--json").stdout)

    assert document.pop("policies") == {"threshold": MAPPER_THRESHOLD}
    assert {key: document[key] for key in ("query", "keywords", "near", "unexplained")} == {
        "query": "Cyclist!",
        "keywords": [
            {
                "keyword": "bicyclist",
                "group": "object_type",
                "score": 0.95,
                "ngram": "Cyclist",
                "span": [0, 7],
                "why": "synonym",
            }
        ],
        "near": [],
        "unexplained": [],
    }


def test_the_sample_dataset_is_valid(tui_eval: CommandLine) -> None:
    done = tui_eval("validate", "--json")

    document = json.loads(done.stdout)
    assert (done.returncode, document["valid"]) == (0, True)
    assert all(finding["level"] == "info" for finding in document["findings"])


def test_every_help_has_examples(tui_eval: CommandLine) -> None:
    for command in ("run", "search", "map", "validate"):
        done = tui_eval(command, "--help")
        assert done.returncode == 0
        assert "Examples" in done.stdout and f"tui-eval {command}" in done.stdout


def test_a_run_never_writes_over_what_it_reads_or_writes(
    tui_eval: CommandLine, tmp_path: Path
) -> None:
    clips = tmp_path / "clips"
    clips.write_text("urban_bicyclist_0002\n")
    folder = tmp_path / "trec"
    folder.mkdir()
    queries = folder / "text.queries.tsv"
    queries.write_text("query\nbicyclist\n")
    video = ("run", "--mode", "video", "--videos", clips)

    for options in (
        (*video, "--out", clips),
        (*video, "--export-trec", folder, "--out", folder / "video.run"),
        ("run", "--mode", "text", "--queries", queries, "--export-trec", folder),
    ):
        done = tui_eval(*options)

        assert done.returncode == 2, options
        assert " input of this command" in done.stderr or " two outputs" in done.stderr
    assert clips.read_text() == "urban_bicyclist_0002\n"
    assert [file.name for file in folder.iterdir()] == ["text.queries.tsv"]


def test_a_clip_of_a_list_may_have_any_character_but_a_line_end(
    tui_eval: CommandLine, tmp_path: Path
) -> None:
    names = ["a\u2028b", "c\x85d", "e\x0cf"]
    clips, listed, vectors = (tmp_path / name for name in ("clips.csv", "listed", "clips.npz"))
    rows = "".join(f"{name},car\n" for name in names)
    clips.write_text(f"slice_id,pv_object_type\n{rows}", encoding="utf-8")
    listed.write_text("\r\n".join(names[:2]), encoding="utf-8", newline="")
    np.savez(vectors, ids=np.array(names), embeddings=np.eye(3, dtype=np.float32))
    files = ("--annotations", clips, "--embeddings", vectors, "--videos", listed)

    done = tui_eval("run", "--mode", "video", *files, "--json")

    assert [one["query"] for one in json.loads(done.stdout)["per_query"]] == names[:2]
