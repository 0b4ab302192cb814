"""The audit: what can be told offline is in order, and what could not be asked is never passed."""

from __future__ import annotations

import sys
from importlib.metadata import Distribution
from pathlib import Path

import pytest

import supply.audit as audit
from supply.audit import Verdict, check_offline, find_package_problems, main
from supply.installed import find_licence
from supply.pins import Pin


def test_all_that_can_be_told_offline_is_in_order() -> None:
    assert check_offline() == []


def install(folder: Path, *lines: str) -> Distribution:
    info = folder / "a-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("\n".join(["Metadata-Version: 2.1", "Name: a", *lines, ""]))
    return Distribution.at(info)


def test_a_package_without_a_licence_or_a_pin_is_told(tmp_path: Path) -> None:
    package = install(tmp_path, "Version: 1")

    assert find_package_problems([package], {}) == [
        "a 1 is needed and not in constraints.txt",
        "a 1 declares no licence",
    ]


@pytest.mark.parametrize(
    ("lines", "licence"),
    [
        (["License: MIT"], "MIT"),
        (
            ["License: Apache License", "          Version 2.0", " ", "         You may"],
            "Apache License Version 2.0",
        ),
        (
            [
                "License: MIT License",
                "        ",
                "        You may",
                "Classifier: License :: OSI Approved :: MIT",
            ],
            "MIT",
        ),
        (["License: Copyright 2026 A. Body", "        ", "        You may"], ""),
        (["Classifier: Programming Language :: Python"], ""),
    ],
)
def test_the_licence_is_found_where_it_is_declared(
    lines: list[str], licence: str, tmp_path: Path
) -> None:
    assert find_licence(install(tmp_path, "Version: 1", *lines)) == licence


def test_a_package_in_another_version_is_told(tmp_path: Path) -> None:
    package = install(tmp_path, "Version: 1+cpu", "License: MIT")

    assert find_package_problems([package], {"a": Pin("a", "1")}) == []
    assert find_package_problems([package], {"a": Pin("a", "2")}) == [
        "a is 1, constraints.txt has 2"
    ]


@pytest.mark.parametrize(
    ("answer", "code", "said"),
    [
        (Verdict(), 0, ""),
        (Verdict(vulnerable=("a 1: CVE-1 (fixed in 2)",)), 1, "a 1: CVE-1 (fixed in 2)"),
        (
            Verdict(unknown=("a", "b")),
            3,
            "NOT CHECKED: the vulnerability database did not answer for 2 packages; "
            "try again with network access\n",
        ),
        (Verdict(vulnerable=("a 1: CVE-1",), unknown=("b",)), 1, "did not answer for 1 package;"),
        (
            "no route to host",
            3,
            "NOT CHECKED: the vulnerability database cannot be asked (no route to host); ",
        ),
    ],
)
def test_the_exit_code_says_whether_anything_is_known(
    answer: Verdict | str,
    code: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(audit, "ask_database", lambda: answer)
    monkeypatch.setattr(audit, "check_offline", list)

    assert main([]) == code
    assert said in capsys.readouterr().err


def test_a_failed_check_of_our_own_is_told_apart(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(audit, "check_offline", lambda: ["the model is damaged"])

    assert main(["--offline"]) == 2
    assert capsys.readouterr().err == "the model is damaged\n"


def test_what_was_not_checked_is_the_last_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(audit, "ask_database", lambda: Verdict(unknown=("a",)))
    monkeypatch.setattr(audit, "check_offline", list)
    monkeypatch.setattr(sys, "stderr", sys.stdout)  # as in a log, which holds both

    main([])

    assert capsys.readouterr().out.splitlines()[-1].startswith("NOT CHECKED: ")
