"""Whether the inspector can be shown here."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from itertools import takewhile


def has_terminal() -> bool:
    """Whether there is a terminal that can show screens and a keyboard."""
    return _is_all_terminal() and not is_dumb()


def is_dumb() -> bool:
    """Whether there is a terminal that says of itself that it shows lines alone."""
    return _is_all_terminal() and os.environ.get("TERM", "") == "dumb"


def _is_all_terminal() -> bool:
    # Textual draws on stderr.
    streams = (sys.stdin, sys.stdout, sys.stderr)
    return all(stream is not None and stream.isatty() for stream in streams)


INSPECTING = frozenset(("run", "search", "compare", "labels", "moments"))
"""Commands that know --inspect."""

_INSPECT = re.compile(r"--inspect|-q*i[iq]*([dfgkmov].*)?", re.DOTALL)
"""It, or its letter: alone, beside the other flag that has one, or before a letter that takes the
rest as its value. A value is none of them, be it -inf or that of -ofindings.md."""


def may_open_inspector(arguments: Sequence[str]) -> bool:
    """Whether a command line can lead to the inspector, rather than print and end.

    Without a command it does; --inspect, or -i, makes a command that prints show a screen.
    """
    named = bool(arguments) and not arguments[0].startswith("-") and arguments[0] != "inspect"
    return has_terminal() and (not named or asks_to_inspect(arguments))


def asks_to_inspect(arguments: Sequence[str]) -> bool:
    """Whether a command that knows it is given --inspect.

    >>> [asks_to_inspect(["run", one]) for one in ("--inspect", "-i", "-im", "-iofound.md")]
    [True, True, True, True]
    >>> [asks_to_inspect(["run", one]) for one in ("-ofindings.md", "-mmini", "-inf", "clips-i")]
    [False, False, False, False]
    >>> asks_to_inspect(["gate", "-i"]), asks_to_inspect(["search", "--", "-i"])
    (False, False)
    """
    command, *rest = arguments
    options = takewhile(lambda one: one != "--", rest)
    return command in INSPECTING and any(map(_INSPECT.fullmatch, options))
