"""The page about the mapper shows what its commands print."""

from __future__ import annotations

import pytest

from tests.write_mapping_page import PAGE, with_output


@pytest.mark.slow
def test_the_page_about_the_mapper_shows_what_commands_print() -> None:
    page = PAGE.read_text(encoding="utf-8")

    assert page.count("$ tui-eval map") == page.count("```console") >= 9
    assert with_output(page) == page, "run python -m tests.write_mapping_page"
