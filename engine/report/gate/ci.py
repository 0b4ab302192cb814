"""A gate as CI servers show it: JUnit XML, one test suite with a test case per check; and
annotations of GitHub Actions, which are commands on stdout, one line each.

https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

import xml.etree.ElementTree as ET  # writes only; nothing from a user is parsed
from collections.abc import Iterable

from engine.base.messages import LONGEST_LINE, fit_message
from engine.gate import Check, FindingCheck, Gate, LimitCheck, Regression
from engine.report.gate.wording import (
    describe_check,
    describe_small_slices,
    describe_systems,
    list_evidence,
    list_metrics,
    name_check,
    name_part,
    select_checks,
    write_headline,
)

MOST_ANNOTATIONS = 10
"""GitHub shows so many annotations of each kind per step; the last then says how many more."""

_KINDS = {"pass": "notice", "fail": "error", "underpowered": "warning"}


def format_gate_annotations(gate: Gate) -> list[str]:
    """The verdict, an error per failed check, a warning per weak check and per note."""
    said = [line for line in (describe_systems(gate), describe_small_slices(gate)) if line]
    verdict = _KINDS[gate.verdict], f"tui-eval gate: {write_headline(gate)}", "\n".join(said)
    found = [verdict]
    checks, _ = select_checks(gate)
    for check in checks:
        if check.verdict != "pass":
            lines = "\n".join([describe_check(check, gate), *list_evidence(check)])
            found.append((_KINDS[check.verdict], name_check(check, gate.language), lines))
    found += [("warning", "tui-eval gate", fit_message(note, LONGEST_LINE)) for note in gate.notes]
    return [format_annotation(*one) for one in _no_more_than_shown(found)]


def format_annotation(kind: str, title: str, message: str) -> str:
    """One command; whatever the texts hold, it stays one, and on one line.

    >>> format_annotation("error", "a: b, c", "100 %\\n::error::x")
    '::error title=a%3A b%2C c::100 %25%0A::error::x'
    """
    name = _data(title).replace(":", "%3A").replace(",", "%2C")
    return f"::{kind} title={name}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def disable_commands(text: str, token: str) -> str:
    """The text as lines in which GitHub looks for no command until the token comes.

    A table may hold a user's text at the beginning of a line, and the older form of commands
    (##[…]) counts anywhere in one. The token must be one that nobody can guess.

    >>> print(disable_commands("::error::x", "k3"))
    ::stop-commands::k3
    ::error::x
    ::k3::
    """
    return f"::stop-commands::{token}\n{text.rstrip()}\n::{token}::"


def _no_more_than_shown(found: Iterable[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    kept: list[tuple[str, str, str]] = []
    found = list(found)
    for kind in ("error", "warning", "notice"):
        own = [one for one in found if one[0] == kind]
        if len(own) > MOST_ANNOTATIONS:
            more = f"and {len(own) - MOST_ANNOTATIONS + 1:,} more"
            rest = kind, "tui-eval gate", f"{more}: the summary of the job lists them"
            own = [*own[: MOST_ANNOTATIONS - 1], rest]
        kept += own
    return kept


_SUITE = "tui-eval gate"
_KINDS_OF_FAILURES = {LimitCheck: "limit", Regression: "regression", FindingCheck: "finding"}


def format_gate_junit(gate: Gate) -> str:
    """The document. A check that failed has a `failure`, one that was too weak a `skipped`.

    No text of a user can break it: what XML 1.0 does not allow is spelt out before.
    """
    failed = str(len(gate.failed))
    skipped = str(sum(check.verdict == "underpowered" for check in gate.checks))
    none_new = gate.triage is not None and not gate.findings
    tests = str(len(gate.checks) + none_new)
    counts = {"tests": tests, "failures": failed, "errors": "0"}
    root = ET.Element("testsuites", {"name": _SUITE, **counts})
    suite = ET.SubElement(root, "testsuite", {"name": _SUITE, **counts, "skipped": skipped})
    properties = ET.SubElement(suite, "properties")
    for name, value in _properties(gate):
        ET.SubElement(properties, "property", {"name": name, "value": value})
    for check in gate.checks:
        _add_case(suite, check, gate)
    if none_new:  # servers take a suite without a case for one that was not carried out
        ET.SubElement(suite, "testcase", {"classname": "gate.triage", "name": "no new finding"})
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode")


def _properties(gate: Gate) -> list[tuple[str, str]]:
    own, notes = gate.settings, (describe_small_slices(gate), *gate.notes)
    return [
        ("verdict", write_headline(gate)),
        ("systems", describe_systems(gate)),
        ("metrics", "; ".join(list_metrics(gate))),
        ("notes", "; ".join(fit_message(note, LONGEST_LINE) for note in notes if note)),
        ("epsilon", f"{own.epsilon:g}"),
        ("detect", f"{own.detect:g}"),
        ("alpha", f"{own.alpha:.6g}"),
        ("level", f"{own.compare.level:g}"),
        *([] if gate.triage is None else [("severity", f"{own.severity:g}")]),
        ("seed", str(own.compare.seed)),
    ]


def _add_case(suite: ET.Element, check: Check, gate: Gate) -> None:
    named = {"classname": "gate.triage", "name": name_part(check)}
    if not isinstance(check, FindingCheck):
        label = gate.language.label(check.measure)
        named = {"classname": f"gate.{check.mode}", "name": f"{label}, {name_part(check)}"}
    case = ET.SubElement(suite, "testcase", named)
    said = describe_check(check, gate)
    if check.verdict == "underpowered":
        ET.SubElement(case, "skipped", {"message": said})
    elif check.verdict == "fail":
        kind = _KINDS_OF_FAILURES[type(check)]
        failure = ET.SubElement(case, "failure", {"message": said, "type": kind})
        failure.text = "\n".join([said, *list_evidence(check)])
    else:
        ET.SubElement(case, "system-out").text = said
