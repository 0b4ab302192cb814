"""`--resume` and `--session`: which session is resumed, also when its dataset has moved."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import sample_data
from engine.base.errors import InputError
from engine.keywords.question import Question
from engine.sessions import Session, SessionStore, UnwritableError
from engine.text.encoder import SentenceEncoder
from tests.engine.sessions.sessions_by_hand import HUB, answer, target, ticking
from tests.tui.inspector import Inspector, inspect, small_dataset
from tui.cli.app import run_command_line
from tui.opening.source import SAMPLE, name_place
from tui.opening.starts import InspectorStart

FOUR = "a,,,car,city\nb,,,car,city\nc,,,bus,city\nd,,,car,rain"
QUESTION = Question("video", "a", "one", ("object_type",))

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(started: list[InspectorStart], capsys: pytest.CaptureFixture[str]) -> Run:
    def command(*arguments: str | Path) -> tuple[int, str]:
        return run_command_line([str(part) for part in arguments]), capsys.readouterr().err

    return command


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TUI_EVAL_DATA", str(tmp_path))
    return tmp_path / "sessions.db"


def saved(store: Path, source: Path, *, clips: str = "b c", name: str = "small") -> int:
    """A session about a dataset at this place."""
    with SessionStore(store, ticking()) as opened:
        session = opened.create(name, str(source))
        session.record(answer(QUESTION, clips))
        session.judge(target(clips[0]), HUB)
        return session.id


def moved(tmp_path: Path) -> tuple[Path, Path]:
    """The place where a dataset was, and the one where it is."""
    old, new = tmp_path / "old", tmp_path / "new"
    small_dataset(old, FOUR)
    shutil.move(old, new)
    return old, new


def source(store: Path, session: int) -> str:
    with SessionStore(store) as opened:
        return opened.open(session).dataset_source


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files that nobody else uses."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


def save_elsewhere(store: Path, temporary: Path) -> Path:
    """What an inspector leaves behind that could not save."""
    store.mkdir()  # nothing can be written there
    lost = SessionStore(store, unsaved=UnwritableError("cannot be written", store))
    lost.create("small", "somewhere").judge(target("b"), HUB)
    with pytest.raises(InputError, match="everything is in"):
        lost.close()
    store.rmdir()
    (file,) = temporary.iterdir()
    return file


def test_work_that_could_not_be_saved_is_named(
    run: Run, started: list[InspectorStart], store: Path, temporary: Path, tmp_path: Path
) -> None:
    file = save_elsewhere(store, temporary)
    code, said = run("--resume")
    assert code == 2 and f"continue with: tui-eval --store {file} --resume" in said

    small_dataset(tmp_path / "small", FOUR)
    saved(store, tmp_path / "small")
    assert run("--resume") == (0, "")
    assert started[0].notice.startswith(f"Newer work could not be saved here, and is in {file};")

    os.utime(file, (0, 0))
    assert run("--resume") == (0, "")
    assert started[1].notice == ""


def test_work_of_another_store_that_could_not_be_saved_is_not_named(
    run: Run, started: list[InspectorStart], store: Path, temporary: Path, tmp_path: Path
) -> None:
    save_elsewhere(tmp_path / "other.db", temporary)

    assert run("--resume") == (2, "error: no session is saved yet; start without --resume\n")
    small_dataset(tmp_path / "small", FOUR)
    saved(store, tmp_path / "small")
    os.utime(store, (0, 0))
    assert run("--resume") == (0, "") and started[0].notice == ""


@pytest.mark.parametrize("which", [("--resume",), ("--session", "1"), ("--session", "latest")])
@pytest.mark.parametrize("command", [(), ("inspect",), ("labels", "--inspect")])
def test_nothing_is_made_where_a_session_is_to_be_resumed(
    run: Run, tmp_path: Path, store: Path, command: tuple[str, ...], which: tuple[str, ...]
) -> None:
    named = tmp_path / "nope" / "mv.db"

    assert run(*command, "--store", named, *which) == (
        2,
        f"error: {named}: no such file; check --store\n",
    )
    code, said = run(*command, *which)

    assert code == 2 and said.count("\n") == 1 and "saved yet" in said
    assert not named.parent.exists() and not store.exists()


def test_what_others_leave_there_is_not_taken_for_it(
    run: Run, store: Path, temporary: Path, tmp_path: Path
) -> None:
    file = save_elsewhere(store, temporary)
    file.symlink_to(file.rename(tmp_path / "it"))
    ending = file.name.removeprefix("tui-eval-").partition("-")[2]
    file.with_name(f"tui-eval-other-{ending}").write_text("no store")

    assert run("--resume")[1].endswith("start without --resume\n")


@pytest.mark.parametrize("command", [("--dataset",), ("inspect",)])
@pytest.mark.parametrize("which", [("--resume",), ("--session", "1")])
def test_a_session_follows_its_dataset_to_another_place(
    run: Run,
    started: list[InspectorStart],
    store: Path,
    tmp_path: Path,
    command: tuple[str],
    which: tuple[str, ...],
) -> None:
    old, new = moved(tmp_path)
    saved(store, old)
    second = saved(store, old)

    assert run(*command, new, *which) == (0, "")

    (start,) = started
    assert start.session is not None and start.source == start.session.dataset_source == str(new)
    assert f"gone from {old}: it goes on with {new}, and so will 1 other session" in start.notice
    assert source(store, 1) == source(store, second) == str(new)
    assert run("--session", 1) == (0, "")  # from now on it brings its dataset along
    assert started[1].notice == "" and started[1].source == str(new)


def test_the_move_is_said_on_the_screen(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        await see.says("The dataset of this session is gone from there")

    inspect(flow, tmp_path, encoder, notice="The dataset of this session is gone from there")


def test_a_session_of_a_place_that_still_has_a_dataset_is_not_taken_away(
    run: Run, started: list[InspectorStart], store: Path, tmp_path: Path
) -> None:
    old, copy = tmp_path / "old", tmp_path / "copy"
    small_dataset(old, FOUR)
    shutil.copytree(old, copy)
    saved(store, old)

    code, reported = run("-d", copy, "--session", 1)
    assert code == 2 and f"session 1 is about another dataset, {old}" in reported
    assert "tui-eval --session 1 opens the session with that dataset" in reported
    code, reported = run("-d", copy, "--resume")
    assert code == 2 and f"no session about {copy} is saved yet" in reported
    assert started == [] and source(store, 1) == str(old)


def test_another_name_is_another_dataset_and_the_remedy_works(
    run: Run, started: list[InspectorStart], store: Path, tmp_path: Path
) -> None:
    old, new = moved(tmp_path)
    saved(store, old, name="big")

    code, reported = run("-d", new, "--resume")
    assert code == 2
    assert f"tui-eval --session 1 --dataset {new}" in reported
    code, reported = run("--session", 1, "--dataset", new)
    assert code == 2 and 'write name = "big" into its dataset.toml' in reported
    settings = new / "dataset.toml"
    settings.write_text(settings.read_text().replace('"small"', '"big"'))
    assert run("--session", 1, "--dataset", new) == (0, "")
    assert source(store, 1) == str(new)


def test_a_dataset_that_has_none_of_the_clips_is_another_one(
    run: Run, started: list[InspectorStart], store: Path, tmp_path: Path
) -> None:
    old, new = moved(tmp_path)
    saved(store, old, clips="x y")

    for which in (("--session", "1"), ("--resume",)):
        code, reported = run("-d", new, *which)
        assert code == 2 and "has none of its clips" in reported and reported.count("\n") == 1
    assert started == [] and source(store, 1) == str(old)


def test_with_two_lost_places_of_the_same_name_resume_does_not_guess(
    run: Run, started: list[InspectorStart], store: Path, tmp_path: Path
) -> None:
    old, new = moved(tmp_path)
    saved(store, old)
    saved(store, tmp_path / "older")

    code, reported = run("-d", new, "--resume")

    assert code == 2 and "if it moved here from" in reported and started == []
    assert run("-d", new, "--session", 1) == (0, "")
    assert (source(store, 1), source(store, 2)) == (str(new), str(tmp_path / "older"))


def test_a_session_of_the_place_itself_comes_first(
    run: Run, started: list[InspectorStart], store: Path, tmp_path: Path
) -> None:
    old, new = moved(tmp_path)
    own = saved(store, new)
    saved(store, old)

    assert run("-d", new, "--resume") == (0, "")

    assert session_of(started[0]).id == own
    assert source(store, 2) == str(old)


@pytest.mark.parametrize("which", [("--resume",), ("--session", "latest")])
def test_without_a_dataset_the_error_says_what_to_type(
    run: Run, started: list[InspectorStart], store: Path, tmp_path: Path, which: tuple[str, ...]
) -> None:
    old, _ = moved(tmp_path)
    saved(store, old)

    code, reported = run(*which)

    assert code == 2 and reported.count("\n") == 1
    assert f'session 1 is about "small", which is gone from {old}' in reported
    assert "tui-eval --session 1 --dataset FOLDER" in reported


def test_a_command_that_is_suggested_names_a_store_that_is_not_the_usual_one(
    run: Run, started: list[InspectorStart], store: Path, tmp_path: Path
) -> None:
    old, new = moved(tmp_path)
    named = tmp_path / "my sessions.db"
    saved(named, old, name="big")
    saved(named, old / "clips.csv", name="clips")
    which = f"--store '{named}' --session"

    assert f"now: tui-eval {which} 1 --dataset FOLDER" in run("--store", named, "--session", 1)[1]
    said = run("--store", named, "--resume")[1]
    assert f"--embeddings FILE {which} 2" in said
    said = run("--store", named, "--dataset", new, "--resume")[1]
    assert f"tui-eval {which} 2 --dataset {new}" in said
    small_dataset(old, FOUR)
    said = run("--store", named, "--dataset", new, "--session", 1)[1]
    assert f"tui-eval {which} 1 opens the session" in said and started == []


def test_a_folder_that_was_left_empty_is_gone_too(
    run: Run, started: list[InspectorStart], store: Path, tmp_path: Path
) -> None:
    old, new = moved(tmp_path)
    old.mkdir()
    saved(store, old)

    assert run("inspect", new, "--resume") == (0, "")
    assert session_of(started[0]).dataset_source == str(new)


def test_single_files_that_moved_are_found_by_their_name(
    run: Run, started: list[InspectorStart], store: Path, tmp_path: Path
) -> None:
    old, new = moved(tmp_path)
    saved(store, old / "clips.csv", name="clips")
    files = ("--annotations", new / "clips.csv", "--embeddings", new / "one.npz")

    code, reported = run("--resume")
    assert code == 2
    assert "tui-eval inspect --annotations FILE --embeddings FILE --session 1" in reported
    assert run("inspect", *files, "--session", 1) == (0, "")
    assert name_place(source(store, 1)) == str(new / "clips.csv")
    assert run("--resume") == (0, "")  # it knows the embeddings, too
    assert started[-1].dataset.model().embeddings == new / "one.npz"


def test_the_sample_never_takes_a_session_over(
    run: Run, started: list[InspectorStart], store: Path, tmp_path: Path
) -> None:
    saved(store, tmp_path / "gone", name="sample")

    for which in (("--resume",), ("--session", "1")):
        code, _ = run("inspect", *which)
        assert code == 2
    assert started == [] and source(store, 1) == str(tmp_path / "gone")


def session_of(start: InspectorStart) -> Session:
    assert start.session is not None
    return start.session


def test_a_session_whose_dataset_was_lost_is_given_one(
    tmp_path: Path, store: Path, run: Run, started: list[InspectorStart]
) -> None:
    """It was saved from a damaged store, which did not say any more what it is about."""
    small_dataset(tmp_path / "here", FOUR)
    session, other = (saved(store, Path(), name="") for _ in range(2))
    with SessionStore(store) as opened:
        for number in (session, other):
            opened.set_dataset(number, "", "")

    assert run("--session", str(session), "--dataset", tmp_path / "here") == (0, "")

    assert "was lost: it continues with" in started[0].notice
    assert (source(store, session), source(store, other)) == (str(tmp_path / "here"), "")


def test_a_session_whose_dataset_was_lost_may_be_about_the_sample(
    store: Path, run: Run, started: list[InspectorStart]
) -> None:
    session = saved(store, Path(), clips="urban_bicyclist_0002", name="")
    with SessionStore(store) as opened:
        opened.set_dataset(session, "", "")

    code, said = run("--session", str(session))
    assert (code, said.count("\n")) == (2, 1)
    assert "lost with a damaged store; name it: tui-eval --session 1 --dataset FOLDER" in said

    folder = Path(sample_data.__file__).parent
    assert run("--session", str(session), "--dataset", folder) == (0, "")
    assert source(store, session) == SAMPLE
