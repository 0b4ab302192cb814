"""Both lists of pins say the same, and the second names every file."""

from __future__ import annotations

import re

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from supply.hashes import find_hashes
from supply.installed import list_requirements
from supply.pins import CONSTRAINTS, HASHES, Pin, find_pin_problems, format_hashes, read_pins

CONSTRAINED = read_pins(CONSTRAINTS.read_text(encoding="utf-8"))
HASHED = read_pins(HASHES.read_text(encoding="utf-8"))


def test_both_lists_name_the_same_versions_and_each_has_a_hash() -> None:
    assert len(CONSTRAINED) > 100
    assert find_pin_problems(CONSTRAINED, HASHED) == []


def test_everything_that_the_project_asks_for_is_pinned_within_its_range() -> None:
    for asked in map(Requirement, list_requirements("audit")):
        assert asked.specifier.contains(CONSTRAINED[canonicalize_name(asked.name)].version), asked


def test_the_hashes_name_no_index() -> None:
    assert not re.search(r"https?:|--(extra-)?index-url|--find-links", HASHES.read_text())


@pytest.mark.parametrize(
    ("hashed", "problem"),
    [
        ({}, "a is missing"),
        ({"a": Pin("a", "2", frozenset({"0"}))}, "a is 2, constraints.txt has 1"),
        ({"a": Pin("a", "1")}, "a has no hash"),
        ({"a": Pin("a", "1", frozenset({"0"})), "b": Pin("b", "1")}, "b is not in constraints.txt"),
    ],
)
def test_a_list_that_is_out_of_step_is_told(hashed: dict[str, Pin], problem: str) -> None:
    [told] = find_pin_problems({"a": Pin("a", "1")}, hashed)

    assert problem in told
    assert told.endswith("run python -m supply.hashes")


def test_what_is_written_is_read_again() -> None:
    pins = {"a-b": Pin("A_b", "1.0", frozenset({"0" * 64, "f" * 64})), "c": Pin("c", "2")}

    assert read_pins(format_hashes(pins)) == pins


def test_all_files_of_a_version_are_taken_and_no_others() -> None:
    files = {
        "a_b-1.0-py3-none-any.whl": "wheel",
        "a-b-1.0.tar.gz": "source",
        "a_b-1.0+cpu-cp311-cp311-linux_x86_64.whl": "build",
        "a_b-1.0.1-py3-none-any.whl": "other version",
        "a-b-1.0.win32.exe": "no package",
        "a-b-1.0.tar.gz.asc": "signature",
    }
    page = "".join(f'<a href="../{file}#sha256={text}">x</a>' for file, text in files.items())
    asked = []

    def fetch(address: str) -> str:
        asked.append(address)
        return page

    found = find_hashes(Pin("A_b", "1.0"), "https://index/simple", fetch)

    assert found == {"wheel", "source", "build"}
    assert asked == ["https://index/simple/a-b/"]
