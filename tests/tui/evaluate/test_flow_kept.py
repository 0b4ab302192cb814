"""Evaluations after a restart: there again at once, with the same numbers, and from when."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import sample_data
import tui.work.evaluations
from engine.base.progress import Step
from engine.dataset.settings_file import open_dataset
from engine.keywords.evaluated_run import EvaluatedRun
from engine.text.encoder import SentenceEncoder
from tests.engine.keywords.test_run_archive import assert_same
from tests.tui.inspector import Flow, Inspector, inspect
from tui.shell.progress_text import describe_age

pytestmark = pytest.mark.slow

Started = Callable[..., None]
AGO = "evaluated just now; r runs it again"


@pytest.fixture
def start(tmp_path: Path, encoder: SentenceEncoder) -> Started:
    """Start the inspector, as often as one likes, with one cache."""

    def begin(flow: Flow, **more: Any) -> None:
        inspect(flow, tmp_path, encoder, cache=tmp_path / "evaluations", **more)

    return begin


@pytest.fixture
def carried_out(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The models that were evaluated, in order."""
    real, asked = tui.work.evaluations.evaluate_set, list[str]()

    def noted(bench: Any, mode: Any, scope: Any, report: Callable[[Step], None]) -> EvaluatedRun:
        asked.append(scope.model)
        return real(bench, mode, scope, report)

    monkeypatch.setattr(tui.work.evaluations, "evaluate_set", noted)
    return asked


def listed(see: Inspector) -> EvaluatedRun | None:
    return see.app.evaluate_screen.listing.result


async def evaluate(see: Inspector) -> None:
    await see.do("app.show_evaluate", "evaluate.run")
    await see.until(lambda: listed(see) is not None, "the table")


def test_a_table_is_there_at_once_after_a_restart_bit_by_bit(
    start: Started, carried_out: list[str]
) -> None:
    made: list[EvaluatedRun] = []

    async def first(see: Inspector) -> None:
        await evaluate(see)
        assert "r runs it again" not in see.screen_text
        made.append(listed(see))  # type: ignore[arg-type]

    async def second(see: Inspector) -> None:
        await see.do("app.show_evaluate")
        await see.says(AGO)
        kept = listed(see)
        assert kept is not None
        assert carried_out == ["alfa-0.1"]
        assert assert_same(made[0].evaluation, kept.evaluation) == 18

        await see.do("evaluate.run")
        await see.until(lambda: listed(see) is not kept, "another run")
        assert carried_out == ["alfa-0.1", "alfa-0.1"]
        assert AGO not in see.screen_text
        now = listed(see)
        assert now is not None
        assert_same(now.evaluation, kept.evaluation)

    start(first)
    start(second)


def test_it_says_how_long_ago(start: Started, monkeypatch: pytest.MonkeyPatch) -> None:
    later = datetime.now(UTC) + timedelta(minutes=12, seconds=30)
    monkeypatch.setattr("tui.shell.run_screen.describe_age", lambda time: describe_age(time, later))

    async def second(see: Inspector) -> None:
        await see.do("app.show_evaluate")
        await see.says("evaluated 12 min ago; r runs it again")

    start(evaluate)
    start(second)


def test_nothing_is_shown_of_another_mode_model_or_groups(
    start: Started, carried_out: list[str]
) -> None:
    async def second(see: Inspector) -> None:
        await see.do("app.show_evaluate")
        await see.says(AGO)
        await see.do("evaluate.toggle_mode")
        await see.pilot.pause(0.5)
        assert listed(see) is None
        await see.do("evaluate.run")
        await see.until(lambda: listed(see) is not None, "clips")

    async def third(see: Inspector) -> None:
        await see.do("app.show_evaluate", "evaluate.toggle_mode")
        await see.says(AGO)
        kept = listed(see)
        assert kept is not None and kept.mode == "video"

    async def other_model(see: Inspector) -> None:
        await see.do("app.show_evaluate")
        await see.pilot.pause(0.5)
        assert listed(see) is None

    start(evaluate)
    start(second)
    start(third)
    start(other_model, model="alfa-0.2")
    start(other_model, groups=("scene_type",))
    assert carried_out == ["alfa-0.1", "alfa-0.1"]


