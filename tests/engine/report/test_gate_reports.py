"""A gate written down: JSON, JUnit XML, GitHub annotations, Markdown. No text can break them."""

from __future__ import annotations

import json
import math
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.compare import CompareSettings
from engine.gate import Gate, GateSettings, decide, parse_limit
from engine.report.gate.ci import (
    disable_commands,
    format_annotation,
    format_gate_annotations,
    format_gate_junit,
)
from engine.report.gate.document import EXIT_CODES, build_gate_document
from engine.report.gate.markdown import format_gate_markdown
from engine.report.gate.wording import (
    describe_further,
    describe_method,
    select_checks,
    write_headline,
)
from tests.engine.gate.gate_by_hand import system

NASTY = "a\n::error::x\r\n\x1b[31m\x00 <b>&amp;]]> | `code` \u202e\ufffe\ud800 100%, c: d"
WORDS = [("object:bicyclist",)] * 15 + [("object:car",)] * 45


def failing(queries: list[str] | None = None, name: str = "new") -> Gate:
    """The bicyclists fell, the mean did not; a limit is broken, and another one holds."""
    old = system([0.6] * 60, WORDS, "old", queries=queries)
    new = system([0.2, 0.4, 0.2] * 5 + [0.8, 0.6, 0.8] * 15, WORDS, name, queries=queries)
    limits = [parse_limit(text, new.language) for text in ("Recall@5=0.9", "Recall@5=0.1")]
    settings = GateSettings(CompareSettings(least_queries=10), detect=0.2)
    return decide(new, old, limits, settings=settings)


def weak() -> Gate:
    return decide(system([0.4, 0.6, 0.2] * 4), system([0.2, 0.8, 0.4] * 4, name="old"))


# JSON


def test_every_verdict_has_an_exit_code_of_its_own() -> None:
    assert EXIT_CODES == {"pass": 0, "fail": 1, "underpowered": 3}


def test_the_document_says_what_was_decided_and_by_which_numbers() -> None:
    gate = failing()

    document = build_gate_document(gate)

    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert document["schema"] == "tui-eval/gate@4"
    assert (document["verdict"], document["exit_code"]) == ("fail", 1)
    assert document["settings"]["alpha"] == 0.025
    assert document["settings"]["hypotheses"] == 3
    assert [check["kind"] for check in document["checks"]] == [
        "limit",
        "limit",
        "mean",
        "keyword",
        "keyword",
    ]
    fell, mean = document["checks"][3], document["checks"][2]
    assert (fell["correction"], mean["correction"]) == ("max-t", "holm")
    assert fell["p"] <= fell["corrected"] < 0.025 <= mean["corrected"]
    assert (fell["name"], fell["verdict"]) == ("text Recall@5, object:bicyclist", "fail")
    assert fell["metric"] == {
        "id": "P@5",
        "label": "Recall@5",
        "formula": "hits@5 / 5",
        "lower_is_better": False,
    }
    assert fell["gain"] == pytest.approx(-1 / 3)
    assert fell["worst"][0] == {
        "query": "query 0",
        "nth": 0,
        "keywords": ["object:bicyclist"],
        "before": 0.6,
        "after": 0.2,
    }


def test_numbers_that_are_not_defined_are_null() -> None:
    document = build_gate_document(decide(system([0.2]), system([0.4])))

    (check,) = document["checks"]
    assert check["interval"] == {"low": None, "high": None, "level": 0.95}
    assert check["power"]["smallest_drop"] is None
    assert (document["verdict"], document["exit_code"]) == ("underpowered", 3)


def test_every_interval_is_named_by_the_level_that_it_has() -> None:
    """Of three hypotheses the bicyclists have the smallest p: 1 − 0.025 − 0.025 / 3."""
    document = build_gate_document(failing())

    limit, *_, fell, _ = document["checks"]
    assert limit["interval"]["level"] == 0.95
    assert "(95 % CI " in limit["message"]
    assert fell["interval"]["level"] == pytest.approx(1 - 0.025 - 0.025 / 3)
    assert "(96.67 % CI " in fell["message"]
    assert document["settings"]["interval"] == "bootstrap, bca"
    assert "at the level that p was held against" in document["settings"]["interval_of_differences"]
    assert "intervals of 95 % or more: BCa, their upper ends" in describe_method(failing())
    assert describe_method(
        decide(system([0.5] * 9), limits=[parse_limit("Recall@5=0.1", failing().language)])
    ) == ("95 % BCa intervals")


