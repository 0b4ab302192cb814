"""Label scores as documents: exact shapes, numbers that add up, and files that read back."""

from __future__ import annotations

import csv
import io
import json
import math
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.compare import compare
from engine.files.envelope import find_tool_version
from engine.files.input_file import InputFile
from engine.labels.data.directions import Direction, Modalities
from engine.labels.data.labelled_items import LabelledItems
from engine.labels.data.level import LabelLevel
from engine.labels.findings.find_findings import find_label_findings
from engine.labels.scoring.label_run import LabelRun, score_labels
from engine.metrics.policies import LABEL_POLICIES, Policies
from engine.report.labels.document import (
    build_labels_document,
    build_means_document,
    collect_label_notes,
    collect_label_results,
    format_confusion_csv,
    format_labels_csv,
)
from engine.report.per_query.write import write_per_query
from engine.results.read_results import read_results
from engine.stats import WinTieLoss
from tests.engine.labels.label_runs_by_hand import WITHIN, ranked, run_of

ACROSS = (Direction("text", "sensor"), Direction("sensor", "text"))

# text2sensor: row i says how near text i is to each sensor; sensor2text: read it by columns.
NEAR = [
    [0.9, 0.1, 0.8, 0.2],
    [0.3, 0.9, 0.8, 0.1],
    [0.7, 0.2, 0.6, 0.1],
    [0.4, 0.6, 0.1, 0.5],
]
SKIPPING = Policies(no_relevant="skip")
PLACES = ["town", "town", "road", "road"]
THINGS = ["=car", "van; bus", "=car", "café\n"]


def data_of(near: Any = NEAR, **levels: list[str]) -> LabelledItems:
    """Items whose inner products are exactly these: the sensors are the axes."""
    known = tuple(LabelLevel.of(name, labels) for name, labels in levels.items())
    vectors = {"sensor": np.eye(len(near)), "text": np.array(near)}
    return LabelledItems(vectors, known, tuple(f"x{row}" for row in range(len(near))), "ip")


def run(ks: tuple[int, ...] = (1, 2), **levels: list[str]) -> LabelRun:
    return score_labels(data_of(**(levels or {"place": PLACES})), ACROSS, ks)


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def document(of: LabelRun) -> dict[str, Any]:
    read = replace(of, inputs={"x": InputFile("x.npy", "ab")})
    return build_labels_document(read, find_label_findings(read), settings={"a": 1})


# ── means ──────────────────────────────────────────────────────────────────────────────────


def test_means_are_written_by_direction_and_k_and_nothing_else() -> None:
    # text2sensor: x0 → 0 2, x1 → 1 2, x2 → 0 2, x3 → 1 3 (towns are 0 and 1, roads 2 and 3)
    #   @1: 1 1 0 0 = 2/4; @2: 1/2 for each = 0.5
    # sensor2text: x0 → 0 2, x1 → 1 3, x2 → 0 1, x3 → 3 0
    #   @1: 1 1 0 1 = 3/4; @2: 1/2 1/2 0 1/2 = 0.375
    written = json.dumps(build_means_document(run()))

    assert written == (
        '{"text2sensor": {"1": 0.5, "2": 0.5}, "sensor2text": {"1": 0.75, "2": 0.375}}'
    )


def test_several_levels_have_an_object_each() -> None:
    found = build_means_document(run((1,), place=PLACES, thing=THINGS))

    # =car is x0 and x2: text2sensor x0 → 0, x1 → 1, x2 → 0, x3 → 1: three right
    # sensor2text x0 → 0, x1 → 1, x2 → 0, x3 → 3: all right
    assert found == {
        "place": {"text2sensor": {"1": 0.5}, "sensor2text": {"1": 0.75}},
        "thing": {"text2sensor": {"1": 0.75}, "sensor2text": {"1": 1.0}},
    }


def alone() -> LabelRun:
    """Every label once, within a modality, left out: nothing counts."""
    return run_of(ranked(["a", "b"], [[1], [0]], (1,), direction=WITHIN, policies=SKIPPING))


