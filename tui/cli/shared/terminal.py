"""Whether the inspector can be shown here."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence


def has_terminal() -> bool:
    """Whether there is a terminal that can show screens and a keyboard."""
    # Textual draws on stderr.
    streams = (sys.stdin, sys.stdout, sys.stderr)
    ready = all(stream is not None and stream.isatty() for stream in streams)
    return ready and os.environ.get("TERM", "") != "dumb"


def may_open_inspector(arguments: Sequence[str]) -> bool:
    """Whether a command line can lead to the inspector, rather than print and end.

    Without a command it does; --inspect, or -i, makes a command that prints show a screen.
    """
    named = bool(arguments) and not arguments[0].startswith("-") and arguments[0] != "inspect"
    return has_terminal() and (not named or any(map(_asks_to_inspect, arguments)))


def _asks_to_inspect(argument: str) -> bool:
    """Also among other short options.

    >>> [_asks_to_inspect(one) for one in ("--inspect", "-i", "-qi", "--limit", "clips-i")]
    [True, True, True, False, False]
    """
    short = argument.startswith("-") and not argument.startswith("--")
    return argument == "--inspect" or (short and "i" in argument)
