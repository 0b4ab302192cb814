"""The source of the packages, for tests that hold for every module."""

from __future__ import annotations

from functools import cache

from tests.conftest import ROOT

FILE_LAYER = "engine/files/"
"""Where files may be opened and written outright."""


@cache
def read_modules(*packages: str) -> dict[str, str]:
    """Every module of the packages, by its path, with its text; of `engine` and `tui` if none is
    named."""
    files = (file for one in packages or ("engine", "tui") for file in (ROOT / one).rglob("*.py"))
    return {
        file.relative_to(ROOT).as_posix(): file.read_text(encoding="utf-8")
        for file in sorted(files)
    }


def read_modules_above_files() -> dict[str, str]:
    """Those of `engine` and `tui` that open and write files through the file layer."""
    modules = read_modules()
    return {name: text for name, text in modules.items() if not name.startswith(FILE_LAYER)}
