"""The documents about the code speak of the code that is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.test_layers import ROOT
from tests.write_architecture import DOCUMENT, with_map

DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_the_map_is_that_of_the_imports() -> None:
    document = DOCUMENT.read_text(encoding="utf-8")

    assert with_map(document) == document, "run python -m tests.write_architecture"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_place_in_the_code_that_a_document_names_exists(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:engine|tui|tests|benchmarks|sample_data)/[\w./]*)", text))

    assert [place for place in sorted(named) if not (ROOT / place).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_document_that_a_document_links_to_exists(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    linked = set(re.findall(r"\]\(([^)#:]+)(?:#[\w-]*)?\)", text))

    assert [link for link in sorted(linked) if not (document.parent / link).exists()] == []
