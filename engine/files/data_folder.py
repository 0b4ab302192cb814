"""Where tui-eval keeps what its user made: sessions, and what the mapper learned."""

from __future__ import annotations

import os
from pathlib import Path


def find_data_folder() -> Path:
    """`$TUI_EVAL_DATA`, or the user's data folder. It need not be there."""
    if override := os.environ.get("TUI_EVAL_DATA"):
        return Path(override)
    from platformdirs import user_data_path

    return user_data_path("tui-eval")
