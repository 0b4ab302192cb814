"""A gate as JUnit XML: one test suite with a test case per check, as CI servers show it."""

from __future__ import annotations

import xml.etree.ElementTree as ET  # writes only; nothing from a user is parsed

from engine.base.messages import fit_on_line
from engine.gate import Check, Gate, Regression
from engine.report.gate.wording import (
    describe_check,
    describe_small_slices,
    describe_systems,
    format_query,
    list_metrics,
    name_part,
    write_headline,
)

_SUITE = "tui-eval gate"


def format_gate_junit(gate: Gate) -> str:
    """The document. A check that failed has a `failure`, one that was too weak a `skipped`.

    No text of a user can break it: what XML 1.0 does not allow is spelt out before.
    """
    failed = str(len(gate.failed))
    skipped = str(sum(check.verdict == "underpowered" for check in gate.checks))
    counts = {"tests": str(len(gate.checks)), "failures": failed, "errors": "0"}
    root = ET.Element("testsuites", {"name": _SUITE, **counts})
    suite = ET.SubElement(root, "testsuite", {"name": _SUITE, **counts, "skipped": skipped})
    properties = ET.SubElement(suite, "properties")
    for name, value in _properties(gate):
        ET.SubElement(properties, "property", {"name": name, "value": value})
    for check in gate.checks:
        _add_case(suite, check, gate)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode")


def _properties(gate: Gate) -> list[tuple[str, str]]:
    own = gate.settings
    return [
        ("verdict", write_headline(gate)),
        ("systems", describe_systems(gate)),
        ("metrics", "; ".join(list_metrics(gate))),
        (
            "notes",
            "; ".join(
                fit_on_line(note) for note in (describe_small_slices(gate), *gate.notes) if note
            ),
        ),
        ("epsilon", f"{own.epsilon:g}"),
        ("detect", f"{own.detect:g}"),
        ("alpha", f"{own.alpha:.6g}"),
        ("level", f"{own.compare.level:g}"),
        ("seed", str(own.compare.seed)),
    ]


def _add_case(suite: ET.Element, check: Check, gate: Gate) -> None:
    label = gate.language.label(check.measure)
    named = {"classname": f"gate.{check.mode}", "name": f"{label}, {name_part(check)}"}
    case = ET.SubElement(suite, "testcase", named)
    said = describe_check(check, gate)
    if check.verdict == "underpowered":
        ET.SubElement(case, "skipped", {"message": said})
    elif check.verdict == "fail":
        kind = "regression" if isinstance(check, Regression) else "limit"
        failure = ET.SubElement(case, "failure", {"message": said, "type": kind})
        failure.text = "\n".join([said, *list_worst_queries(check)])
    else:
        ET.SubElement(case, "system-out").text = said


def list_worst_queries(check: Check) -> list[str]:
    """The queries that lost most, with a line before them; empty if there are none."""
    if not isinstance(check, Regression) or not check.worst:
        return []
    return ["worst queries:", *(f"  {format_query(change)}" for change in check.worst)]
