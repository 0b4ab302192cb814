"""Where tui-eval keeps what its user made (sessions, and what the mapper learned), and caches."""

from __future__ import annotations

import os
from pathlib import Path

_NO_HOME = Path("~", "tui-eval")
"""For a user without a home folder: a place that is never made (see `engine.files.private`)."""


def _expand(folder: str) -> Path:
    """A path of the environment; ~ is the home folder, as no shell expands it in quotes or in a
    file of settings. That of nobody stays as it is, and is never made."""
    try:
        return Path(folder).expanduser()
    except RuntimeError:
        return Path(folder)


def find_data_folder() -> Path:
    """`$TUI_EVAL_DATA`, or the user's data folder. It need not be there."""
    if override := os.environ.get("TUI_EVAL_DATA"):
        return _expand(override)
    from platformdirs import user_data_path

    try:
        return user_data_path("tui-eval")
    except RuntimeError:
        return _NO_HOME


def find_cache_folder() -> Path:
    """Where caches live: `$TUI_EVAL_CACHE`, or the user's cache folder."""
    if override := os.environ.get("TUI_EVAL_CACHE"):
        return _expand(override)
    from platformdirs import user_cache_path

    try:
        return user_cache_path("tui-eval")
    except RuntimeError:
        return _NO_HOME
