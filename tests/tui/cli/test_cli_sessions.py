"""`tui-eval sessions`: list, show, export, import, delete and replay, on a store of its own."""

from __future__ import annotations

import json
import os
import pty
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from engine.keywords.judgement import Judgement
from engine.keywords.question import Question
from engine.keywords.workbench import Workbench
from engine.metrics import find_profile as profile_named
from engine.metrics import parse_measures
from engine.sessions import Answer, MetricValue, SessionStore, SessionView, UnwritableError
from engine.sessions.build_answer import build_answer
from engine.sessions.repair import StoreRepair
from engine.sessions.salvage import SavedCount
from engine.text.encoder import SentenceEncoder
from tests.conftest import ROOT, CommandLine
from tests.engine.sessions.damaged_store import make_store, zero_page
from tests.engine.sessions.sessions_by_hand import (
    CLIP,
    CYCLIST,
    HOSTILE,
    HUB,
    VARIANTS,
    answer,
    target,
    ticking,
)
from tests.tui.piloted import LIMIT
from tui.cli.app import run_command_line
from tui.cli.sessions.view import describe_repair
from tui.cli.shared.dataset_options import open_from_options

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store with one session, where the commands look by default."""
    monkeypatch.setenv("TUI_EVAL_DATA", str(tmp_path))
    path = tmp_path / "sessions.db"
    with SessionStore(path, ticking()) as store:
        session = store.create("sample", "sample", "night drive")
        session.record(answer(CYCLIST))
        session.record(answer(CLIP))
        session.judge(target("b"), HUB)
        session.remember(SessionView(CYCLIST, "b"))
    return path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def command(*arguments: str | Path) -> tuple[int, str, str]:
        code = run_command_line(["sessions", *map(str, arguments)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return command


def test_the_list_counts_what_each_session_holds(
    run: Run, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")  # wide enough for the path on one line

    code, out, err = run("list")

    assert (code, err) == (0, "")
    assert "night drive" in out and "clip_1" in out and f"1 session in {path}" in out
    _, out, _ = run("list", "--json")
    (row,) = json.loads(out)["sessions"]
    assert (row["id"], row["name"], row["queries"], row["bias_cases"]) == (1, "night drive", 2, 1)


def test_without_a_store_the_list_is_empty_and_none_is_made(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TUI_EVAL_DATA", str(tmp_path / "new"))

    code, out, _ = run("list")

    assert code == 0 and "No session is saved yet" in out
    assert json.loads(run("list", "--json")[1])["sessions"] == []
    assert not (tmp_path / "new").exists()


def test_a_session_shows_the_first_metric_at_every_cut_off_and_its_json_has_all(
    run: Run, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    labels = ("Recall@1", "Recall@5", "NDCG@5")
    metrics = tuple(MetricValue(label, label, "", 0.25, 0.25) for label in labels)
    with SessionStore(path) as store:
        store.open(1).record(replace(answer(CYCLIST), metrics=metrics))

    out = run("show", "1")[1]

    assert "Recall@1 0.25  Recall@5 0.25" in out
    assert "NDCG@5" not in out
    assert "NDCG@5" in run("show", "1", "--json")[1]


def test_a_session_is_shown_with_its_numbers_and_judgements(
    run: Run, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")  # no word is broken
    code, out, err = run("show", "night")

    assert (code, err) == (0, "")
    for words in ("night drive", "Recall@5 0.4 (0.6)", "2 of 10", "bias case (hub)", "near to"):
        assert words in out
    with SessionStore(path) as store:
        store.open(1).judge(target("c"), Judgement("relevant"))
    assert "relevant after all" in run("show", "1")[1]
    assert json.loads(run("show", "1", "--json")[1])["schema"] == "tui-eval/session@2"


def test_the_same_query_with_other_settings_is_told_apart(
    run: Run, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")  # a row is one line
    with SessionStore(path) as store:
        session = store.create("sample", "sample", "variants")
        for question in VARIANTS:
            session.record(answer(question))

    out = run("show", "variants")[1]

    rows = [line for line in out.splitlines() if "a cyclist" in line]
    assert len(set(rows)) == len(VARIANTS)
    said = {3: "without object_type:car", 5: "one per source", 7: "similarity ≥ 0.25"}
    assert all(words in rows[place] for place, words in said.items())


def test_the_name_of_the_file_says_the_format_of_an_export(
    run: Run, path: Path, tmp_path: Path
) -> None:
    run("export", "latest", "--out", tmp_path / "s.md")
    run("export", "latest", "--out", tmp_path / "s.json")
    run("export", "latest", "--out", tmp_path / "s.txt", "--format", "markdown")

    assert (tmp_path / "s.md").read_text().startswith("# Session: night drive")
    assert (tmp_path / "s.txt").read_text() == (tmp_path / "s.md").read_text()
    assert json.loads((tmp_path / "s.json").read_text()) == json.loads(run("export", "1")[1])


def test_an_exported_session_is_imported_as_a_new_one(run: Run, path: Path, tmp_path: Path) -> None:
    file = tmp_path / "s.json"
    run("export", "1", "--out", file)

    code, out, _ = run("import", file)

    assert code == 0
    assert out == "imported as session 2: night drive (2 questions, 1 judgement)\n"
    one, two = (json.loads(run("export", number)[1]) for number in "12")
    assert {**one, "updated": ""} == {**two, "updated": ""}


def test_an_import_makes_the_store_that_is_named(run: Run, path: Path, tmp_path: Path) -> None:
    file, other = tmp_path / "s.json", tmp_path / "deep" / "other.db"
    run("export", "1", "--out", file)

    assert run("import", file, "--store", other)[0] == 0
    assert "night drive" in run("list", "--store", other)[1]


def test_deleting_without_a_terminal_needs_yes(run: Run, path: Path) -> None:
    with open(os.devnull) as nothing, pytest.MonkeyPatch.context() as patch:  # noqa: PTH123
        patch.setattr(sys, "stdin", nothing)
        code, _, err = run("delete", "1")

    assert code == 2 and "--yes" in err and "night drive" in run("list")[1]
    assert run("delete", "1", "--yes") == (0, "", "deleted session 1, night drive\n")
    assert "No session" in run("list")[1]


@pytest.mark.slow
@pytest.mark.parametrize(("reply", "left"), [("n", True), ("y", False)])
def test_deleting_at_a_terminal_asks_first(path: Path, reply: str, left: bool) -> None:
    leader, follower = pty.openpty()
    code = "import sys; from tui.cli.app import run_command_line as run; run(sys.argv[1:])"
    os.write(leader, f"{reply}\n".encode())

    done = subprocess.run(
        [sys.executable, "-c", code, "sessions", "delete", "1"],
        stdin=follower,
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=LIMIT,
        check=True,
    )
    os.close(leader)
    os.close(follower)

    assert "Delete session 1, night drive, with 1 judgement?" in done.stderr
    with SessionStore(path) as store:
        assert bool(store.summaries()) == left


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("show", "9"), 'no session "9"'),
        (("list", "--store", "nowhere.db"), "nowhere.db: no such file"),
        (("show", "1", "--store", "nowhere.db"), "nowhere.db: no such file"),
        (("import", "nowhere.json"), "nowhere.json: no such file"),
        (("import", "broken.json"), "broken.json, line 1: is not valid JSON"),
        (("import", "run.json"), "run.json: is a"),
        (("replay", "run.json"), "run.json: is a"),
        (("replay", "gone.json"), "gone.json: no such file"),
        (("replay", "1", "--dataset", "nowhere"), "nowhere"),
        (("replay", "elsewhere"), "--dataset"),
        (("list", "--store", "broken.json"), "broken.json: is not a session store"),
        (("list", "--store", ""), "is a folder"),
        (("repair", "--store", "/"), "is a folder"),
        (("export", "1", "--json", "--format", "markdown"), "choose one"),
        (("export", "1", "--out", "sessions.db"), "an input of this command"),
        (("export", "1", "--out", "no/such/folder.md"), "the folder does not exist"),
    ],
)
def test_bad_input_is_one_line_with_a_remedy(
    run: Run, path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], words: str
) -> None:
    monkeypatch.chdir(path.parent)
    Path("broken.json").write_text("{,")
    Path("run.json").write_text('{"schema": "tui-eval/run@1"}')
    with SessionStore(path) as store:
        store.create("other", str(path.parent / "other"), "elsewhere")

    code, out, err = run(*arguments)

    assert (code, out) == (2, "")
    assert err.startswith("error: ") and err.count("\n") == 1 and words in err
    assert Path("broken.json").read_text() == "{,"


def test_a_store_named_from_a_folder_that_is_gone_is_not_there(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()

    code, out, err = run("repair", "--store", "x.db")

    assert (code, out) == (2, "")
    assert err.startswith("error: x.db: no such file") and err.count("\n") == 1


def test_no_text_of_a_session_speaks_to_the_terminal(run: Run, path: Path) -> None:
    with SessionStore(path) as store:
        session = store.create(HOSTILE, HOSTILE, HOSTILE[:100])
        session.record(answer(replace(CYCLIST, query=HOSTILE, model=HOSTILE), keywords=(HOSTILE,)))
        session.judge(target(HOSTILE, HOSTILE), Judgement(note=HOSTILE))

    for arguments in (("list",), ("show", "2"), ("export", "2"), ("delete", "2", "--yes")):
        code, out, err = run(*arguments)
        assert code == 0
        assert not set("\x1b\x00\r\u202e") & set(out + err)


# Replaying on the sample


@pytest.fixture(scope="module")
def asked(encoder: SentenceEncoder) -> tuple[Answer, ...]:
    """Three questions as the sample answers them."""
    bench = Workbench(open_from_options(None), encoder)
    measures = parse_measures(["P@1", "P@5", "AP"], profile_named("alfa"))
    clip = bench.collection().truth.ids[3]
    groups = ("object_type", "actor_behavior")
    questions = (
        Question("text", "cyclist entering ego lane", "alfa-0.1", groups),
        Question("video", clip, "alfa-0.2", groups),
        Question("text", "nothing that anyone knows", "alfa-0.1", groups),
    )
    from engine.keywords.inspection import pair_metrics

    found = [bench.ask(q, measures, k=10, depth=bench.whole(q.model)) for q in questions]
    return tuple(build_answer(item, 10, pair_metrics(item, {})) for item in found)


@pytest.mark.slow
def test_a_session_replayed_on_its_own_dataset_has_not_changed(
    run: Run, path: Path, asked: tuple[Answer, ...]
) -> None:
    with SessionStore(path) as store:
        session = store.create("sample", "sample")
        for item in asked:
            session.record(item)

    code, out, _ = run("replay", "latest")

    assert code == 0 and out.endswith("3 queries replayed: nothing changed\n")


@pytest.mark.slow
def test_a_replay_says_what_changed_and_what_fails(
    run: Run, path: Path, tmp_path: Path, asked: tuple[Answer, ...]
) -> None:
    text, video, _ = asked
    other = replace(video, clips=("gone", *video.clips[:9]), relevant=video.relevant + 1)
    lost = replace(text, question=replace(text.question, model="alfa-9"))
    with SessionStore(path) as store:
        session = store.create("sample", "sample")
        for item in (text, other, lost):
            session.record(item)
    file = tmp_path / "s.json"
    run("export", "latest", "--out", file)

    code, out, err = run("replay", file)
    document = json.loads(run("replay", file, "--json")[1])

    assert code == 0, err
    assert "3 queries replayed: 1 changed, 1 failed, 1 as before" in out
    assert f"{video.relevant + 1} → {video.relevant}" in out
    assert "gone from 1" in out and f"{video.clips[9]} at 10" in out
    assert "no model 'alfa-9'" in out
    assert [item["status"] for item in document["results"]] == ["same", "changed", "failed"]
    assert document["results"][1]["difference"]["ranking"]["left"] == [{"clip": "gone", "rank": 1}]
    assert (document["dataset"], document["changed"]) == ("sample", 1)


@pytest.mark.slow
def test_another_dataset_can_be_asked_instead(
    run: Run, path: Path, asked: tuple[Answer, ...]
) -> None:
    from sample_data import folder

    with SessionStore(path) as store:
        store.create("lost", "/nowhere/at/all").record(asked[1])

    code, out, _ = run("replay", "latest", "--dataset", folder())

    assert code == 0 and "1 query replayed: nothing changed" in out


@pytest.mark.slow
def test_the_installed_command_has_the_sessions(tui_eval: CommandLine, path: Path) -> None:
    done = tui_eval("sessions", "list", "--store", path)

    assert (done.returncode, done.stderr) == (0, "")
    assert "night drive" in done.stdout


def test_repair_says_what_was_saved_and_lost_and_where_the_damaged_file_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "sessions.db"
    make_store(path, marks=12)
    arguments = ["sessions", "repair", "--store", str(path)]

    assert run_command_line(arguments) == 0
    sound = f"{path} is sound: 3 sessions, 24 answers, 21 judgements; nothing was changed"
    assert capsys.readouterr().out == f"{sound}\n"
    new = tmp_path / "new.db"
    assert run_command_line([*arguments, "--out", str(new)]) == 0
    assert capsys.readouterr().out == f"{sound}, and {new} was not written\n"

    path.write_bytes(zero_page(path.read_bytes(), 3))
    assert run_command_line(["sessions", "list", "--store", str(path)]) == 2
    assert "tui-eval sessions repair --store" in capsys.readouterr().err
    assert run_command_line(arguments) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "lost: what was on 1 damaged page and nowhere else"
    assert said[1] == f"saved in {path}: 3 sessions, 24 answers, 21 judgements"
    assert said[-1].startswith(f"the damaged file is kept as {path}.damaged-")
    assert run_command_line(["sessions", "list", "--store", str(path)]) == 0


def test_commands_about_sessions_fail_where_nothing_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("TUI_EVAL_DATA", str(tmp_path / "file" / "data"))

    assert run_command_line(["sessions", "show", "latest"]) == 2

    (line,) = capsys.readouterr().err.splitlines()
    assert "the folder cannot be made" in line and "--store" in line


def test_what_is_lost_is_said_first_and_judgements_before_all() -> None:
    counts = {
        "session": SavedCount(2, 0, 1),
        "answer": SavedCount(5, 0, 2),
        "judgement": SavedCount(7, 0, 3),
        "change": SavedCount(8, 0, 4),
    }
    said = describe_repair(StoreRepair(Path("s.db"), Path("s.old"), Path("s.db"), counts, 0))

    assert said[0] == "lost: 3 judgements, 1 session, 2 answers"
    assert said[1] == "saved in s.db: 2 sessions, 5 answers, 7 judgements"
    counts["judgement"] = replace(counts["judgement"], is_guess=True)
    said = describe_repair(StoreRepair(Path("s.db"), Path("s.old"), Path("s.db"), counts, 0))
    guess = "(the undo history lacks 3; imported ones were never in it)"
    assert said[0] == f"lost: an unknown number of judgements {guess}, 1 session, 2 answers"
    none = {kind: replace(count, lost=0) for kind, count in counts.items()}
    said = describe_repair(StoreRepair(Path("s.db"), Path("s.old"), Path("s.db"), none, 0))
    assert said[0] == "nothing is known to be lost" and "change" not in " ".join(said)


@pytest.mark.parametrize(
    "arguments", [("list",), ("show", "latest"), ("export", "1"), ("replay", "9")]
)
@pytest.mark.parametrize("refuses", ["the system", "SQLite"])
def test_commands_that_only_read_read_a_store_that_cannot_be_written(
    run: Run,
    path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    refuses: str,
) -> None:
    before = path.read_bytes()
    if refuses == "the system":
        monkeypatch.setattr(os, "access", lambda _, mode: mode != os.W_OK)
    else:

        def refuse(*_: object, **__: object) -> None:
            raise UnwritableError("cannot be opened for writing", path)

        monkeypatch.setattr("engine.sessions.database.open_store_file", refuse)

    code, out, err = run(*arguments, "--store", path)

    if arguments[0] == "replay":
        assert 'no session "9"' in err and "night drive" in err
    else:
        assert (code, err) == (0, "") and "night drive" in out
    assert list(path.parent.iterdir()) == [path] and path.read_bytes() == before


def test_a_file_in_place_of_the_data_folder_is_an_error(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("TUI_EVAL_DATA", str(tmp_path / "file"))

    code, out, err = run("list")

    assert (code, out) == (2, "")
    assert "is not a folder" in err and "$TUI_EVAL_DATA" in err and err.count("\n") == 1


def test_at_its_usual_place_what_is_no_store_was_one(run: Run, path: Path) -> None:
    path.write_bytes(b"no store " * 999)

    _, _, err = run("list")

    assert "is not a session store; tui-eval sessions repair --store" in err


def test_an_import_that_has_no_room_leaves_no_empty_store(
    run: Run, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, other = tmp_path / "s.json", tmp_path / "other" / "new.db"
    run("export", "1", "--out", file)

    def is_full(*_: object) -> None:
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise error

    monkeypatch.setattr("engine.sessions.opening._prepare", is_full)

    code, _, err = run("import", file, "--store", other)

    assert code == 2 and "the disk is full" in err
    assert list(other.parent.iterdir()) == []


def test_who_only_lists_makes_no_store_of_an_empty_file(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "empty.csv"
    file.touch()

    code, out, _ = run("list", "--store", str(file))

    assert code == 0 and "no session" in out.lower()
    assert file.read_bytes() == b"" and [*tmp_path.glob("empty*")] == [file]
