"""`tui-eval moments --inspect`: what the options mean, and what is wrong in one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from engine.moments.failures.failures import HitRule
from sample_data import folder
from tests.tui.moments.moment_screens import write_files
from tui.cli.app import run_command_line
from tui.opening.moments_start import MomentsStart

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
        return run_command_line(["moments", "--inspect", *arguments]), capsys.readouterr().err

    return command


FILES = ("submission.json", "--gt", "truth.jsonl")


def files_of_sample(name: str) -> str:
    return str(folder() / "moments" / name)


def test_the_options_say_what_is_shown_first(run: Run, started: list[MomentsStart]) -> None:
    options = ("--tasks", "svmr,vr", "--at", "0.7-r5", "--near", "0.2", "--nms", "0.5", "--ascii")
    code, error = run(*FILES, *options, "--benchmark", "tvr", "--theme", "light")

    assert (code, error) == (0, "")
    (start,) = started
    assert (start.task, start.at, start.near) == ("SVMR", HitRule(0.7, 5), 0.2)
    assert (start.request.nms, start.request.benchmark) == (0.5, "tvr")
    assert start.request.tasks == ("SVMR", "VR")
    assert (start.ascii, start.theme) == (True, "light")
    assert start.request.predictions == Path("submission.json")
    assert start.request.truth == Path("truth.jsonl")


def test_the_files_alone_are_enough(run: Run, started: list[MomentsStart]) -> None:
    assert run(*FILES)[0] == 0
    assert (started[0].task, started[0].at, started[0].near) == (None, None, None)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("submission.json",), ["--gt is missing", "name the ground truth with --gt FILE"]),
        (("--gt", "truth.jsonl"), ["PREDICTIONS is missing", "tui-eval moments FILE --gt FILE"]),
        ((*FILES, "--labels", "l.npy"), ["No such option: --labels"]),
        ((*FILES, "--resume"), ["No such option: --resume"]),
        ((*FILES, "--images", "off"), ["No such option: --images"]),
        ((*FILES, "--tasks", "VMR"), ["--tasks has 'VMR', which is no task", "VCMR, SVMR, VR"]),
        (
            (*FILES, "--json"),
            ["--inspect and --json were given", "leave out one of the two: --json"],
        ),
        ((*FILES, "--out", "x.csv"), ["--inspect and --out were given"]),
        ((*FILES, "--format", "document"), ["--inspect and --format were given"]),
        ((*FILES, "--show", "1"), ["--inspect and --show were given"]),
        ((*FILES, "--predictions", "0"), ["--inspect and --predictions were given"]),
        ((*FILES, "--at", "0.5"), ["'0.5' names no recall", "0.5-r1"]),
        ((*FILES, "--at", "1.5-r1"), ["names no recall"]),
        ((*FILES, "--near", "0.5"), ["--near 0.5", "overlaps by less than a hit"]),
        ((*FILES, "--near", "nan"), ["--near nan"]),
        ((*FILES, "--at", "0.3-r1", "--near", "0.3"), ["--near 0.3"]),
        ((*FILES, "--nms", "2"), ["--nms 2", "not between 0 and 1"]),
        ((*FILES, "--theme", "neon"), ['no theme "neon"']),
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
    assert error == (
        "error: the inspector needs a terminal; "
        "leave --inspect out: tui-eval moments prints, also as JSON\n"
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("none.json", "--gt", "truth.jsonl"), "none.json: no such file"),
        (("submission.json", "--gt", "none.jsonl"), "none.jsonl: no such file"),
        ((".", "--gt", "truth.jsonl"), "is a folder"),
    ],
)
def test_a_wrong_name_is_reported_before_the_screen_changes(
    arguments: tuple[str, ...], words: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.cli.shared.start.has_terminal", lambda: True)
    code, error = run(*arguments)

    assert code == 2
    assert words in error and error.count("\n") == 1


@pytest.mark.parametrize(
    ("benchmark", "files"),
    [
        ("auto", ("submission.json", "ground_truth.jsonl")),
        ("tvr", ("submission.json", "ground_truth.jsonl")),
        ("qvh", ("highlights_predictions.jsonl", "highlights_truth.jsonl")),
    ],
)
def test_without_files_the_sample_of_the_benchmark_opens(
    benchmark: str, files: tuple[str, str], run: Run, started: list[MomentsStart]
) -> None:
    assert run("--benchmark", benchmark, "--at", "0.7-r5")[0] == 0

    (start,) = started
    assert (start.request.predictions.name, start.request.truth.name) == files
    assert start.request.predictions.is_file() and start.request.truth.is_file()
    assert start.at == HitRule(0.7, 5)


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
    code, error = run(*FILES, "--tasks", "MR")
    assert code == 2 and "is for TVR, which has no MR; ask for one of VCMR, SVMR, VR" in error

    truth = files_of_sample("highlights_truth.jsonl")
    found = files_of_sample("highlights_predictions.jsonl")
    code, error = run(found, "--gt", truth, "--tasks", "SVMR")
    assert code == 2 and "QVHighlights, which has no SVMR, only MR" in error
    assert not started
