"""How a command ends: exit code 0, or one line on stderr and 2."""

from __future__ import annotations

import os
from collections.abc import Callable

from engine.base.errors import InputError

BAD_INPUT = 2


def ending_well(command: Callable[[], int]) -> int:
    """The command's exit code; an error becomes one line, never a traceback."""
    try:
        return command()
    except InputError as error:
        return _fail(str(error))
    except Exception as error:
        if os.environ.get("TUI_EVAL_DEBUG"):
            raise
        reason = f"{type(error).__name__}: {error}"
        return _fail(f"unexpected {reason}; TUI_EVAL_DEBUG=1 shows where, please report it")


def _fail(message: str) -> int:
    from tui.cli.shared.console import say

    say(f"error: {' '.join(message.split())}")
    return BAD_INPUT
