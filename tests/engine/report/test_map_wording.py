"""The reasons of `map test` in words, as the page about the mapper lists them."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from engine.base.keyword import Keyword
from engine.report.map.wording import describe_fault
from engine.text.learning.faults import FaultReason, MappingFault
from tests.write_mapping_page import PAGE

_ROW = re.compile(r"^\| `([^`]+)` \| (.+?) \|", re.MULTILINE)
_QUOTED = re.compile(r'"([^"]*)"(?: \((\w+), ([\d.]+)\))?')


def test_the_page_lists_every_reason() -> None:
    assert [reason for reason, _ in rows()] == list(get_args(FaultReason))


@pytest.mark.parametrize("reason", get_args(FaultReason))
def test_the_page_has_the_words_that_are_printed(reason: FaultReason) -> None:
    printed = dict(rows())[reason]
    found = _QUOTED.search(printed)
    words, why, chance = found.groups() if found else ("", "", "")
    if reason == "words are unknown":
        words = "zorp"
    if reason == "no word is near":
        chance = "0.05"
    rival = Keyword("time", "night" if "night is" in printed else "dusk")
    fault = MappingFault(
        *(0, "query", Keyword("time", "night"), True, reason),
        *(float(chance or 0), words, why or "", rival),
    )

    assert describe_fault(fault, 0.6) == printed


def rows() -> list[tuple[str, str]]:
    page = PAGE.read_text(encoding="utf-8")
    return _ROW.findall(page[page.index("| `reason` in JSON") :])
