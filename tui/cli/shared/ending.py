"""How a command ends: its exit code, and one line on stderr if something is wrong."""

from __future__ import annotations

import os
from collections.abc import Callable
from enum import IntEnum

from engine.base.errors import InputError


class ExitCode(IntEnum):
    """Every exit code. Those of a gate also stand in its document, which the engine makes."""

    FINE = 0
    GATE_FAILED = 1
    BAD_INPUT = 2
    GATE_UNDERPOWERED = 3
    INTERRUPTED = 130


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
    return ExitCode.BAD_INPUT
