"""Pictures of predicted moments. After a change that is meant: `pytest --snapshot-update`, and look
at the SVGs before they are committed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.tui.moments.moment_screens import Moments, write_files
from tests.tui.resting import come_to_rest
from tui.app.moments import MomentsApp
from tui.opening.moments_start import MomentsStart

pytestmark = pytest.mark.slow

Scene = Callable[[Moments], Awaitable[None]]
Compare = Callable[..., bool]


async def listed(see: Moments) -> None:
    """The first screen, once the files are read."""


async def one_hit(see: Moments) -> None:
    await see.go_to(101)


async def five_spans(see: Moments) -> None:
    await see.go_to(106)
    await see.press("enter", "j")


async def odd_times(see: Moments) -> None:
    await see.go_to(107)
    await see.press("enter", "j")


async def no_predictions(see: Moments) -> None:
    await see.go_to(108)


async def videos_alone(see: Moments) -> None:
    await see.press("t", "t")
    await see.says("VR r1")
    await see.rests()
    await see.go_to(102)
    await see.press("enter", "j")


async def report(see: Moments) -> None:
    await see.press("P")
    await see.until(lambda: "By length of the moment" in see.lines("report"))


async def which_class(see: Moments) -> None:
    await see.press("F")
    await see.says("Which queries?")


async def filtered(see: Moments) -> None:
    await see.press("slash")
    await see.type("house")


async def explained(see: Moments) -> None:
    await see.press("enter", "question_mark")
    await see.says("Help: Predictions")


def picture(
    compare: Compare, scene: Scene, size: tuple[int, int], folder: Path, **options: Any
) -> bool:
    """Whether the scene looks as it did when someone last looked at it."""
    app = MomentsApp(replace(MomentsStart(write_files(folder)), **options))

    async def act(pilot: Pilot[None]) -> None:
        see = Moments(app, pilot)
        await see.until(lambda: see.home.explained is not None, "the files are read")
        await see.rests()
        app.clear_notifications()  # how long they stay is a matter of time
        await scene(see)
        app.clear_notifications()
        await come_to_rest(app, pilot)

    same = compare(app, terminal_size=size, run_before=act)
    app.end_services()
    return same


NARROW, MIDDLE, ROOMY, WIDE, WIDEST = (80, 24), (100, 30), (120, 40), (140, 40), (200, 50)


@pytest.mark.parametrize(
    ("scene", "size"),
    [
        (listed, NARROW),
        (five_spans, NARROW),
        (odd_times, NARROW),
        (no_predictions, NARROW),
        (videos_alone, NARROW),
        (report, NARROW),
        (which_class, NARROW),
        (filtered, NARROW),
        (explained, NARROW),
        (five_spans, MIDDLE),
        (one_hit, WIDE),
        (report, WIDE),
        (listed, ROOMY),
        (five_spans, ROOMY),
        (report, ROOMY),
        (listed, WIDEST),
        (five_spans, WIDEST),
        (report, WIDEST),
    ],
    ids=lambda value: value.__name__ if callable(value) else "x".join(map(str, value)),
)
def test_moments(
    scene: Scene, size: tuple[int, int], snap_compare: Compare, tmp_path: Path
) -> None:
    assert picture(snap_compare, scene, size, tmp_path)


def test_moments_in_ascii(snap_compare: Compare, tmp_path: Path) -> None:
    assert picture(snap_compare, odd_times, NARROW, tmp_path, ascii=True)


def test_moments_without_colour(
    snap_compare: Compare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert picture(snap_compare, odd_times, NARROW, tmp_path)


def test_moments_in_the_light_theme(snap_compare: Compare, tmp_path: Path) -> None:
    assert picture(snap_compare, five_spans, WIDE, tmp_path, theme="light")
