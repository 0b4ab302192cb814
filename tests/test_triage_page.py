"""The page about triage shows what its commands print, and its links lead somewhere."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.triage.registry import ANALYSES
from tests.conftest import ROOT
from tui.cli.app import run_command_line

PAGE = (ROOT / "docs/triage.md").read_text(encoding="utf-8")

_CONSOLE = re.compile(r"^```console\n\$ tui-eval ([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LISTED = re.compile(r"^## Run it\n```\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NUMBER = re.compile(r"[+−]?\d[\d,]*(?:\.\d+)?")

LEFT_OUT = "…"
"""A line of a quoted output that stands for any number of others."""

NEAR = 0.011
"""Numbers may differ by so much, or by as large a part: another processor adds up in another
order, and a clip more or less changes a percentage."""


def find_quoted(printed: str, quoted: str) -> Iterator[str]:
    """The quoted lines that were not printed in this order, without others in between but where
    some were left out."""
    lines = [line.rstrip() for line in printed.splitlines() if line.strip()]
    at, may_skip = 0, False
    for line in filter(str.strip, quoted.splitlines()):
        if line == LEFT_OUT:
            may_skip = True
            continue
        rest = range(at, len(lines) if may_skip else min(at + 1, len(lines)))
        found = next((place for place in rest if is_alike(lines[place], line)), None)
        if found is None:
            yield line
        else:
            at = found + 1
        may_skip = False


def is_alike(printed: str, quoted: str) -> bool:
    """Whether two lines say the same: their words equal, their numbers nearly."""
    words = [" ".join(_NUMBER.sub("#", line).split()) for line in (printed, quoted)]
    numbers = [[_read_number(n) for n in _NUMBER.findall(line)] for line in (printed, quoted)]
    return words[0] == words[1] and all(
        abs(one - other) <= NEAR * max(1.0, abs(other)) for one, other in zip(*numbers, strict=True)
    )


def _read_number(text: str) -> float:
    return float(text.replace("−", "-").replace(",", ""))


def test_lines_are_compared_in_order_and_numbers_nearly() -> None:
    printed = "a 0.50\nb −0.100\nc\nd 1,418 of 12"

    assert list(find_quoted(printed, "a 0.51\n…\nd 1,420 of 12")) == []
    assert list(find_quoted(printed, "a 0.50\nc")) == ["c"]
    assert list(find_quoted(printed, "…\nc\n…\nb −0.100")) == ["b −0.100"]
    assert list(find_quoted(printed, "a 0.50\nb 0.100")) == ["b 0.100"]


@pytest.mark.slow
def test_the_worked_case_of_the_page_about_triage_can_be_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    commands = _CONSOLE.findall(PAGE)

    assert len(commands) == PAGE.count("```console") >= 6
    for command, quoted in commands:
        code = run_command_line(shlex.split(command))
        done = capsys.readouterr()
        assert code == 0, done.err
        assert list(find_quoted(done.out, quoted)) == [], f"tui-eval {command}\n{done.out}"


def test_every_command_that_the_page_lists_has_its_options(
    capsys: pytest.CaptureFixture[str],
) -> None:
    (block,) = _LISTED.findall(PAGE)
    commands = [line.partition("#")[0].split() for line in block.splitlines()]

    helps = {}
    for path in (["triage"], ["triage", "show"], ["triage", "list"]):
        assert run_command_line([*path, "--help"]) == 0
        helps[path[-1]] = capsys.readouterr().out
    for words in commands:
        shown = helps[words[2] if len(words) > 2 and words[2] in helps else "triage"]
        assert words[:2] == ["tui-eval", "triage"]
        assert [word for word in words if word.startswith("--") and word not in shown] == []


def test_the_page_has_a_section_for_every_analysis_with_its_traps() -> None:
    for analysis in ANALYSES:
        found = re.search(rf"^### {analysis.name}: (.*?)(?=^##)", PAGE, re.MULTILINE | re.DOTALL)
        assert found, analysis.name
        for part in ("**Formula.**", "**When it lies.**", "**What to do.**"):
            assert part in found[1], analysis.name


def test_links_of_the_page_lead_to_headings_that_there_are() -> None:
    for file, anchor in re.findall(r"\]\(([\w/.]*)#([\w-]+)\)", PAGE):
        text = (ROOT / "docs" / file).read_text(encoding="utf-8") if file else PAGE
        titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
        slugs = {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
        assert anchor in slugs, f"{file}#{anchor}"
