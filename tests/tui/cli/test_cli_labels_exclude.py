"""`tui-eval labels --exclude`: as if the items with these labels had never been in the files."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from engine.labels.dataset import LabelDataset
from sample_data import folder
from tests.tui.cli.command_lines import Printed, printed_by, refusal_of
from tui.cli.app import run_command_line
from tui.opening.source import dump_source, open_source
from tui.opening.starts import InspectorStart

ROOMS = [*("hall", "Other", "bath", "hall", "No_Activity", "bath", "Other", "hall") * 3, "attic"]
DAYS = [*("early", "late", "late", "Other", "early") * 5]
ALL = "text2sensor,sensor2text,sensor2sensor,text2text"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TUI_EVAL_DATA", str(tmp_path / "data"))
    rng = np.random.default_rng(5)
    write_files(Path(), rng.normal(size=(25, 4)), rng.normal(size=(25, 4)), range(25))


def write_files(folder: Path, sensor: np.ndarray, text: np.ndarray, rows: object) -> None:
    folder.mkdir(exist_ok=True)
    kept = [*rows]  # type: ignore[call-overload]
    np.save(folder / "s.npy", sensor[kept])
    np.save(folder / "t.npy", text[kept])
    with (folder / "l.csv").open("w", newline="") as file:
        csv.writer(file).writerows(
            [("id", "room", "day"), *((f"c{row}", ROOMS[row], DAYS[row]) for row in kept)]
        )


def remove_by_hand(*dropped: int) -> Path:
    """The same files without these rows."""
    kept = [row for row in range(25) if row not in dropped]
    write_files(Path("by_hand"), np.load("s.npy"), np.load("t.npy"), kept)
    return Path("by_hand")


def line(folder: Path = Path(), *levels: str) -> tuple[str, ...]:
    given = [f"--labels={level}={folder / 'l.csv'}" for level in levels or ("room",)]
    files = (
        "--sensor-embeddings",
        f"{folder / 's.npy'}",
        "--text-embeddings",
        f"{folder / 't.npy'}",
    )
    return (*files, *given, "--directions", ALL, "--k", "2,5")


@pytest.fixture
def labels(capsys: pytest.CaptureFixture[str]) -> Printed:
    return printed_by("labels", capsys)


@pytest.fixture
def refusal(capsys: pytest.CaptureFixture[str]) -> Printed:
    return refusal_of("labels", capsys)


OTHERS = [row for row, room in enumerate(ROOMS) if room in ("Other", "No_Activity")]


@pytest.mark.parametrize("format", ["json", "csv", "confusion"])
def test_all_numbers_are_those_of_files_without_the_items(labels: Printed, format: str) -> None:
    by_hand = remove_by_hand(*OTHERS)

    text = labels(*line(), "--exclude", "Other,No_Activity", "--format", format)

    assert text == labels(*line(by_hand), "--format", format)
    assert text != labels(*line(), "--format", format)
    assert "Other" not in text


def test_the_document_says_what_was_left_out(labels: Printed) -> None:
    by_hand = remove_by_hand(*OTHERS)

    found = json.loads(labels(*line(), "--exclude", "Other,No_Activity", "--format", "document"))
    same = json.loads(labels(*line(by_hand), "--format", "document"))

    assert [found[part] for part in ("items", "scores", "findings", "levels")] == [
        same[part] for part in ("items", "scores", "findings", "levels")
    ]
    assert found["settings"].pop("exclude") == ["Other,No_Activity"]
    assert {**found["settings"], "keys": 0} == {**same["settings"], "keys": 0}
    note = "9 of 25 items are left out, neither asked nor found: labels 'Other', 'No_Activity'"
    assert found["notes"] == [note, *same["notes"]]
    assert note in labels(*line(), "--exclude", "Other,No_Activity").replace("\n  ", " ")


def test_the_rows_of_single_queries_are_those_of_the_files(labels: Printed) -> None:
    exclude = ("--exclude", "Other", "--exclude", "No_Activity")
    found = json.loads(labels(*line(), *exclude, "--show", "2", "--json"))
    by_hand = json.loads(labels(*line(remove_by_hand(*OTHERS)), "--show", "c2", "--json"))

    assert found["queries"][0]["query"] == "c2"
    assert found["notes"][0].startswith("9 of 25 items are left out")
    for ours, theirs in zip(found["queries"], by_hand["queries"], strict=True):
        for one, other in zip(ours["found"], theirs["found"], strict=True):
            assert one["id"] == f"c{one.pop('row')}"
            other.pop("row")
            assert one == other


def test_a_label_of_one_level_or_of_any(labels: Printed) -> None:
    two = ("room", "day")
    rooms = remove_by_hand(*(row for row in range(25) if ROOMS[row] == "Other"))
    expected = labels(*line(rooms, *two), "--json")
    assert labels(*line(Path(), *two), "--exclude", "room=Other", "--json") == expected

    both = remove_by_hand(*(row for row in range(25) if "Other" in (ROOMS[row], DAYS[row])))
    expected = labels(*line(both, *two), "--json")
    assert labels(*line(Path(), *two), "--exclude", "Other", "--json") == expected


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("other", "no item has the label 'other'; did you mean \"Other\"?"),
        ("Other,No_Activty", "no item has the label 'No_Activty'; did you mean \"No_Activity\"?"),
        ("room=Bath", "no item has the label 'Bath' at level 'room'; did you mean \"bath\"?"),
        ("\x1b[2J", "no item has the label"),
        (",", "no item has the label ','"),
        ("hall,Other,bath,No_Activity,attic", "no item is left"),
    ],
)
def test_what_no_item_has_is_one_line(refusal: Printed, given: str, said: str) -> None:
    text = refusal(*line(), "--exclude", given)

    assert said in text and "\x1b" not in text


def test_a_row_that_is_left_out_is_not_another_one(refusal: Printed) -> None:
    assert "no query is called '1'" in refusal(*line(), "--exclude", "Other", "--show", "1")


def test_prototypes_of_labels_that_are_left_out_do_not_ask(labels: Printed) -> None:
    np.save("p.npy", np.random.default_rng(1).normal(size=(5, 4)))
    Path("p.txt").write_text("hall\nOther\nbath\nNo_Activity\nattic\n")
    by_hand = remove_by_hand(*OTHERS)
    np.save("three.npy", np.load("p.npy")[[0, 2, 4]])
    Path("three.txt").write_text("hall\nbath\nattic\n")

    def asked(vectors: str) -> tuple[str, ...]:
        names = ("--prototype-embeddings", f"{vectors}.npy", "--prototype-labels", f"{vectors}.txt")
        return ("--directions", "prototype2sensor", "--use-prototypes", *names, "--json")

    text = labels(*line(), "--exclude", "Other,No_Activity", *asked("p"))
    assert text == labels(*line(by_hand), *asked("three"))


@pytest.mark.slow
def test_the_screen_has_the_same_items_and_a_session_remembers_them(
    started: list[InspectorStart],
) -> None:
    options = ("labels", *line(), "--exclude", "Other,No_Activity", "--inspect")
    assert run_command_line([*options]) == 0

    dataset = started[0].dataset
    again = open_source(dump_source(dataset))
    for one in (dataset, again):
        assert isinstance(one, LabelDataset)
        assert one.name == "s without Other,No_Activity"
        assert one.truth.ids == tuple(f"c{row}" for row in range(25) if row not in OTHERS)
        assert {str(word) for word in one.truth.words.keywords} == {
            *("room:attic", "room:bath", "room:hall")
        }


@pytest.mark.slow
def test_the_sample_without_a_label_stays_the_sample(started: list[InspectorStart]) -> None:
    assert run_command_line(["labels", "--exclude", "urban", "--inspect"]) == 0

    (start,) = started
    assert start.dataset.name == "sample labels without urban"
    assert str(folder()) not in start.source
    assert len(open_source(start.source).truth) == len(start.dataset.truth) < 284


def test_a_wrong_label_is_said_before_the_screen_changes(
    started: list[InspectorStart], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command_line(["labels", *line(), "--exclude", "nothing", "--inspect"]) == 2

    assert not started and "the label 'nothing'" in capsys.readouterr().err
