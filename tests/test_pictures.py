"""The docs show the screens as they are."""

from __future__ import annotations

import re

import pytest

from tests.write_pictures import PICTURES, ROOT, SNAPSHOTS, draw_picture

PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))


@pytest.mark.parametrize("name", SNAPSHOTS)
def test_a_picture_is_what_the_screen_looks_like_now(name: str) -> None:
    picture = (PICTURES / f"{name}.svg").read_text(encoding="utf-8")

    is_current = picture == draw_picture(name)  # nobody wants to read how they differ
    assert is_current, "run make pictures"
    assert "http" not in re.sub(r"http://www\.w3\.org/\S+|https://www\.textualize\.io", "", picture)


def test_every_picture_is_shown_and_every_one_shown_is_there() -> None:
    shown = {
        (page.parent / link).resolve()
        for page in PAGES
        for link in re.findall(r"!\[[^\]]+\]\(([^)]+\.svg)\)", page.read_text(encoding="utf-8"))
    }

    assert shown == {PICTURES / f"{name}.svg" for name in SNAPSHOTS}
    assert {*PICTURES.iterdir()} == shown


def test_the_first_thing_that_the_readme_shows_is_the_inspector() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")

    assert readme.index("docs/pictures/inspect.svg") < readme.index("```")
