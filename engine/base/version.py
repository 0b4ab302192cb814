"""The version of this tool, as every document names it."""

from __future__ import annotations


def find_tool_version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("tui-eval")
    except PackageNotFoundError:
        return "unknown"
