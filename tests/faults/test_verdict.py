"""What came of a fault is judged by what was left, said and printed, not by silence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.faults.catalogue import KILL, SLOWNESS, TRUNCATION
from tests.faults.snapshot import Snapshot
from tests.faults.verdict import Trial, Undisturbed, digest, judge

IN, OUT = "/world/in.csv", "/world/out.json"
NEW = {OUT: digest(b"new")}
USUAL = Undisturbed(
    Snapshot({IN: b"input", OUT: b"old"}), Snapshot({IN: b"input", OUT: b"new"}), "", "done\n"
)
ERROR = "error: in.csv: cannot be read (Input/output error)\n"
COPED = Trial("run", "I/O error", "read", IN, 0, "", "done\n", NEW, 5)


def test_a_command_that_ends_as_usual_has_coped() -> None:
    found = judge(COPED, USUAL)

    assert found.coped and found.wrong == ()


def test_a_command_that_says_what_it_does_without_has_coped() -> None:
    said = replace(COPED, said="note: in.csv is left out\n", changed={OUT: digest(b"less")})

    assert judge(said, USUAL).coped and judge(said, USUAL).wrong == ()


@pytest.mark.parametrize(
    "trial",
    [
        replace(COPED, changed={OUT: digest(b"other")}),
        replace(COPED, printed="less\n"),
        replace(COPED, changed={}),
        replace(COPED, code=1),
        replace(COPED, code=2, printed="", changed={}),
        replace(COPED, said=ERROR),
        replace(COPED, said=ERROR * 2, code=2, changed={}),
        replace(COPED, said="error: other.csv: is odd\n", code=2, changed={}),
        replace(COPED, fault=SLOWNESS.name, said=ERROR, code=2, changed={}),
        replace(COPED, fault=KILL.name),
    ],
)
def test_another_end_without_a_word_is_unclear(trial: Trial) -> None:
    found = judge(trial, USUAL)

    assert "unclear" in found.wrong and not found.coped


def test_one_line_with_the_file_and_the_reason_is_clear() -> None:
    found = judge(replace(COPED, said=ERROR, code=2, changed={}, printed=""), USUAL)

    assert found.wrong == () and not found.coped


def test_what_is_left_of_a_file_may_be_sound_by_itself() -> None:
    found = judge(replace(COPED, fault=TRUNCATION.name, printed="less\n"), USUAL)

    assert found.coped and found.wrong == ()


@pytest.mark.parametrize(
    ("changed", "wrong"),
    [
        ({IN: digest(b"x")}, "lost"),
        ({IN: None}, "lost"),
        ({OUT: None}, "lost"),
        ({OUT: digest(b"ne")}, "half"),
        ({"/world/.out.json.abc": digest(b"new")}, "stray"),
    ],
)
def test_what_a_kill_leaves_is_judged(changed: dict[str, str | None], wrong: str) -> None:
    trial = replace(COPED, fault=KILL.name, code=-9, printed="", changed=changed)

    assert judge(trial, USUAL).wrong == (wrong,)


def test_what_a_command_holds_only_for_a_while_may_be_left_by_a_kill() -> None:
    passing = digest(b"learned")
    usual = replace(USUAL, passing=frozenset({(IN, passing)}))
    trial = replace(COPED, fault=KILL.name, code=-9, printed="", changed={IN: passing})

    assert judge(trial, usual).wrong == ()
