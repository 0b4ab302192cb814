"""`tui-eval moments --nms`: every number beside the one without it, as two runs give them."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.tui.cli.command_lines import Printed, printed_by

BENCHMARKS = ("tvr", "qvh")
NMS = ("--nms", "0.3")


@pytest.fixture
def moments(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Printed:
    monkeypatch.setenv("COLUMNS", "200")
    return printed_by("moments", capsys)


def list_rows(text: str) -> list[list[str]]:
    """The lines of numbers, as words."""
    rows = [line.split() for line in text.splitlines()]
    return [row for row in rows if row[:1] and row[0] in ("VCMR", "SVMR", "VR", "MR")]


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_each_row_has_its_partner(moments: Printed, benchmark: str) -> None:
    asked = ("--benchmark", benchmark, "--no-types")
    text = moments(*asked, *NMS).partition("Why queries")[0]

    rows = list_rows(text)
    assert rows
    # What stands in the column NMS tells them apart; without it they are those of two runs.
    plain = [[*row[:2], *row[3:]] for row in rows if row[2] in ("none", "–")]
    thinned = [[*row[:2], *row[3:]] for row in rows if row[2] in ("0.3", "–")]
    alone = moments(*asked).partition("Why queries")[0]
    assert plain == list_rows(alone)
    assert len(plain) == len(thinned)
    assert plain != thinned
    official = json.loads(moments(*asked, *NMS, "--json"))
    assert [cell for row in thinned for cell in row[2:]] == list_cells(official, benchmark)


def list_cells(official: Mapping[str, Any], benchmark: str) -> list[str]:
    """The numbers of the official script in the order of the table."""
    if benchmark == "tvr":
        return [
            f"{value:.2f}" for task in ("VCMR", "SVMR", "VR") for value in official[task].values()
        ]
    asked = (("MR-R1", "0.5"), ("MR-R1", "0.7"), ("MR-mAP", "0.5"), ("MR-mAP", "0.75"))
    return [
        f"{official[name][by][iou]:.2f}"
        for name in ("full", "short", "middle", "long")
        for by, iou in (*asked, ("MR-mAP", "average"))
    ]


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_the_document_and_the_csv_have_both(
    moments: Printed, benchmark: str, tmp_path: Path
) -> None:
    asked = ("--benchmark", benchmark)
    plain = json.loads(moments(*asked, "--format", "document"))
    both = json.loads(moments(*asked, *NMS, "--format", "document"))

    assert "official_without_nms" not in plain
    assert both["official_without_nms"] == plain["official"]
    assert both["official"] == json.loads(re.sub("NaN", "null", moments(*asked, *NMS, "--json")))
    for one, other in zip(both["numbers"], plain["numbers"], strict=True):
        assert one.pop("value_without_nms") == other["value"]
        assert {**one, "value": 0} == {**other, "value": 0}

    moments(*asked, *NMS, "--out", str(tmp_path / "n.csv"))
    with (tmp_path / "n.csv").open() as file:
        rows = [*csv.DictReader(file)]
    assert [row["value_without_nms"] for row in rows] == [
        "" if number["value"] is None else str(number["value"]) for number in plain["numbers"]
    ]
    assert "value_without_nms" not in moments(*asked, "--format", "csv")


def test_markdown_has_both(moments: Printed) -> None:
    text = moments(*NMS, "--format", "markdown")

    assert "| VCMR | 0.5 | none | " in text and "| VCMR | 0.5 | 0.3 | " in text


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_the_tables_fit_eighty_columns(
    moments: Printed, benchmark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")

    text = moments("--benchmark", benchmark, *NMS)
    assert max(map(len, text.splitlines())) <= 80
    assert len(list_rows(text.partition("Why queries")[0])) > 7
