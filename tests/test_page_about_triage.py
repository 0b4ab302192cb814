"""The page about triage shows what its commands print, and its links lead somewhere."""

from __future__ import annotations

import re

import pytest

from engine.triage.registry import ANALYSES
from tests.conftest import ROOT
from tests.write_triage_page import (
    CONSOLE,
    PAGE,
    find_stale_lines,
    in_own_folder,
    print_output,
)
from tui.cli.app import run_command_line

TEXT = PAGE.read_text(encoding="utf-8")
_LISTED = re.compile(r"^## Run it\n```\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(
    ("quoted", "stale"),
    [
        (["a 0.51", "…", "d 1,420 of 12"], []),
        (["…", "c", "…", "b −0.100"], ["b −0.100"]),
        (["a 0.50", "c"], ["c"]),
        (["a 0.50", "b 0.100"], ["b 0.100"]),
    ],
)
def test_lines_are_compared_in_order_and_numbers_nearly(
    quoted: list[str], stale: list[str]
) -> None:
    printed = ["a 0.50", "b −0.100", "", "c", "d 1,418 of 12"]

    assert find_stale_lines(printed, quoted) == stale


@pytest.mark.slow
def test_the_worked_case_of_the_page_about_triage_can_be_repeated() -> None:
    commands = CONSOLE.findall(TEXT)

    assert len(commands) == TEXT.count("```console") >= 6
    with in_own_folder():
        stale = {
            command: find_stale_lines(print_output(command), quoted.splitlines())
            for command, quoted in commands
        }

    assert not any(stale.values()), f"run python -m tests.write_triage_page: {stale}"


def test_every_command_that_the_page_lists_has_its_options(
    capsys: pytest.CaptureFixture[str],
) -> None:
    (block,) = _LISTED.findall(TEXT)
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
        found = re.search(rf"^### {analysis.name}: (.*?)(?=^##)", TEXT, re.MULTILINE | re.DOTALL)
        assert found, analysis.name
        for part in ("**Formula.**", "**When it lies.**", "**What to do.**"):
            assert part in found[1], analysis.name


def test_links_of_the_page_lead_to_headings_that_there_are() -> None:
    for file, anchor in re.findall(r"\]\(([\w/.]*)#([\w-]+)\)", TEXT):
        text = (ROOT / "docs" / file).read_text(encoding="utf-8") if file else TEXT
        titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
        slugs = {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
        assert anchor in slugs, f"{file}#{anchor}"
