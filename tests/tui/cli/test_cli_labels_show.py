"""`tui-eval labels --show`: the neighbours of single queries, against brute force."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.engine.labels.labels_by_hand import order_of
from tui.cli.app import run_command_line

FILES = ("--sensor-embeddings", "sensor.npy", "--text-embeddings", "text.npy")
FILES = (*FILES, "--labels", "l1=labels.csv", "--labels", "l2=l2.npy", "--k", "9,4")
ROWS = 12


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    rng = np.random.default_rng(3)
    sensor, text = rng.normal(size=(2, ROWS, 5))
    text[7] = text[2]  # which ties with it in every direction
    np.save("sensor.npy", sensor)
    np.save("text.npy", text)
    names = [("walk", "cook", "sleep")[row % 3] for row in range(ROWS)]
    lines = [f"item {row},{name}" for row, name in enumerate(names)]
    Path("labels.csv").write_text("\n".join(["id,l1", *lines]) + "\n")
    np.save("l2.npy", np.arange(ROWS) // 6)
    vectors = rng.normal(size=(4, 5))
    np.savez("prototypes.npz", vectors=vectors, labels=["walk", "cook", "sleep", "walk"])


@pytest.fixture
def labels(capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*arguments: str, code: int = 0) -> str:
        assert run_command_line(["labels", *FILES, *arguments]) == code
        done = capsys.readouterr()
        return done.err if code else done.out

    return run


def unit(rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def l1(row: int) -> str:
    return ("walk", "cook", "sleep")[row % 3]


@pytest.mark.parametrize("direction", ["text2sensor", "sensor2text", "sensor2sensor", "text2text"])
@pytest.mark.parametrize("cosine", [True, False])
@pytest.mark.parametrize("row", [2, 7, 11])
def test_neighbours_are_those_of_brute_force(
    labels: Any, direction: str, cosine: bool, row: int
) -> None:
    options = ("--directions", direction, "--show", f"item {row}", "--json")

    document = json.loads(labels(*options, *([] if cosine else ["--no-normalize"])))

    asked, found = (np.load(f"{side}.npy") for side in direction.split("2"))
    own = direction in ("sensor2sensor", "text2text")
    order = order_of(asked, found, cosine=cosine, own=own)[row, :4].tolist()
    if cosine:
        asked, found = unit(asked), unit(found)
    (query,) = document["queries"]
    assert (document["schema"], document["k"]) == ("tui-eval/label-neighbours@2", 4)
    assert query["labels"] == {"l1": l1(row), "l2": str(row // 6)}
    assert [one["row"] for one in query["found"]] == order
    for rank, (one, other) in enumerate(zip(query["found"], order, strict=True), start=1):
        assert (one["rank"], one["id"]) == (rank, f"item {other}")
        assert one["similarity"] == pytest.approx(float(asked[row] @ found[other]), abs=1e-9)
        assert one["labels"] == {"l1": l1(other), "l2": str(other // 6)}
        assert one["same"] == {"l1": l1(other) == l1(row), "l2": other // 6 == row // 6}
    assert query["hits"]["l1"] == sum(l1(other) == l1(row) for other in order)


@pytest.mark.parametrize("pooling", ["mean", "max"])
def test_a_prototype_is_shown_by_its_name(labels: Any, pooling: str) -> None:
    given = ("--use-prototypes", "--prototype-embeddings", "prototypes.npz")

    text = labels(*given, "--prototype-pooling", pooling, "--show", "walk", "--json")

    rows = unit(np.load("prototypes.npz")["vectors"][[0, 3]])
    items = unit(np.load("sensor.npy"))
    pooled = unit(rows.mean(axis=0, keepdims=True)) @ items.T
    scores = pooled[0] if pooling == "mean" else (rows @ items.T).max(axis=0)
    order = np.argsort(-scores, kind="stable")[:4].tolist()
    query = json.loads(text)["queries"][0]
    assert (query["direction"], query["labels"]) == ("prototype2sensor", {"l1": "walk"})
    assert [one["row"] for one in query["found"]] == order
    assert [one["similarity"] for one in query["found"]] == pytest.approx(scores[order].tolist())


def test_a_row_number_is_an_item_and_every_direction_is_shown(labels: Any) -> None:
    by_number = labels("--show", "5", "--show", "item 0")

    assert by_number == labels("--show", "item 5", "--show", "item 0")
    heads = [line.split(" · ")[:2] for line in by_number.splitlines() if " · " in line]
    names = ("text2sensor", "sensor2text")
    assert heads == [[name, item] for item in ("item 5", "item 0") for name in names]


@pytest.mark.parametrize(("options", "marks"), [((), "✅❌"), (("--ascii",), ("[+]", "[-]"))])
def test_marks_say_which_labels_are_the_same(
    labels: Any, options: tuple[str, ...], marks: tuple[str, str]
) -> None:
    text = labels("--show", "0", "--directions", "text2sensor", *options)

    right, wrong = marks
    lines = [line for line in text.splitlines() if line.strip()[:1].isdigit()]
    assert len(lines) == 4
    for line in lines:
        row = int(line.partition("item ")[2].split()[0])
        assert f"{right if l1(row) == 'walk' else wrong} {l1(row)}" in line
        assert f"{right if row < 6 else wrong} {row // 6}" in line


def test_the_neighbours_may_go_to_a_file(labels: Any) -> None:
    labels("--show", "0", "--out", "found.json")
    labels("--show", "0", "--out", "found.txt")

    assert json.loads(Path("found.json").read_text())["queries"][0]["query"] == "item 0"
    assert Path("found.txt").read_text().startswith("text2sensor · item 0 · l1 walk: ")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--show", "item 99"), "no query is called 'item 99'"),
        (("--show", "12"), "or give a row's number from 0 to 11"),
        (("--show", "0", "--per-label", "x.csv"), "--show and --per-label were given"),
        (("--show", "0", "--format", "csv"), "--show and --format csv were given"),
        (("--show", "0", "--out", "labels.csv"), "--show and --format csv were given"),
        (("--show", "0", "--out", "sensor.npy", "--format", "json"), "an input of this command"),
    ],
)
def test_what_cannot_be_shown_is_one_line(
    labels: Any, options: tuple[str, ...], message: str
) -> None:
    line = labels(*options, code=2)

    assert message in line
    assert len(line.splitlines()) == 1
