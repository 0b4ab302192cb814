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
    note = "note: without in.csv, which cannot be read (Input/output error)\n"
    said = replace(COPED, said=note, changed={OUT: digest(b"less")})

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
        replace(COPED, said="note: something is left out\n", printed="less\n"),
        replace(COPED, said="note: in.csv is left out\n", printed="less\n"),
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


CUT = replace(COPED, fault=TRUNCATION.name, number=0)


def test_what_is_left_of_a_text_may_be_sound_by_itself() -> None:
    found = judge(replace(CUT, printed="less\n"), USUAL)

    assert found.coped and found.wrong == ()


def test_what_is_left_of_an_array_is_not() -> None:
    trial = replace(CUT, file="/world/in.npy", printed="less\n")

    assert "unclear" in judge(trial, USUAL).wrong


@pytest.mark.parametrize(
    ("said", "is_clear"),
    [
        ("error: /world/other.csv: has 3 rows, in.csv 2\n", True),
        ("error: /world/out.json: has 3 rows\n", True),
        ('error: no clip "in" is there\n', True),
        ("error: something is wrong\n", False),
    ],
)
def test_of_a_file_that_is_cut_short_another_that_it_fits_to_may_be_named(
    said: str, is_clear: bool
) -> None:
    found = judge(replace(CUT, said=said, code=2, printed="", changed={}), USUAL)

    assert ("unclear" not in found.wrong) is is_clear


REPORT = replace(COPED, command="validate dataset", code=2, changed={OUT: digest(b"told")})
"""Its result is what is wrong; the usual one names the file as well."""
LISTED = replace(USUAL, after=Snapshot({IN: b"input", OUT: b"inputs: in.csv"}))


@pytest.mark.parametrize("code", [1, 2])
def test_a_result_that_names_the_file_and_the_reason_is_a_report(code: int) -> None:
    told = replace(REPORT, code=code, written=("in.csv: cannot be read (Input/output error)",))

    assert judge(told, LISTED).coped and judge(told, LISTED).wrong == ()


@pytest.mark.parametrize(
    "trial",
    [
        REPORT,
        replace(REPORT, written=("inputs: in.csv",)),
        replace(REPORT, written=("in.csv: is odd",)),
        replace(REPORT, said="something is wrong\n"),
        replace(REPORT, written=("in.csv: cannot be read (Input/output error)",), code=70),
        replace(REPORT, written=("in.csv: cannot be read (Input/output error)",), command="run"),
    ],
)
def test_a_result_that_does_not_is_none(trial: Trial) -> None:
    assert "unclear" in judge(trial, LISTED).wrong


def test_who_could_not_write_a_file_has_no_other_result() -> None:
    note = "note: /world/cache cannot be written (Input/output error)\n"
    trial = replace(COPED, point="write", file="/world/cache", said=note)

    assert judge(trial, USUAL).wrong == ()
    assert judge(replace(trial, changed={OUT: digest(b"ne")}), USUAL).wrong == ("half",)


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
