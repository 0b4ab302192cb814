"""`tui-eval open PREDICTIONS --gt GT`: what the options mean, and what is wrong in one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from engine.moments.failures.failures import At
from tests.tui.moment_screens import write_files
from tui.cli.app import run_command_line
from tui.opening.moments import MomentsStart

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[MomentsStart]:
    """What the inspector would have been started with."""
    starts: list[MomentsStart] = []

    def start(given: MomentsStart) -> int:
        starts.append(given)
        return 0

    monkeypatch.setattr("tui.cli.shared.start.run_moments", start)
    return starts


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("TUI_EVAL_DATA", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path)

    def command(*arguments: str) -> tuple[int, str]:
        return run_command_line(["open", *arguments]), capsys.readouterr().err

    return command


FILES = ("submission.json", "--gt", "truth.jsonl")


def test_the_options_say_what_is_shown_first(run: Run, started: list[MomentsStart]) -> None:
    options = ("--task", "svmr", "--at", "0.7-r5", "--near", "0.2", "--nms", "0.5", "--ascii")
    code, error = run(*FILES, *options, "--format", "tvr", "--theme", "light")

    assert (code, error) == (0, "")
    (start,) = started
    assert (start.task, start.at, start.near) == ("SVMR", At(0.7, 5), 0.2)
    assert (start.request.nms, start.request.format) == (0.5, "tvr")
    assert (start.ascii, start.theme) == (True, "light")
    assert start.request.predictions == Path("submission.json")
    assert start.request.truth == Path("truth.jsonl")


def test_the_files_alone_are_enough(run: Run, started: list[MomentsStart]) -> None:
    assert run(*FILES)[0] == 0
    assert (started[0].task, started[0].at, started[0].near) == (None, None, None)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("submission.json",), ["submission.json needs its ground truth", "--gt"]),
        (("--gt", "truth.jsonl"), ["no predictions were named", "tui-eval open PREDICTIONS"]),
        (("--task", "VR"), ["no predictions were named"]),
        (("--nms", "0.5"), ["no predictions were named"]),
        ((*FILES, "--labels", "l.npy"), ["--labels and predicted moments", "leave --labels out"]),
        ((*FILES, "--k", "5"), ["--k and predicted moments", "leave --k out"]),
        ((*FILES, "--resume"), ["--resume and predicted moments"]),
        ((*FILES, "--images", "off"), ["--images and predicted moments"]),
        (("--gt", "truth.jsonl", "--labels", "l.npy"), ["--labels and predicted moments", "--gt"]),
        ((*FILES, "--task", "VMR"), ["--task 'VMR' is no task", "VCMR, SVMR, VR"]),
        ((*FILES, "--at", "0.5"), ["'0.5' names no recall", "0.5-r1"]),
        ((*FILES, "--at", "1.5-r1"), ["names no recall"]),
        ((*FILES, "--near", "0.5"), ["--near 0.5", "overlaps by less than a hit"]),
        ((*FILES, "--near", "nan"), ["--near nan"]),
        ((*FILES, "--at", "0.3-r1", "--near", "0.3"), ["--near 0.3"]),
        ((*FILES, "--nms", "2"), ["--nms 2", "not between 0 and 1"]),
        ((*FILES, "--theme", "neon"), ["no theme 'neon'"]),
    ],
)
def test_what_is_wrong_is_one_line_and_the_inspector_does_not_open(
    arguments: tuple[str, ...], words: list[str], run: Run, started: list[MomentsStart]
) -> None:
    code, error = run(*arguments)

    assert code == 2 and not started
    assert error.startswith("error: ") and error.count("\n") == 1
    for word in words:
        assert word in error


def test_without_a_terminal_the_command_for_scripts_is_named(run: Run) -> None:
    code, error = run(*FILES)

    assert code == 2
    assert error.startswith("error: the inspector needs a terminal; use tui-eval moments")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("none.json", "--gt", "truth.jsonl"), "none.json: no such file"),
        (("submission.json", "--gt", "none.jsonl"), "none.jsonl: no such file"),
        ((".", "--gt", "truth.jsonl"), "is a folder"),
    ],
)
def test_a_wrong_name_is_told_before_the_screen_changes(
    arguments: tuple[str, ...], words: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.cli.shared.start.has_terminal", lambda: True)
    code, error = run(*arguments)

    assert code == 2
    assert words in error and error.count("\n") == 1


@pytest.mark.parametrize(
    ("sample", "files"),
    [
        ("moments", ("submission.json", "ground_truth.jsonl")),
        ("highlights", ("highlights_predictions.jsonl", "highlights_truth.jsonl")),
    ],
)
def test_a_sample_is_opened_by_its_name(
    sample: str, files: tuple[str, str], run: Run, started: list[MomentsStart]
) -> None:
    assert run("--sample", sample, "--at", "0.7-r5")[0] == 0

    (start,) = started
    assert (start.request.predictions.name, start.request.truth.name) == files
    assert start.request.predictions.is_file() and start.request.truth.is_file()
    assert start.at == At(0.7, 5)


def test_the_label_sample_is_what_opens_without_files(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[object] = []
    monkeypatch.setattr("tui.cli.open.run_inspector", lambda start: opened.append(start) or 0)

    assert run("--sample", "labels")[0] == run()[0] == 0
    assert opened[0].source == opened[1].source  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((*FILES, "--sample", "moments"), "--sample moments and PREDICTIONS were given"),
        (("--sample", "highlights", "--gt", "truth.jsonl"), "--sample highlights and --gt were"),
        (("--sample", "labels", "--labels", "l.npy"), "--sample labels and --labels were given"),
        (("--sample", "moments", "--resume"), "--sample moments and --resume were given"),
        (("--sample", "labels", "--task", "VR"), "no predictions were named"),
    ],
)
def test_a_sample_is_not_mixed_with_files(
    arguments: tuple[str, ...], words: str, run: Run, started: list[MomentsStart]
) -> None:
    code, error = run(*arguments)

    assert code == 2 and not started
    assert words in error and error.count("\n") == 1


def test_saliency_alone_is_refused_before_the_screen_changes(
    run: Run, started: list[MomentsStart], tmp_path: Path
) -> None:
    (tmp_path / "saliency.jsonl").write_text('{"qid": 1, "pred_saliency_scores": [0.1]}\n')
    code, error = run("saliency.jsonl", "--gt", "truth.jsonl")

    assert code == 2 and not started
    assert "holds no windows, only saliency; the inspector shows windows" in error
    assert "tui-eval moments scores it" in error


def test_a_task_of_the_other_benchmark_is_refused_before_the_screen_changes(
    run: Run, started: list[MomentsStart], tmp_path: Path
) -> None:
    code, error = run(*FILES, "--task", "MR")
    assert code == 2 and "is for TVR, which has no MR; ask for one of VCMR, SVMR, VR" in error

    code, error = run("--sample", "highlights", "--task", "SVMR")
    assert code == 2 and "QVHighlights, which has no SVMR, only MR" in error
    assert not started
