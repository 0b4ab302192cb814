"""The measure of a long day: its rounds are alike, and it can tell growth."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.soak import Round, Soak, soak


@pytest.mark.slow
def test_a_short_day_is_measured_round_by_round(tmp_path: Path) -> None:
    found = soak(keys=60, queries=6, seed=0, folder=tmp_path, warm_up=0)

    assert [one.keys for one in found.rounds] == [30, 30]
    assert all(one.per_key > 0 and one.megabytes > 50 for one in found.rounds)


def day(*per_key_and_megabytes: tuple[float, float]) -> Soak:
    return Soak(tuple(Round(1000, each, 0.1, now) for each, now in per_key_and_megabytes))


def test_a_day_that_ends_as_it_began_holds() -> None:
    assert day((0.010, 200), (0.012, 230), (0.011, 209)).holds


def test_a_day_that_grows_or_slows_down_does_not() -> None:
    assert not day((0.010, 200), (0.010, 211)).holds
    assert not day((0.010, 200), (0.0112, 200)).holds
