"""Memory that control groups leave: the least of all groups that a process is in."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.files.memory import NO_LIMIT, measure_groups

MB = 1 << 20


class Groups:
    """Control groups by hand."""

    def __init__(self, folder: Path) -> None:
        self.root, self.own = folder / "cgroup", folder / "own"
        self.root.mkdir()

    def add(self, name: str, **files: object) -> None:
        folder = self.root / name
        folder.mkdir(parents=True, exist_ok=True)
        for file, value in files.items():
            (folder / f"memory.{file}").write_text(f"{value}\n")

    def measure(self, *lines: str) -> int:
        self.own.write_text("".join(f"{line}\n" for line in lines))
        return measure_groups(self.root, self.own)


@pytest.fixture
def groups(tmp_path: Path) -> Groups:
    return Groups(tmp_path)


def test_the_tightest_group_up_the_tree_counts(groups: Groups) -> None:
    groups.add("a", max=100 * MB, current=40 * MB)
    groups.add("a/b", max="max", current=30 * MB)
    groups.add("a/b/c", max=80 * MB, current=10 * MB)
    groups.add("other", max=MB, current=MB)

    assert groups.measure("0::/a/b/c") == 60 * MB
    assert groups.measure("0::/") == NO_LIMIT


def test_a_group_is_slowed_down_above_its_high_mark(groups: Groups) -> None:
    groups.add("a", max=100 * MB, high=50 * MB, current=40 * MB)
    assert groups.measure("0::/a") == 10 * MB
    groups.add("a", max=30 * MB, high="max")
    assert groups.measure("0::/a") == -10 * MB


def test_what_files_take_can_be_given_back(groups: Groups) -> None:
    stat = f"anon 5\ninactive_file {20 * MB}\ntotal_inactive_file {25 * MB}"
    groups.add("a", max=100 * MB, current=90 * MB, stat=stat)
    groups.add("memory/a", limit_in_bytes=100 * MB, usage_in_bytes=90 * MB, stat=stat)

    assert groups.measure("0::/a") == 30 * MB
    assert groups.measure("4:cpu,memory:/a") == 35 * MB


def test_files_that_are_read_often_can_be_given_back_too(groups: Groups) -> None:
    lines = ("inactive_file 5", "active_file 40", "total_inactive_file 6", "total_active_file 50")
    stat = "\n".join(f"{line}{'0' * 6}" for line in lines)
    groups.add("a", max=100 * MB, current=90 * MB, stat=stat)
    groups.add("memory/a", limit_in_bytes=100 * MB, usage_in_bytes=90 * MB, stat=stat)

    assert groups.measure("0::/a") == 10 * MB + 45_000_000
    assert groups.measure("4:memory:/a") == 10 * MB + 56_000_000


def test_groups_of_the_first_version_count_beside_those_of_the_second(groups: Groups) -> None:
    groups.add("memory", limit_in_bytes=2**63 - 4096, usage_in_bytes=MB)
    groups.add("memory/a", limit_in_bytes=70 * MB, usage_in_bytes=MB)
    groups.add("unified/a", max=50 * MB, current=MB)

    assert groups.measure("5:cpuset:/", "4:memory:/a", "0::/") == 69 * MB
    assert groups.measure("5:cpuset:/", "4:memory:/a", "0::/a") == 49 * MB


@pytest.mark.parametrize("name", ["/docker/1234", "/../../outside"])
def test_a_container_sees_its_group_as_the_root(groups: Groups, name: str) -> None:
    groups.add(".", max=50 * MB, current=MB)
    groups.add("memory", limit_in_bytes=40 * MB, usage_in_bytes=MB)

    assert groups.measure(f"0::{name}") == 49 * MB
    assert groups.measure(f"4:memory:{name}") == 39 * MB


@pytest.mark.parametrize("lines", [[], ["nonsense"], ["4:memory"], ["::"], ["0::/\x00"]])
def test_what_cannot_be_read_limits_nothing(groups: Groups, lines: list[str]) -> None:
    assert groups.measure(*lines) == NO_LIMIT
    groups.own.unlink()
    assert measure_groups(groups.root, groups.own) == NO_LIMIT
