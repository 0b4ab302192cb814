"""`tui-eval labels --inspect`: what the options mean, what is wrong in one line, and sessions."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from engine.base.errors import InputError
from engine.keywords.question import Question
from engine.labels.dataset import LabelDataset
from engine.sessions import SessionStore
from engine.text.encoder import SentenceEncoder
from tests.engine.labels.label_files_by_hand import vectors
from tests.engine.sessions.sessions_by_hand import answer, ticking
from tests.tui.inspector import Inspector, inspect_as_started
from tui.cli.app import run_command_line
from tui.opening.label_source import name_label_place
from tui.opening.resume import other_dataset_error
from tui.opening.source import dump_source, name_place, open_source
from tui.opening.starts import InspectorStart

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(
    started: list[InspectorStart],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Run:
    monkeypatch.setenv("TUI_EVAL_DATA", str(tmp_path))
    monkeypatch.chdir(tmp_path)

    def command(*arguments: str | Path) -> tuple[int, str]:
        return run_command_line([str(part) for part in arguments]), capsys.readouterr().err

    return command


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Five items: sensor and text embeddings, labels of every kind, and broken ones."""
    np.save(tmp_path / "s.npy", vectors(5, 1))
    np.save(tmp_path / "t.npy", vectors(5, 2))
    np.save(tmp_path / "wide.npy", vectors(5, 2, 9))
    np.save(tmp_path / "six.npy", vectors(6, 2))
    (tmp_path / "short.npy").write_bytes((tmp_path / "s.npy").read_bytes()[:-4])
    np.savez(tmp_path / "two.npz", train=vectors(5, 1), test=vectors(5, 3))
    np.save(tmp_path / "l.npy", np.array(list("abbac")))
    np.save(tmp_path / "l2.npy", np.array([1, 1, 2, 2, 2]))
    np.save(tmp_path / "pickled.npy", np.array([{}] * 5, dtype=object), allow_pickle=True)
    (tmp_path / "l.txt").write_text("a\nb\nb\na\n")
    rows = "".join(f"c{n},x,y\n" for n in range(5))
    (tmp_path / "l.csv").write_text(f"slice_id,room,day\n{rows}")
    return tmp_path


S, T, L = ("--sensor-embeddings", "s.npy"), ("--text-embeddings", "t.npy"), ("--labels", "l.npy")
P = ("--use-prototypes",)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (T, ["--sensor-embeddings is missing"]),
        (S, ["--labels is missing"]),
        (L, ["--sensor-embeddings is missing"]),
        (("--sensor-key", "a"), ["--sensor-key needs --sensor-embeddings"]),
        (("--labels-key", "a"), ["--labels-key needs --labels"]),
        ((*S, *L, "--text-key", "a"), ["--text-key needs --text-embeddings"]),
        (("--sensor-embeddings", "none.npy", *L), ["none.npy", "no such file"]),
        ((*S, "--labels", "none.csv"), ["none.csv", "no such file"]),
        ((*S, *L, "--text-embeddings", "six.npy"), ["six.npy", "6 rows of text for 5 rows"]),
        ((*S, "--labels", "l.txt"), ["l.txt", "4 labels for 5 rows"]),
        ((*S, "--labels", "pickled.npy"), ["pickled.npy", "pickled Python objects"]),
        ((*S, "--labels", "l.csv"), ["l.csv", "several columns", "--labels-key"]),
        ((*S, "--labels", "l.csv", "--labels-key", "rom"), ["no column 'rom'", "room"]),
        (("--sensor-embeddings", "two.npz", *L), ["'train', 'test'", "--sensor-key"]),
        (
            ("--sensor-embeddings", "two.npz", "--sensor-key", "tain", *L),
            ["no array 'tain'", "train"],
        ),
        ((*S, *L, "--labels", "l2=l2.npy", "--labels-key", "k"), ["--labels-key label=k"]),
        ((*S, "--labels", "l1=l.npy", "--labels", "L1=l2.npy"), ["'l1' and 'L1'"]),
        ((*S, *L, "--k", "0"), ["--k is '0'"]),
        ((*S, *T, *L, "--name-a", "text"), ["both modalities are called 'text'"]),
        ((*S, *L, *P, "--metadata", "l.csv"), ["--metadata needs --dataset-name"]),
        ((*S, *L, *P, "--caption-style", "x"), ["--caption-style needs --metadata"]),
        ((*S, *L, *P, "--metadata", "no.json", "--dataset-name", "m"), ["no.json", "no such file"]),
        (("--sensor-embeddings", "short.npy", *L), ["short.npy", "is not a whole .npy file"]),
        ((*S, *L, "--query", "a", "--show", "1"), ["--query and --show"]),
        ((*S, *L, "--resume", "--show", "1"), ["resume, then ask"]),
        ((*S, *L, "--show", "1", "--show", "2"), ["one query at first", "give --show once"]),
        ((*S, *L, "--caption-style", "x"), ["--caption-style needs --use-prototypes"]),
        ((*S, *L, *P), ["nothing to make prototypes of", "--metadata FILE --dataset-name NAME"]),
        ((*S, *L, "--min-similarity", "nan"), ["--min-similarity is nan"]),
        (
            (*P, "--caption-style", "varied"),
            ["a label has several texts", "add --prototype-pooling each"],
        ),
    ],
)
def test_what_is_wrong_is_one_line_and_the_inspector_does_not_open(
    arguments: tuple[str, ...],
    words: list[str],
    run: Run,
    files: Path,
    started: list[InspectorStart],
) -> None:
    code, error = run("labels", "-i", *arguments)

    assert code == 2 and not started
    assert error.startswith("error: ") and error.count("\n") == 1
    for word in words:
        assert word in error


