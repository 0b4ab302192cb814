"""A note quotes names with hidden characters: each is spelt once, in every document."""

from __future__ import annotations

import html
from dataclasses import replace

import pytest

from engine.base.messages import list_names, quote
from engine.report.gate.ci import format_gate_annotations, format_gate_junit
from engine.report.gate.markdown import format_gate_markdown
from engine.report.html.tables import build_html_notes
from engine.report.tables.report_table import Column, as_latex, as_markdown, make_table
from tests.engine.report.test_gate_reports import failing

NAMES = ["a\u200db", "c\x1b[2J"]
SPELT = r"a\u200db", r"c\x1b[2J"
NOTE = f"2 labels have no prototype: {list_names(map(quote, NAMES))}; {list_names(NAMES)}"


def read_markdown(text: str) -> str:
    """As it is shown: a backslash stands for the character behind it."""
    return text.replace("\\\\", "\0").replace("\\", "").replace("\0", "\\")


def assert_spelt_once(shown: str) -> None:
    for name in SPELT:
        assert shown.count(name) == 2
    assert "\\\\" not in shown


def test_in_markdown() -> None:
    assert_spelt_once(read_markdown(as_markdown(make_table([Column("x")], [], notes=[NOTE]))))


def test_in_html() -> None:
    assert_spelt_once(html.unescape(build_html_notes([NOTE])))


def test_in_html_where_a_long_note_is_cut() -> None:
    assert_spelt_once(html.unescape(build_html_notes([NOTE + "x" * 1_000])))


def test_in_latex() -> None:
    shown = as_latex(make_table([Column("x")], [], notes=[NOTE]))
    assert shown.count(r"a\textbackslash{}u200db") == 2
    assert r"\textbackslash{}\textbackslash{}" not in shown


def test_in_annotations_and_junit_of_a_gate() -> None:
    gate = replace(failing(), notes=(NOTE,))
    assert_spelt_once(format_gate_annotations(gate)[-1])
    properties = format_gate_junit(gate).partition('name="notes"')[2].partition("/>")[0]
    assert_spelt_once(html.unescape(properties))


@pytest.mark.parametrize("hidden", ["\u200d", "\x1b"])
def test_names_and_queries_in_markdown_of_a_gate(hidden: str) -> None:
    gate = replace(failing([f"q{n}{hidden}" for n in range(60)], f"new{hidden}"), notes=(NOTE,))
    shown = read_markdown(format_gate_markdown(gate))
    spelt = hidden.encode("unicode_escape").decode()
    assert f"new{spelt} against old" in shown and f"q0{spelt}" in shown
    assert "\\\\" not in shown
