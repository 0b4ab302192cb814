"""A screen knows the size of the terminal before it is laid out."""

from __future__ import annotations

import asyncio

import pytest
from textual.app import App
from textual.screen import Screen

from tui.shell.base_app import BaseApp
from tui.shell.terminal_size import fit_to_size

SIZES = [(80, 24), (99, 33), (100, 34), (120, 40), (160, 46), (200, 50)]


class _SizedApp(App[None]):
    HORIZONTAL_BREAKPOINTS = BaseApp.HORIZONTAL_BREAKPOINTS
    VERTICAL_BREAKPOINTS = BaseApp.VERTICAL_BREAKPOINTS


class _SizedScreen(Screen[None]):
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (130, "-wide")]  # noqa: RUF012 (as in Screen)


class _OneSizeScreen(Screen[None]):
    HORIZONTAL_BREAKPOINTS = []  # noqa: RUF012 (as in Screen)
    VERTICAL_BREAKPOINTS = []  # noqa: RUF012 (as in Screen)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", [Screen, _SizedScreen, _OneSizeScreen])
def test_a_new_screen_has_the_classes_that_textual_will_give_it(
    size: tuple[int, int], kind: type[Screen[None]]
) -> None:
    async def flow() -> None:
        app = _SizedApp()
        async with app.run_test(size=size) as pilot:
            screen = kind()
            fit_to_size(screen, app)
            ours = set(screen.classes)
            await app.push_screen(screen)
            await pilot.pause()
            assert set(screen.classes) == ours
            assert bool(ours) == (kind is not _OneSizeScreen)

    asyncio.run(flow())
