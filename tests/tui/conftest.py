"""What tests of the command line and of the opening share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

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
