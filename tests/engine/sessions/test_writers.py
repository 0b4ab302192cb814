"""Several programs on one store lose nothing that was acknowledged."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.writers import run_writers


@pytest.mark.slow
def test_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    found = run_writers(tmp_path / "sessions.db", writers=6, seconds=0, least=10)

    assert found.acknowledged >= 60
    assert (found.lost, found.failed, found.is_sound) == (0, 0, True)
