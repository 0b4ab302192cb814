"""Every JSON document has the same envelope, whatever command writes it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.files.envelope import SCHEMAS, find_tool_version, name_schema
from engine.metrics import RetrievalMetrics
from engine.moments.tasks import TVR_TASKS
from engine.sessions import SessionStore
from tests.conftest import ROOT
from tests.engine.moments.moments_by_hand import Query, write_tvr
from tui.cli.app import run_command_line

SAVED = ROOT / "tests/data/saved"
ENVELOPE = ["schema", "tool", "inputs", "policies", "notes"]
LABELS = ("labels", "--sensor-embeddings", "x.npy", "--labels", "y.npy", "--k", "1,9")
MOMENTS = ("moments", "p.json", "--gt", "gt.jsonl")
SCORE = ("score", "--qrels", "qrels.txt", "--run", "a.run")

COMMANDS: dict[str, tuple[tuple[str, ...], set[str]]] = {
    "run": (("run", "--mode", "video", "--sample", "3", "--json"), {"annotations", "embeddings"}),
    "search": (
        ("search", "--video", "urban_bicyclist_0002", "--json"),
        {"annotations", "embeddings"},
    ),
    "score": ((*SCORE, "--json"), {"qrels", "run"}),
    "scores": ((*SCORE, "--run", "b.run", "--json"), {"qrels"}),
    "labels": ((*LABELS, "--format", "document"), {"embeddings of sensor", "labels label"}),
    "label-neighbours": (
        (*LABELS, "--show", "0", "--json"),
        {"embeddings of sensor", "labels label"},
    ),
    "moments": ((*MOMENTS, "--format", "document"), {"predictions", "truth"}),
    "moment": ((*MOMENTS, "--show", "100", "--json"), {"predictions", "truth"}),
    "moments-validate": (
        ("moments", "validate", "p.json", "--gt", "gt.jsonl", "--json"),
        {"submission", "gt"},
    ),
    "compare": (("compare", "one.json", "two.json", "--json"), {"alfa-0.1", "alfa-0.2"}),
    "gate": (("gate", "one.json", "--baseline", "one.json", "--json"), {"run", "baseline"}),
    "session": (("sessions", "export", "latest"), set()),
    "sessions": (("sessions", "list", "--json"), set()),
    "replay": (("sessions", "replay", "session.json", "--json"), {"annotations", "session"}),
    "validate": (
        ("validate", "--json"),
        {"annotations", "embeddings of alfa-0.1", "embeddings of alfa-0.2", "queries"},
    ),
    "pairs": (
        ("pairs", "--wording", "queries", "--limit", "5", "--json"),
        {"annotations", "queries"},
    ),
    "triage": (
        ("triage", "--mode", "video", "--analyses", "hubs", "--resamples", "100", "--json"),
        {"annotations", "embeddings", "embeddings of alfa-0.2"},
    ),
    "triage-list": (("triage", "list", "--json"), set()),
    "keys": (("keys", "--json"), set()),
    "config": (("config", "show", "--json"), set()),
    "map-test": (
        ("map", "test", "labelled.jsonl", "--vocabulary", "words.json", "--json"),
        {"vocabulary", "queries", "encoder"},
    ),
    "map-learn": (
        ("map", "learn", "--from", "labelled.jsonl", "--vocabulary", "words.json", "--json"),
        {"vocabulary", "queries", "encoder"},
    ),
    "map": (("map", "car", "--vocabulary", "words.json", "--json"), {"vocabulary", "encoder"}),
}
"""How every document is written, and the roles of the files behind it."""

Written = Callable[[str], dict[str, Any]]


@pytest.fixture
def written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Written:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TUI_EVAL_DATA", str(tmp_path))

    def write(name: str) -> dict[str, Any]:
        _write_inputs()
        code = run_command_line([*COMMANDS[name][0]])
        done = capsys.readouterr()
        assert code == 0, done.err
        out = Path("out.json")
        return json.loads(out.read_text() if out.exists() else done.out)  # type: ignore[no-any-return]

    return write


def _write_inputs() -> None:
    Path("qrels.txt").write_text("q1 0 a 1\n")
    for name in ("a.run", "b.run"):
        Path(name).write_text("q1 Q0 a 1 0.9 t\nq2 Q0 a 1 0.9 t\n")
    np.save("x.npy", np.eye(4))
    np.save("y.npy", np.array([0, 0, 1, 1]))
    write_tvr([Query("a", [(10, 20)], [("a", 10.0, 20.0)], 60.0, "a door", "v")], Path(), TVR_TASKS)
    Path("one.json").write_bytes((SAVED / "run.json").read_bytes())
    Path("two.json").write_bytes((SAVED / "run-alfa-0.2.json").read_bytes())
    Path("words.json").write_text('{"object_type": ["car"]}')
    Path("labelled.jsonl").write_text(
        '{"q": "car", "kw": ["car"]}\n{"q": "zorp", "kw": []}\n{"q": "bus"}\n'
    )
    session = json.loads((SAVED / "session.json").read_text())
    # Nothing to ask again: that would start the text encoder.
    Path("session.json").write_text(json.dumps({**session, "view": None, "answers": []}))
    with SessionStore(Path("sessions.db")) as store:
        store.create("sample", "sample", "night drive")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_document_has_the_envelope(written: Written, name: str) -> None:
    document = written(name)

    assert list(document)[:5] == ENVELOPE
    assert document["schema"] == name_schema(name)
    assert document["tool"] == {"name": "tui-eval", "version": find_tool_version()}
    assert set(document["inputs"]) == COMMANDS[name][1]
    for role, file in document["inputs"].items():
        assert list(file) == ["path", "sha256"]
        if role == "encoder":  # by its name, as it is a whole folder of files
            assert re.fullmatch("[0-9a-f]{64}", file["sha256"])
        else:
            assert file["sha256"] == hashlib.sha256(Path(file["path"]).read_bytes()).hexdigest()
    assert isinstance(document["policies"], dict)
    assert all(isinstance(note, str) for note in document["notes"])


@pytest.mark.parametrize("name", COMMANDS)
def test_with_a_file_and_quiet_stderr_has_the_notes_of_the_document_and_nothing_else(
    written: Written, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    written(name)

    code = run_command_line([*COMMANDS[name][0], "--out", "written.json", "--quiet"])
    done = capsys.readouterr()

    document = json.loads(Path("written.json").read_text())
    assert (code, done.out) == (0, "")
    assert done.err.splitlines() == [f"note: {note}" for note in document["notes"]]


@pytest.mark.parametrize("name", COMMANDS)
def test_with_a_file_the_table_is_printed_as_it_is_without_one(
    written: Written, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    document = written(name)
    options = [one for one in COMMANDS[name][0] if one not in ("--format", "document", "--json")]
    code = run_command_line(options)
    printed = capsys.readouterr()

    kind = ("--format", "document") if "document" in COMMANDS[name][0] else ()
    assert run_command_line([*options, *kind, "--out", "written.json"]) == code == 0
    done = capsys.readouterr()

    if name == "session":  # what is to be imported again has no table
        assert done.out == ""
    else:
        assert done.out == printed.out
        assert "note: " not in done.err
    assert done.err.splitlines() == ["wrote written.json", *printed.err.splitlines()]
    assert json.loads(Path("written.json").read_text())["schema"] == document["schema"]


NOTED = ("run", "compare", "labels", "score", "scores", "map-test", "map-learn")


@pytest.mark.parametrize("name", NOTED)
def test_some_of_them_have_notes(written: Written, name: str) -> None:
    assert written(name)["notes"]


NOTED_RUN = ("run", "--mode", "video", "--groups", "object_type", "--sample", "3")


@pytest.mark.parametrize(
    ("arguments", "is_said"),
    [
        (("--format", "csv"), True),
        (("--json",), False),
        ((), False),
        (("--out", "run.csv"), False),  # the table on stdout has them
        (("--out", "run.csv", "--quiet"), True),
    ],
)
def test_notes_are_said_where_the_result_has_no_room_for_them(
    arguments: tuple[str, ...],
    is_said: bool,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)

    assert run_command_line([*NOTED_RUN, *arguments]) == 0

    said = "note: video: 3 of 284 queries"
    assert (said in capsys.readouterr().err) == is_said


def test_a_search_names_the_files_of_both_models_and_of_what_was_typed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = tmp_path / "relevant.txt"
    typed.write_text("urban_bicyclist_0150\n")
    options = ("--against", "alfa-0.2", "--relevant", str(typed))

    assert run_command_line(["search", "--video", "urban_bicyclist_0002", *options, "--json"]) == 0

    inputs = json.loads(capsys.readouterr().out)["inputs"]
    models = {"embeddings of alfa-0.1", "embeddings of alfa-0.2"}
    assert set(inputs) == {"annotations", *models, "relevant"}
    assert inputs["relevant"]["sha256"] == hashlib.sha256(typed.read_bytes()).hexdigest()


def test_validate_tells_of_a_missing_file_and_digests_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    annotations = tmp_path / "clips.csv"
    annotations.write_text("slice_id,scene_type\na,city\n")
    files = ("--annotations", str(annotations), "--embeddings", str(tmp_path / "none.npz"))

    assert run_command_line(["validate", *files, "--json"]) == 2

    document = json.loads(capsys.readouterr().out)
    assert set(document["inputs"]) == {"annotations"}
    assert any("none.npz" in fault["message"] for fault in document["findings"])


def test_the_papers_small_api_writes_the_envelope_too(tmp_path: Path) -> None:
    metrics = RetrievalMetrics()
    metrics.evaluate_query([1, 2], [0.5, 0.25], [1], k=2)
    metrics.export_to_json(tmp_path / "m.json")

    document = json.loads((tmp_path / "m.json").read_text())

    assert list(document)[:5] == ENVELOPE
    assert document["schema"] == name_schema("retrieval-metrics")
    assert document["policies"]["fewer_than_k"] == "fixed"


def test_every_schema_is_written_by_a_command_or_read_from_a_user() -> None:
    assert {*COMMANDS, "retrieval-metrics", "dataset"} == set(SCHEMAS)


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("name", ["run", "score"])
def test_results_of_both_versions_are_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, version: int
) -> None:
    document = json.loads((SAVED / f"{name}.json").read_text())
    file = tmp_path / "saved.json"
    file.write_text(json.dumps({**document, "schema": f"tui-eval/{name}@{version}"}))

    assert run_command_line(["compare", str(file), str(SAVED / f"{name}.json"), "--json"]) == 0
    assert run_command_line(["report", str(file), "--out", str(tmp_path / "report.md")]) == 0

    modes = json.loads(capsys.readouterr().out)["modes"].values()
    assert {row["difference"] for mode in modes for row in mode["differences"]} == {0.0}


def test_a_result_of_a_later_version_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = json.loads((SAVED / "run.json").read_text())
    file = tmp_path / "saved.json"
    file.write_text(json.dumps({**document, "schema": "tui-eval/run@3"}))

    assert run_command_line(["compare", str(file), str(file)]) == 2
    assert "is not a saved run" in capsys.readouterr().err


@pytest.mark.parametrize("version", [1, 2])
def test_sessions_of_both_versions_are_imported(tmp_path: Path, version: int) -> None:
    document = json.loads((SAVED / "session.json").read_text())
    file, store = tmp_path / "session.json", tmp_path / "sessions.db"
    file.write_text(json.dumps({**document, "schema": f"tui-eval/session@{version}"}))

    assert run_command_line(["sessions", "import", str(file), "--store", str(store)]) == 0

    with SessionStore(store) as opened:
        latest = opened.latest()
        assert latest is not None and len(latest.all_judgements()) == 4