def mute() -> Gate:
    """Thirty keywords of ten queries: too few to fail among so many."""
    words = [(f"w{n}",) for n in range(30) for _ in range(10)]
    values = [0.2, 0.4] * 150
    settings = GateSettings(CompareSettings(least_queries=10))
    return decide(system(values, words), system(values, words, "old"), settings=settings)


def test_slices_that_cannot_fail_are_counted_in_every_document() -> None:
    gate, said = mute(), "30 slices have too few queries to fail among so many checks"

    document = build_gate_document(gate)

    assert document["slices_that_cannot_fail"] == [{"mode": "text", "metric": "P@5", "slices": 30}]
    assert said in document["notes"][0]
    assert document["settings"]["hypotheses"] == 1
    assert said in format_gate_markdown(gate)
    assert any(said in line for line in format_gate_annotations(gate))
    notes = ET.fromstring(format_gate_junit(gate).encode()).find(
        "testsuite/properties/*[@name='notes']"
    )
    assert notes is not None and said in notes.attrib["value"]


def test_whether_lost_queries_were_allowed_is_written_down() -> None:
    assert build_gate_document(weak())["settings"]["allow_missing"] is False


# Words


def test_the_verdict_comes_first_and_failures_before_the_rest() -> None:
    gate = failing()

    checks, hidden = select_checks(gate)

    assert write_headline(gate) == "FAIL: 2 of 5 checks"
    assert [check.verdict for check in checks] == ["fail", "fail", "pass", "pass"]
    assert len(hidden) == 1 and describe_further(hidden) == ["1 further slice passes"]
    assert len(select_checks(gate, everything=True)[0]) == 5


def test_too_few_queries_are_reported_with_the_drop_that_could_have_been_seen() -> None:
    gate = weak()

    message = build_gate_document(gate)["checks"][0]["message"]

    power = gate.regressions[0].power
    assert power is not None
    assert f"the smallest drop that could have been seen is {power.smallest:.3f}" in message
    assert f"to see 0.050 takes about {power.needed} queries, there are 12" in message


def test_one_is_not_counted_in_the_plural() -> None:
    gate = decide(system([0.2]), system([0.4]))

    assert "over 1 hypothesis)" in describe_method(gate)
    message = build_gate_document(gate)["checks"][0]["message"]
    assert "takes at least 6 queries, there is 1:" in message


# JUnit


def test_junit_has_a_case_per_check_and_counts_that_agree() -> None:
    gate = failing()

    root = ET.fromstring(format_gate_junit(gate).encode())

    (suite,) = root
    cases = suite.findall("testcase")
    assert (root.tag, suite.tag) == ("testsuites", "testsuite")
    assert int(suite.attrib["tests"]) == len(cases) == len(gate.checks) == 5
    assert int(suite.attrib["failures"]) == len(suite.findall("testcase/failure")) == 2
    assert int(suite.attrib["skipped"]) == len(suite.findall("testcase/skipped")) == 0
    assert suite.attrib["errors"] == "0"
    assert all(case.attrib["name"] and case.attrib["classname"] for case in cases)
    names = [(case.attrib["classname"], case.attrib["name"]) for case in cases]
    assert len(set(names)) == len(names)
    failure = suite.findall("testcase/failure")[1]
    assert "object:bicyclist is worse: 0.600 → 0.267" in failure.attrib["message"]
    assert "0.600 → 0.200  query 0" in (failure.text or "")


def test_in_junit_too_few_queries_are_a_skipped_case() -> None:
    root = ET.fromstring(format_gate_junit(weak()).encode())

    (skipped,) = root.findall("testsuite/testcase/skipped")
    assert "could have been seen" in skipped.attrib["message"]
    assert root[0].attrib["skipped"] == "1" and root[0].attrib["failures"] == "0"


@given(st.text(st.characters(), min_size=1, max_size=60))
def test_junit_is_xml_whatever_the_queries_hold(text: str) -> None:
    gate = failing([f"{text} {number}" for number in range(60)], name=text)

    root = ET.fromstring(format_gate_junit(gate).encode())

    assert len(root.findall("testsuite/testcase")) == 5