def test_an_unknown_direction_is_one_line_too(
    files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files)
    monkeypatch.setattr("tui.cli.shared.start.has_terminal", lambda: True)

    code = run_command_line(
        ["labels", "-i", *S, *L, "--directions", "text2sensor", "--store", "s.db"]
    )

    assert code == 2
    error = capsys.readouterr().err
    assert error.startswith("error: text2sensor needs embeddings of text; give --text-embeddings")
    assert error.count("\n") == 1


def test_without_files_the_label_sample_opens(run: Run, started: list[InspectorStart]) -> None:
    code, _ = run("labels", "--inspect")

    (start,) = started
    assert code == 0 and start.source == "sample labels"
    assert list(start.dataset.models) == ["text2video", "video2text", "video2video", "text2text"]
    assert start.dataset.default_groups == ("scene",)
    assert start.dataset.truth.words.groups == ("scene", "object")


def test_options_reach_the_inspector(run: Run, files: Path, started: list[InspectorStart]) -> None:
    asked = ("--show", "3", "--directions", "sensor2text,text2sensor", "--groups", "label")
    run("labels", "-i", *S, *T, *L, *asked)

    (start,) = started
    assert start.query == ("video", "3")
    assert start.model == "sensor2text"
    assert start.groups == ("label",)


def test_scores_are_asked_for_with_their_policies_and_cutoffs(
    run: Run, files: Path, started: list[InspectorStart]
) -> None:
    policies = ("--no-relevant", "skip", "--fewer-than-k", "adaptive")
    run("labels", "-i", *S, *T, *L, "--k", "2,4", *policies)

    (start,) = started
    assert start.evaluates_at_once and start.request is not None
    asked = start.request
    assert (asked.modes, asked.ks, asked.profile) == ("video", (2, 4), "label")
    assert (asked.policies.no_relevant, asked.policies.fewer_than_k) == ("skip", "adaptive")


@pytest.mark.parametrize("options", [("--show", "1"), ("--query", "a door")])
def test_a_single_query_is_looked_at_first(
    options: tuple[str, str], run: Run, files: Path, started: list[InspectorStart]
) -> None:
    run("labels", "-i", *S, *L, *options, "--no-relevant", "skip")

    (start,) = started
    assert not start.evaluates_at_once
    assert start.request is not None and start.request.policies.no_relevant == "skip"


