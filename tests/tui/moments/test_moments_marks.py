"""What a prediction is, is the same on the screen and in what the command writes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.moments.failures.classes import PREDICTION_MARKS
from engine.moments.failures.failures import explain
from engine.moments.open_files import open_moments
from engine.moments.tasks import TVR_TASKS, HitRule, Task
from engine.report.moments.moment_detail import find_moment_detail
from tests.tui.moments.moment_screens import write_files
from tui.moments.signs import find_sign
from tui.work.explained_task import ExplainedTask


@pytest.mark.parametrize("task", TVR_TASKS)
@pytest.mark.parametrize("most", [2, 100])
def test_screen_and_command_call_a_prediction_the_same(
    task: Task, most: int, tmp_path: Path
) -> None:
    source = open_moments(replace(write_files(tmp_path), most=most))
    explained = ExplainedTask(source, explain(source.judge(task), HitRule(0.5, 1)))

    seen = set()
    for row in range(len(explained)):
        query = explained.query(row)
        on_screen = [find_sign(query.prediction(n).code).name for n in range(len(query))]
        written = [found.mark for found in find_moment_detail(explained.failures, row, None).shown]
        assert on_screen == written
        seen.update(written)

    assert {"hit", "wrong video"} <= seen <= set(PREDICTION_MARKS)
    assert ("not counted" in seen) == (most == 2)