# GitHub


def unescaped(text: str) -> str:
    """As the runner reads a command's data and properties."""
    for code, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, character)
    return text


def parsed(line: str) -> tuple[str, str, str]:
    """Kind, title and message of a command, taken apart as the runner does."""
    assert line.startswith("::") and line.isprintable()
    head, message = line[2:].split("::", 1)
    kind, _, properties = head.partition(" ")
    (own,) = properties.split(",")
    name, title = own.split("=", 1)
    assert name == "title"
    return kind, unescaped(title), unescaped(message)


def test_annotations_name_the_verdict_and_what_failed() -> None:
    lines = [parsed(line) for line in format_gate_annotations(failing())]

    assert [(kind, title) for kind, title, _ in lines] == [
        ("error", "tui-eval gate: FAIL: 2 of 5 checks"),
        ("error", "text Recall@5, mean ≥ 0.9"),
        ("error", "text Recall@5, object:bicyclist"),
    ]
    assert "0.600 → 0.200  query 0" in lines[2][2]


def test_too_few_queries_are_a_warning_and_a_pass_is_a_notice() -> None:
    run = system([0.4] * 12)

    assert [parsed(line)[0] for line in format_gate_annotations(weak())] == ["warning", "warning"]
    assert [parsed(line)[0] for line in format_gate_annotations(decide(run, run))] == [
        "warning",
        "notice",
    ]


@given(st.text(st.characters(), max_size=40), st.text(st.characters(), max_size=40))
def test_an_annotation_reads_back_as_it_was(title: str, message: str) -> None:
    line = format_annotation("error", title, message)

    own_title, own_message = line.removeprefix("::error title=").split("::", 1)
    assert "\n" not in line and "\r" not in line
    assert (unescaped(own_title), unescaped(own_message)) == (title, message)


def test_no_query_text_becomes_a_command() -> None:
    gate = failing([f"{NASTY} {number}" for number in range(60)], name=NASTY)

    lines = format_gate_annotations(gate)

    assert len(lines) == 3
    assert all(parsed(line)[0] == "error" for line in lines)


def test_no_more_annotations_than_github_shows() -> None:
    limits = [parse_limit(f"Recall@5={0.9 + n / 1000}", system([0.5]).language) for n in range(30)]

    lines = [
        parsed(line) for line in format_gate_annotations(decide(system([0.5, 0.5]), limits=limits))
    ]

    assert len(lines) == 10
    assert lines[-1][2] == "and 22 more: the summary of the job lists them"


def test_between_its_tokens_a_table_is_no_command() -> None:
    lines = disable_commands("::error::x\n##[error]y\n", "secret").splitlines()

    assert lines == ["::stop-commands::secret", "::error::x", "##[error]y", "::secret::"]


# Markdown


def test_markdown_has_the_verdict_a_table_and_the_worst_queries() -> None:
    text = format_gate_markdown(failing())

    assert text.startswith("### FAIL: 2 of 5 checks\n")
    assert "| **FAIL** | text: object:bicyclist | Recall@5 | 0.600 | 0.267 | −0.333 |" in text
    assert "- 1 further slice passes" in text
    assert "- 0.600 → 0.200  query 0" in text
    assert "Recall@5 is P@5 = hits@5 / 5" in text
    assert "over 3 hypotheses" in text


def test_no_query_text_becomes_markup() -> None:
    text = format_gate_markdown(failing([f"{NASTY} {number}" for number in range(60)], name=NASTY))

    shown = next(line for line in text.splitlines() if line.startswith("- 0.600 → 0.200"))
    assert "\\<b\\>" in shown and "\\`code\\`" in shown and "\\|" in shown
    assert "\x1b" not in text and "\x00" not in text and "\u202e" not in text
    assert not any(line.startswith("::") for line in text.splitlines())


def test_a_mean_without_interval_is_shown_as_such() -> None:
    limit = parse_limit("Recall@5=0.1", system([0.5]).language)

    document = build_gate_document(decide(system([0.5, math.nan]), limits=[limit]))

    assert document["checks"][0]["message"] == (
        "text Recall@5 is 0.500 (no interval, n = 1), not below 0.1"
    )