@pytest.mark.parametrize("name", ["queries.csv", "unified_annotation.csv"])
def test_inputs_that_were_changed_are_not_shown_as_they_were(
    name: str, start: Started, tmp_path: Path
) -> None:
    folder = tmp_path / "data"
    shutil.copytree(sample_data.folder(), folder, ignore=shutil.ignore_patterns("labels"))
    found = next(file for file in folder.iterdir() if file.name == name)

    async def same(see: Inspector) -> None:
        await see.do("app.show_evaluate")
        await see.says(AGO)

    async def changed(see: Inspector) -> None:
        await see.do("app.show_evaluate")
        await see.pilot.pause(0.5)
        assert listed(see) is None

    start(evaluate, dataset=open_dataset(folder))
    os.utime(found)
    start(same, dataset=open_dataset(folder))
    lines = found.read_text().splitlines(keepends=True)
    found.write_text("".join(lines[:-1]))
    start(changed, dataset=open_dataset(folder))


def test_a_damaged_cache_is_as_if_there_were_none(start: Started, tmp_path: Path) -> None:
    async def second(see: Inspector) -> None:
        await see.do("app.show_evaluate")
        await see.pilot.pause(0.5)
        assert listed(see) is None
        assert see.toasts == []
        await evaluate(see)

    async def third(see: Inspector) -> None:
        await see.do("app.show_evaluate")
        await see.says(AGO)

    start(evaluate)
    (file,) = (tmp_path / "evaluations").iterdir()
    file.write_bytes(file.read_bytes()[:-9])
    start(second)
    start(third)


def test_both_sides_of_a_comparison_come_from_the_cache(
    start: Started, carried_out: list[str]
) -> None:
    shown: list[Any] = []

    async def first(see: Inspector) -> None:
        await see.do("app.show_compare", "compare.run")
        await see.until(lambda: see.app.compare_screen.listing.result is not None, "a comparison")
        shown.append(see.app.compare_screen.listing.result)

    async def second(see: Inspector) -> None:
        await see.do("app.show_compare")
        await see.says(AGO)
        table = see.app.compare_screen.listing.result
        assert table is not None and carried_out == ["alfa-0.1", "alfa-0.2"]
        assert table.change.tobytes() == shown[0].change.tobytes()
        assert_same(table.statistics, shown[0].statistics)

        await see.do("compare.run")
        await see.until(lambda: see.app.compare_screen.listing.result is not table, "another")
        assert carried_out == ["alfa-0.1", "alfa-0.2"] * 2, "r runs again"
        assert AGO not in see.screen_text

    start(first)
    start(second)


def test_one_side_alone_is_no_comparison(start: Started, carried_out: list[str]) -> None:
    async def second(see: Inspector) -> None:
        await see.do("app.show_compare")
        await see.pilot.pause(0.5)
        assert see.app.compare_screen.listing.result is None

    start(evaluate)
    start(second)
    assert carried_out == ["alfa-0.1"]


def test_a_session_that_is_resumed_lists_its_table_from_the_cache(
    start: Started, carried_out: list[str]
) -> None:
    async def first(see: Inspector) -> None:
        await see.ask("oncoming bus")
        await evaluate(see)
        await see.press("down", "down")

    async def second(see: Inspector) -> None:
        await see.until(lambda: see.app.screen is see.app.evaluate_screen, "Evaluate")
        await see.says(AGO)
        assert see.app.evaluate_screen.queries.cursor == 2

    start(first)
    start(second, resume=True)
    assert carried_out == ["alfa-0.1"]


def test_without_a_cache_nothing_is_kept(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def second(see: Inspector) -> None:
        await see.do("app.show_evaluate")
        await see.pilot.pause(0.3)
        assert listed(see) is None

    inspect(evaluate, tmp_path, encoder)
    inspect(second, tmp_path, encoder)
