"""SECURITY.md names digests and places that are there."""

from __future__ import annotations

import re

from engine.text.model_files import EMBEDDED_SHA256, TOKENIZER_SHA256
from supply.pins import ROOT

PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")


def test_it_names_the_digests_that_are_checked() -> None:
    assert set(re.findall(r"\b[0-9a-f]{64}\b", PAGE)) == {EMBEDDED_SHA256, TOKENIZER_SHA256}


def test_every_place_that_it_names_is_there() -> None:
    places = re.findall(r"`((?:engine|tui|supply|tests)/[\w./]*)`", PAGE)

    assert len(places) > 10
    assert [place for place in places if not (ROOT / place).exists()] == []