def test_an_undefined_mean_is_null() -> None:
    assert build_means_document(alone()) == {"sensor2sensor": {"1": None}}


# ── by label ───────────────────────────────────────────────────────────────────────────────


def test_labels_csv_has_every_label_and_both_means() -> None:
    last = ",LabelScore@2,same-label results among the first 2 / 2"
    header, *lines = format_labels_csv(run((2,))).splitlines()

    assert header == (
        "level,direction,k,kind,label,support,queries,score,random,lift,ceiling,id,formula"
    )
    assert all(line.endswith(last) for line in lines)
    assert [line.removesuffix(last) for line in lines] == [
        "place,text2sensor,2,label,road,2,2,0.5,0.5,1.0,1.0",
        "place,text2sensor,2,label,town,2,2,0.5,0.5,1.0,1.0",
        "place,text2sensor,2,macro,,4,4,0.5,0.5,1.0,1.0",
        "place,text2sensor,2,weighted,,4,4,0.5,0.5,1.0,1.0",
        "place,sensor2text,2,label,road,2,2,0.25,0.5,0.5,1.0",
        "place,sensor2text,2,label,town,2,2,0.5,0.5,1.0,1.0",
        "place,sensor2text,2,macro,,4,4,0.375,0.5,0.75,1.0",
        "place,sensor2text,2,weighted,,4,4,0.375,0.5,0.75,1.0",
    ]


def test_labels_in_csv_are_harmless_and_whole() -> None:
    found = [
        row for row in rows_of(format_labels_csv(run((1,), thing=THINGS))) if row["kind"] == "label"
    ]

    assert {row["label"] for row in found} == {"'=car", "van; bus", "café"}


def test_undefined_numbers_are_empty_cells() -> None:
    macro, weighted = rows_of(format_labels_csv(alone()))

    for row in (macro, weighted):
        assert (row["score"], row["random"], row["lift"], row["ceiling"]) == ("", "", "", "")
        assert row["queries"] == "0"


# ── confusion ──────────────────────────────────────────────────────────────────────────────


def test_confusion_csv_has_a_row_for_every_pair_that_occurs() -> None:
    # text2sensor @1: the towns find towns, the roads find x0 and x1: towns. sensor2text: by hand
    # above, x2 finds a town, x3 itself.
    assert format_confusion_csv(run((1,))).splitlines() == [
        "level,direction,k,label,found,count,share",
        "place,text2sensor,1,road,town,2,1.0",
        "place,text2sensor,1,town,town,2,1.0",
        "place,sensor2text,1,road,road,1,0.5",
        "place,sensor2text,1,road,town,1,0.5",
        "place,sensor2text,1,town,town,2,1.0",
    ]


def random_run(policies: Policies | None = None) -> LabelRun:
    random = np.random.default_rng(3)
    labels = {
        "l1": random.choice(["a", "b", "c"], 30).tolist(),
        "l2": [str(number) for number in random.integers(0, 12, 30)],
    }
    data = data_of(random.normal(size=(30, 30)), **labels)
    directions = Modalities().all()[:4]
    return score_labels(data, directions, (1, 7, 40), policies=policies or LABEL_POLICIES)


def test_confusions_add_up_to_the_places_and_their_diagonal_to_the_scores() -> None:
    whole = random_run()
    counts: dict[tuple[str, str, str], dict[str, int]] = defaultdict(dict)
    shares: dict[tuple[str, ...], float] = defaultdict(float)
    for row in rows_of(format_confusion_csv(whole)):
        key = (row["level"], row["direction"], row["k"])
        counts[key][f"{row['label']} → {row['found']}"] = int(row["count"])
        shares[(*key, row["label"])] += float(row["share"])

    assert len(counts) == 2 * 4 * 3
    for score in whole.scores:
        for k in whole.ks:
            found = counts[(score.level.name, score.direction.name, str(k))]
            assert sum(found.values()) == 30 * min(k, score.reachable)
            same = sum(found.get(f"{name} → {name}", 0) for name in score.level.names)
            assert same / (30 * k) == pytest.approx(score.mean(k), abs=1e-12)
    assert np.allclose(list(shares.values()), 1)


