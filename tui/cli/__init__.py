"""The command line: one file per command; the engine is imported when a command runs."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Entry point of `tui-eval`. Exit codes: 0 fine, 1 a gate failed, 2 bad input."""
    from tui.cli.app import run_command_line

    code = 130
    try:
        code = run_command_line(sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)  # noqa: T201
    except BrokenPipeError:
        # The reader went away (`| head`); what it read was complete.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code)
