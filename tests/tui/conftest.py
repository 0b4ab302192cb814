"""What tests of the command line and of the opening share."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from textual._compositor import Compositor
from textual._context import visible_screen_stack
from textual.css.stylesheet import Stylesheet

if TYPE_CHECKING:
    from tui.opening.starts import InspectorStart


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[InspectorStart]:
    """What the inspector would have been started with."""
    starts: list[InspectorStart] = []

    def start(given: InspectorStart, instead: str) -> int:
        starts.append(given)
        return 0

    monkeypatch.setattr("tui.cli.shared.start.run_inspector", start)
    monkeypatch.setenv("TUI_EVAL_DATA", str(tmp_path))
    return starts


@pytest.fixture(scope="session", autouse=True)
def parsed_styles() -> Iterator[None]:
    """A style sheet is parsed once, not anew for every app: its rules are the same for each that
    has the same theme, and are only read."""
    parse: Any = Stylesheet._parse_rules
    known: dict[Hashable, Any] = {}

    def parse_once(self: Stylesheet, *sheet: Any, **more: Any) -> Any:
        key = (*sheet, *more.items(), *sorted(self._variables.items()))
        if key not in known:
            known[key] = parse(self, *sheet, **more)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "_parse_rules", parse_once)
        yield


RENDER = Compositor.render_update


@pytest.fixture(scope="module")
def painted() -> Iterator[None]:
    """For tests of what is painted: every update is rendered, as in a terminal."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Compositor, "render_update", RENDER)
        yield


@pytest.fixture(scope="session", autouse=True)
def unseen_paint() -> Iterator[None]:
    """A headless app renders every update and throws it away; here it does not render them. What a
    test looks at, and every picture, is rendered when it is looked at."""

    def skip(
        self: Compositor, full: bool = False, screen_stack: Any = None, simplify: bool = False
    ) -> Any:
        if full:  # somebody looks
            return RENDER(self, full, screen_stack, simplify)
        visible_screen_stack.set(screen_stack or [])  # what shines through a dialog
        self._dirty_regions.clear()
        return None

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Compositor, "render_update", skip)
        yield