# ── the whole document ─────────────────────────────────────────────────────────────────────


def test_the_document_says_what_was_measured_how_and_from_what() -> None:
    found = document(run())

    assert found["schema"] == "tui-eval/labels@2"
    assert found["tool"] == {"name": "tui-eval", "version": find_tool_version()}
    assert found["metric"] == {
        "id": "LabelScore@k",
        "formula": "same-label results among the first k / k",
    }
    assert [(one["id"], one["formula"]) for one in found["scores"][0]["by_k"]] == [
        ("LabelScore@1", "same-label results among the first 1 / 1"),
        ("LabelScore@2", "same-label results among the first 2 / 2"),
    ]
    assert (found["items"], found["k"]) == (4, [1, 2])
    assert found["policies"]["no_relevant"] == "zero"
    assert found["policies"]["fewer_than_k"] == "fixed"
    assert found["settings"] == {"a": 1}
    assert found["inputs"] == {"x": {"path": "x.npy", "sha256": "ab"}}
    assert found["levels"] == {"place": {"labels": 2}}
    assert found["notes"] == [
        "across modalities an item can find its own pair, which has its label"
    ]


def test_the_document_has_every_label_with_what_was_found_for_it() -> None:
    _, back = document(run())["scores"]
    at_one = back["by_k"][0]

    assert (back["level"], back["direction"], back["queries"]) == ("place", "sensor2text", 4)
    assert (at_one["k"], at_one["score"]) == (1, 0.75)
    assert at_one["labels"][0] == {
        "label": "road",
        "support": 2,
        "queries": 2,
        "score": 0.5,
        "random": 0.5,
        "lift": 1.0,
        "ceiling": 1.0,
        "found": {"road": 1, "town": 1},
    }
    assert at_one["weighted"]["score"] == at_one["score"]


@pytest.mark.parametrize("no_relevant", ["zero", "skip"])
@pytest.mark.parametrize("fewer_than_k", ["fixed", "adaptive"])
def test_documents_have_no_number_that_json_does_not_know(
    no_relevant: Any, fewer_than_k: Any
) -> None:
    policies = Policies(no_relevant=no_relevant, fewer_than_k=fewer_than_k)
    for one in (random_run(policies), alone(), run((50,))):
        assert json.loads(json.dumps(document(one), allow_nan=False)) == document(one)
        json.dumps(build_means_document(one), allow_nan=False)


def test_findings_are_entries_with_their_numbers_by_name() -> None:
    entries = document(run((1,)))["findings"]

    (entry,) = [one for one in entries if one["id"] == "near_chance"]
    assert entry == {
        "id": "near_chance",
        "level": "place",
        "directions": ["text2sensor"],
        "k": 1,
        "numbers": {"score": 0.5, "random": 0.5, "lift": 1.0},
        "text": "0.5000 against 0.5000 by chance (1.00×)",
    }


# ── notes ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("policies", "labels", "note"),
    [
        (LABEL_POLICIES, "aab", "1 query has a label that no other item has, and counts 0"),
        (
            Policies(no_relevant="skip"),
            "aab",
            "1 query has a label that no other item has, and is left",
        ),
        (LABEL_POLICIES, "abc", "3 queries have a label that no other item has, and count 0"),
        (
            Policies(no_relevant="skip"),
            "abc",
            "3 queries have a label that no other item has, and are ",
        ),
    ],
)
def test_queries_that_can_find_nothing_are_counted_aloud(
    policies: Policies, labels: str, note: str
) -> None:
    score = ranked(list(labels), [[1], [0], [0]], (1,), direction=WITHIN, policies=policies)

    (found,) = collect_label_notes(run_of(score))

    assert found.startswith(f"sensor2sensor, label: {note}")


