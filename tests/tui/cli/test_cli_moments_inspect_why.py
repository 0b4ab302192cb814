"""`tui-eval moments PREDICTIONS --gt GT`, printed and inspected: the options mean the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.moments.failures.failures import explain
from engine.moments.open_files import open_moments
from engine.moments.tasks import HitRule
from tests.engine.moments.moments_by_hand import Query, write_tvr
from tui.cli.app import run_command_line
from tui.opening.moments_start import MomentsStart

FILES = ("p.json", "--gt", "gt.jsonl")


@pytest.fixture(autouse=True)
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[MomentsStart]:
    """What the inspector would have been started with."""
    monkeypatch.chdir(tmp_path)
    write_tvr([Query("a", [(10, 20)], [("a", 10.0, 11.5)])], tmp_path, ["VCMR", "VR"])
    starts: list[MomentsStart] = []

    def start(given: MomentsStart) -> int:
        starts.append(given)
        return 0

    monkeypatch.setattr("tui.cli.shared.start.run_moments", start)
    return starts


def test_a_low_overlap_has_its_own_near_as_in_the_summary(started: list[MomentsStart]) -> None:
    assert run_command_line(["moments", "-i", *FILES, "--at", "0.2-r1"]) == 0

    (start,) = started
    assert (start.at, start.near) == (HitRule(0.2, 1), None)
    failures = explain(open_moments(start.request).judge("VCMR"), HitRule(0.2, 1), start.near)
    assert (failures.near, failures.counts().tolist()) == (0.1, [0, 0, 1, 0, 0])


def test_the_usual_recall_is_left_to_the_engine(started: list[MomentsStart]) -> None:
    options = ("--near", "0.4", "--nms", "0.5", "--tasks", "vr")
    assert run_command_line(["moments", "-i", *FILES, *options]) == 0

    (start,) = started
    assert (start.at, start.near, start.task, start.request.nms) == (None, 0.4, "VR", 0.5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--at", "half"), "--at 'half' names no recall; write it as 0.5-r1"),
        (("--nms", "2"), "--nms 2 is not between 0 and 1; write --nms 0.5"),
        (("--nms", "nan"), "--nms nan is not between 0 and 1"),
        (("--near", "0.5"), "--near 0.5 is not above 0 and below the IoU 0.5 of --at 0.5-r1"),
    ],
)
def test_a_screen_refuses_an_option_in_the_same_words(
    options: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str], started: Any
) -> None:
    said = []
    for look in ((), ("-i",)):
        assert run_command_line(["moments", *look, *FILES, *options]) == 2
        said.append(capsys.readouterr().err)

    assert message in said[0]
    assert said[0] == said[1]
    assert not started
