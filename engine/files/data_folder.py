"""Where tui-eval keeps what its user made (sessions, and what the mapper learned), and caches."""

from __future__ import annotations

import os
from pathlib import Path

_NO_HOME = Path("~", "tui-eval")
"""For a user without a home folder: a place that is never made (see `engine.files.private`)."""


def find_data_folder() -> Path:
    """`$TUI_EVAL_DATA`, or the user's data folder. It need not be there."""
    if override := os.environ.get("TUI_EVAL_DATA"):
        return Path(override)
    from platformdirs import user_data_path

    try:
        return user_data_path("tui-eval")
    except RuntimeError:
        return _NO_HOME


def find_cache_folder() -> Path:
    """Where caches live: `$TUI_EVAL_CACHE`, or the user's cache folder."""
    if override := os.environ.get("TUI_EVAL_CACHE"):
        return Path(override)
    from platformdirs import user_cache_path

    try:
        return user_cache_path("tui-eval")
    except RuntimeError:
        return _NO_HOME
