"""The page about reliability says what was measured last, and that is what must hold."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.faults.catalogue import FAULTS
from tests.faults.interrupts import LONGEST_ALLOWED
from tests.faults.result_files import KEPT, read_result
from tests.faults.soak import MOST_GROWTH, MOST_SLOWER
from tests.faults.table import HARM
from tests.fuzz.commands import find_commands
from tests.fuzz.corpus import CORPUS
from tests.write_reliability import (
    PAGE,
    SECTIONS,
    find_size,
    find_wanted_size,
    take_over,
    with_results,
)


def test_the_page_about_reliability_is_in_step_with_its_results() -> None:
    page = PAGE.read_text(encoding="utf-8")

    assert page == with_results(page), "run python -m tests.write_reliability"


def test_a_result_that_is_missing_is_said(tmp_path: Path) -> None:
    shutil.copytree(KEPT, tmp_path, dirs_exist_ok=True)
    (tmp_path / "soak.json").unlink()

    with pytest.raises(FileNotFoundError, match=r"soak\.json is missing"):
        with_results(PAGE.read_text(encoding="utf-8"), tmp_path)


@pytest.mark.parametrize("name", SECTIONS)
def test_every_result_is_of_a_whole_campaign(name: str) -> None:
    assert find_size(name, read_result(name)) >= find_wanted_size(name) > 0


def test_a_part_of_a_campaign_is_not_taken_over(tmp_path: Path) -> None:
    measured, kept = tmp_path / "measured", tmp_path / "kept"
    measured.mkdir()
    kept.mkdir()
    (measured / "fuzz.json").write_text(json.dumps({"inputs": 3_000}))

    with pytest.raises(SystemExit, match="is of 3,000, not of 100,000"):
        take_over(measured, kept)
    assert not [*kept.iterdir()]

    (measured / "fuzz.json").write_text(json.dumps({"inputs": 100_000}))
    take_over(measured, kept)
    assert [file.name for file in kept.iterdir()] == ["fuzz.json"]


@pytest.mark.parametrize("name", SECTIONS)
def test_every_result_names_the_version_that_it_is_of(name: str) -> None:
    assert read_result(name)["version"]


def test_every_fault_was_tried_and_none_did_harm() -> None:
    rows = {row["fault"]: row for row in read_result("faults")["rows"]}

    assert {fault.name for fault in FAULTS} <= rows.keys()
    for row in rows.values():
        assert row["times"] and not any(row[kind] for kind in HARM), row


def test_no_kill_lost_what_was_acknowledged() -> None:
    for row in read_result("kills")["rows"]:
        assert row["times"] and row["acknowledged"] and row["lost"] == 0, row


def test_no_writer_lost_what_was_acknowledged() -> None:
    found = read_result("writers")

    assert found["acknowledged"] and found["is_sound"]
    assert found["lost"] == found["failed"] == 0


def test_every_command_ends_within_a_second() -> None:
    for row in read_result("interrupts")["rows"]:
        assert row["times"] and row["longest"] <= LONGEST_ALLOWED and not row["wrong"], row


def test_a_long_session_neither_grows_nor_slows_down() -> None:
    found = read_result("soak")

    assert found["keys"] and found["queries"]
    assert found["growth"] < MOST_GROWTH and found["slower"] <= MOST_SLOWER


def test_every_reader_and_command_was_fuzzed_and_nothing_was_found() -> None:
    found = read_result("fuzz")

    assert (found["readers"], found["commands"]) == (len(CORPUS), len(find_commands()))
    findings = "tracebacks unexpected over_memory over_time changed_or_left bad_messages".split()
    assert [name for name in findings if found[name]] == []