@pytest.mark.parametrize(
    "options",
    [
        ("--k", "1,10", "--directions", "video2text,text2video"),
        ("--no-relevant", "skip", "--fewer-than-k", "adaptive", "--k", "10,400"),
        ("--use-prototypes", "--k", "5,20"),
        ("--use-prototypes", "--caption-style", "varied", "--prototype-pooling", "each"),
    ],
)
def test_evaluate_opens_with_the_very_numbers_that_the_command_prints(
    options: tuple[str, ...],
    started: list[InspectorStart],
    tmp_path: Path,
    encoder: SentenceEncoder,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TUI_EVAL_DATA", str(tmp_path))
    assert run_command_line(["labels", *options, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert run_command_line(["labels", *options, "--inspect"]) == 0
    (start,) = started

    async def flow(see: Inspector) -> None:
        evaluate = see.app.evaluate_screen
        await see.until(lambda: evaluate.table is not None, "the table")
        table = evaluate.table
        assert table is not None and see.app.screen is evaluate
        means = next(iter(printed.get("scene", printed).values()))
        assert [f"{measure.cutoff}" for measure in table.measures] == list(means)
        for measure in table.measures:
            mean = np.nanmean(table.scores.column(measure))
            assert mean == pytest.approx(means[f"{measure.cutoff}"], abs=1e-12)

    inspect_as_started(flow, start, tmp_path, encoder)


def test_a_text_a_threshold_and_looks_reach_the_inspector(
    run: Run, files: Path, started: list[InspectorStart]
) -> None:
    looks = ("--theme", "light", "--ascii", "--images", "off", "--keys", "vim")
    run("labels", "-i", *S, *L, "--query", "a door", "--min-similarity", "0.2", *looks)

    (start,) = started
    assert (start.query, start.min_similarity) == (("text", "a door"), 0.2)
    assert (start.theme, start.ascii, start.images) == ("light", True, "off")
    assert start.keymap.name == "vim"


def test_prototypes_are_asked_in_a_direction_that_searches_what_they_search(
    run: Run, started: list[InspectorStart]
) -> None:
    run("labels", "-i", "--use-prototypes", "--directions", "prototype2text,video2text")

    (start,) = started
    assert start.model == "video2text"
    assert isinstance(start.dataset, LabelDataset)
    assert start.dataset.prototypes is not None
    assert (start.dataset.prototypes.dataset_name, start.dataset.prototypes.caption_style) == (
        "sample",
        "plain",
    )


@pytest.mark.parametrize(
    "option",
    [
        ("--json",),
        ("--format", "csv"),
        ("--out", "x.json"),
        ("--per-label", "x.csv"),
        ("--confusion-csv", "x.csv"),
        ("--per-query", "x.csv"),
        ("--checkpoint", "x.pt"),
        ("--adapter", "x:y"),
        ("--prototype-embeddings", "x.npy"),
        ("--prototype-key", "x"),
        ("--prototype-labels", "x.npy"),
        ("--prototype-labels-key", "x"),
        ("--prototype-level", "label"),
        ("--unknown-labels", "skip"),
    ],
)
def test_what_no_screen_shows_is_refused_by_name(
    option: tuple[str, ...], run: Run, files: Path, started: list[InspectorStart]
) -> None:
    code, error = run("labels", "-i", *S, *L, *option)

    assert code == 2 and not started
    assert error.startswith(f"error: --inspect and {option[0]} were given; leave out one")


@pytest.mark.parametrize(
    "option",
    [
        ("--query", "x"),
        ("--query-vectors", "q.npz"),
        ("--groups", "label"),
        ("--min-similarity", "0.1"),
        ("--resume",),
        ("--session", "1"),
        ("--theme", "light"),
        ("--store", "s.db"),
    ],
)
def test_what_only_a_screen_knows_needs_one(
    option: tuple[str, ...], run: Run, files: Path, started: list[InspectorStart]
) -> None:
    code, error = run("labels", *S, *L, *option)

    assert code == 2 and not started
    assert error == f"error: {option[0]} needs --inspect; add --inspect, or leave {option[0]} out\n"


EVERYTHING = (
    *("labels", "-i", "--sensor-embeddings", "two.npz", "--sensor-key", "test", *T),
    *("--labels", "day=l.csv", "--labels", "l2=l2.npy", "--labels-key", "day=room"),
    *("--name-a", "audio", "--name-b", "words", "--no-normalize", "--k", "2,4"),
    *("--encoder", "some/encoder"),
)


def test_a_source_opens_the_same_dataset_again_with_every_option(
    run: Run, files: Path, started: list[InspectorStart]
) -> None:
    code, error = run(*EVERYTHING)
    assert code == 0, error
    (start,) = started
    assert isinstance(start.dataset, LabelDataset)

    again = open_source(start.source)

    assert isinstance(again, LabelDataset)
    assert dump_source(again) == start.source
    assert again.ks == (2, 4)
    assert again.read_from.normalize is False
    assert again.read_from.a_key == "test"
    assert [level.key for level in again.read_from.levels] == ["room", None]
    assert list(again.models) == list(start.dataset.models)
    assert again.models["words2audio"].encoder == "some/encoder"
    assert again.truth.ids == ("c0", "c1", "c2", "c3", "c4")


def test_sessions_about_the_same_labels_are_about_the_same_items(files: Path) -> None:
    one = f"--sensor-embeddings {files}/s.npy --labels {files}/l.npy"
    other = f"--sensor-embeddings {files}/six.npy --labels x={files}/l.npy --k 5"

    assert name_place(one) == name_place(other) == f"{files}/l.npy"
    assert name_label_place("'sample labels' --k 3") == "sample labels"


def saved_session(store: Path, source: str) -> int:
    with SessionStore(store, ticking()) as opened:
        session = opened.create("labels", source)
        session.record(answer(Question("video", "1", "sensor2sensor", ("label",)), "2 3"))
        return session.id


@pytest.mark.parametrize("command", [("labels", "-i"), ()])
def test_a_session_brings_its_label_files_along(
    command: tuple[str, ...], run: Run, files: Path, started: list[InspectorStart]
) -> None:
    files_of_session = f"--sensor-embeddings {files}/s.npy --labels label={files}/l.npy"
    source = f"{files_of_session} --no-normalize --k 3"
    number = saved_session(files / "sessions.db", source)

    for options in (("--resume",), ("--session", str(number))):
        code, error = run(*command, *options)
        assert code == 0, error
        start = started.pop()
        assert start.session is not None and start.session.id == number
        assert start.source == source
        assert start.dataset.ks == (3,)


@pytest.mark.parametrize(
    "option",
    [
        ("--k", "5"),
        ("--no-normalize",),
        ("--encoder", "x"),
        ("--metadata", "m.json"),
        ("--dataset-name", "home"),
        ("--caption-style", "x"),
        ("--name-a", "x"),
        ("--name-b", "x"),
        ("--sensor-key", "x"),
        ("--text-key", "x"),
        ("--labels-key", "x"),
        ("--query-vectors", "q.npz"),
    ],
)
def test_what_is_said_of_files_is_refused_with_a_session_alone(
    option: tuple[str, ...], run: Run, files: Path, started: list[InspectorStart]
) -> None:
    number = saved_session(files / "sessions.db", "sample labels")

    for session in (("--resume",), ("--session", str(number))):
        code, error = run("labels", "-i", *session, *option)
        assert code == 2 and not started
        assert f"{option[0]} and a session were given" in error and error.count("\n") == 1


def test_a_session_of_labels_with_an_equals_sign_opens_again(
    run: Run, files: Path, started: list[InspectorStart]
) -> None:
    (files / "l.npy").rename(files / "fold=1.npy")
    code, error = run("labels", "-i", *S, "--labels", "fold=1.npy")
    assert code == 0, error
    source = started[0].source

    again = open_source(source)

    assert name_place(source) == str(files / "fold=1.npy")
    assert again.truth.words.groups == ("label",) and dump_source(again) == source


def test_an_encoder_that_is_a_folder_is_found_from_elsewhere(
    run: Run, files: Path, started: list[InspectorStart], monkeypatch: pytest.MonkeyPatch
) -> None:
    (files / "encoder").mkdir()
    run("labels", "-i", *S, *L, "--encoder", "encoder")
    (files / "elsewhere").mkdir()
    monkeypatch.chdir(files / "elsewhere")

    assert open_source(started[0].source).model().encoder == str(files / "encoder")


def test_resuming_with_files_finds_the_session_about_them(
    run: Run, files: Path, started: list[InspectorStart]
) -> None:
    number = saved_session(
        files / "sessions.db", f"--sensor-embeddings {files}/s.npy --labels {files}/l.npy"
    )

    code, error = run("labels", "-i", *S, *T, *L, "--resume")

    assert code == 0, error
    session = started[0].session
    assert session is not None and session.id == number
    assert "text2sensor" in started[0].dataset.models  # the files that were named now


def test_resume_without_files_means_the_newest_session_about_labels(
    run: Run, files: Path, started: list[InspectorStart]
) -> None:
    code, error = run("labels", "-i", "--resume")
    assert code == 2 and "no session about label files" in error

    number = saved_session(files / "sessions.db", "sample labels")
    saved_session(files / "sessions.db", "sample")
    run("labels", "-i", "--resume")

    assert started[0].session is not None and started[0].session.id == number


def test_labels_that_are_gone_are_reported_with_the_command_that_finds_them(files: Path) -> None:
    saved_session(files / "x.db", f"--sensor-embeddings {files}/s.npy --labels {files}/gone.npy")
    with SessionStore(files / "x.db") as store:
        session = store.latest()
    assert session is not None

    error = other_dataset_error(session)

    assert isinstance(error, InputError)
    assert "gone.npy" in str(error) and "tui-eval labels --inspect --sensor-embeddings FILE" in str(
        error
    )
