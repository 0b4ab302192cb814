"""Exit codes: how a command ends. Nothing here exits; a gate's document states its own."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Every exit code there is."""

    FINE = 0
    GATE_FAILED = 1
    BAD_INPUT = 2
    GATE_UNDERPOWERED = 3
    INTERRUPTED = 130
