"""A store that is looked after while something happens to its files, and what it reports."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.sessions import SessionStore
from tests.engine.sessions.sessions_by_hand import ticking


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "sessions.db"


@pytest.fixture
def reported() -> list[str]:
    return []


@pytest.fixture
def store(path: Path, reported: list[str]) -> Iterator[SessionStore]:
    with SessionStore(path, ticking(), patience=0.2) as opened:
        opened.look_after(reported.append)
        yield opened
