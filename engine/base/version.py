"""The version of this tool, as every document names it."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def tool_version() -> str:
    try:
        return version("tui-eval")
    except PackageNotFoundError:
        return "unknown"