@pytest.mark.parametrize(("short", "what"), [("fixed", "stays K"), ("adaptive", "is their number")])
def test_a_k_beyond_the_items_is_reported(short: Any, what: str) -> None:
    policies = Policies(no_relevant="zero", fewer_than_k=short)
    score = ranked(["a"] * 3, [[1, 2], [0, 2], [0, 1]], (9,), direction=WITHIN, policies=policies)

    assert collect_label_notes(run_of(score)) == (
        f"sensor2sensor: K=9 is more than the 2 items that can be found; the denominator {what}",
    )


def test_a_note_of_several_levels_comes_once() -> None:
    notes = collect_label_notes(run((50,), place=PLACES, thing=THINGS))

    assert len(notes) == len(set(notes)) == 3  # the pairs, and K in two directions


# ── query by query ─────────────────────────────────────────────────────────────────────────


def test_every_query_has_its_values_its_label_and_its_direction() -> None:
    read = replace(run(), inputs={"sensor": InputFile("sensor.npy", "abc")})
    found = collect_label_results(read, "mine")

    assert found.modes == ("text2sensor", "sensor2text")
    assert [str(measure) for measure in found.measures] == ["LabelScore@1", "LabelScore@2"]
    assert found.values[:4].tolist() == [[1, 0.5], [1, 0.5], [0, 0.5], [0, 0.5]]
    assert found.values[4:].tolist() == [[1, 0.5], [1, 0.5], [0, 0], [1, 0.5]]
    assert found.keywords[2] == ("place:road",)
    assert found.keys[2].query == "x2"
    assert found.relevant.tolist() == [2] * 8
    assert found.inputs == (("sensor", "abc"),)
    assert dict(found.policies) == {
        "ties": "insertion",
        "no_relevant": "zero",
        "fewer_than_k": "fixed",
    }


def test_of_several_levels_the_level_is_part_of_the_mode() -> None:
    found = collect_label_results(run((1,), place=PLACES, thing=THINGS), "mine")

    assert found.modes == (
        "place/text2sensor",
        "thing/text2sensor",
        "place/sensor2text",
        "thing/sensor2text",
    )


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
@pytest.mark.parametrize("no_relevant", ["zero", "skip"])
def test_a_file_of_queries_reads_back_as_it_was(
    tmp_path: Path, suffix: str, no_relevant: Any
) -> None:
    odd = run((1, 2), place=PLACES, thing=THINGS)
    for whole in (odd, random_run(Policies(no_relevant=no_relevant))):
        expected = collect_label_results(whole, "mine")
        write_per_query(expected, tmp_path / f"mine{suffix}")

        found = read_results(tmp_path / f"mine{suffix}")

        assert found.name == "mine"
        assert found.language.name == "label"
        assert found.keys == expected.keys
        assert found.measures == expected.measures
        assert found.keywords == expected.keywords
        np.testing.assert_array_equal(found.values, expected.values)
        np.testing.assert_array_equal(found.relevant, expected.relevant)


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_two_files_of_queries_can_be_compared(tmp_path: Path, suffix: str) -> None:
    old = run((1,))
    # The second system finds every item's own pair: 1 in every direction.
    new = score_labels(data_of(np.eye(4), place=PLACES), ACROSS, (1,))
    for name, whole in (("old", old), ("new", new)):
        write_per_query(collect_label_results(whole, name), tmp_path / f"{name}{suffix}")

    comparison = compare([read_results(tmp_path / f"{name}{suffix}") for name in ("old", "new")])

    text, sensor = comparison.modes
    assert [one.differences[0].value for one in (text, sensor)] == [0.5, 0.25]
    assert text.differences[0].counts == WinTieLoss(wins=2, ties=2, losses=0)
    assert str(comparison.main) == "LabelScore@1"


def test_values_that_do_not_count_are_nan_and_leave_the_mean_alone() -> None:
    score = ranked(["a", "a", "b"], [[1], [2], [0]], (1,), direction=WITHIN, policies=SKIPPING)

    found = collect_label_results(run_of(score), "mine")

    assert found.values[:2, 0].tolist() == [1, 0]
    assert math.isnan(found.values[2, 0])
    assert np.nanmean(found.values) == score.mean(1) == 0.5
