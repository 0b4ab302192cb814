"""How a shell asks for completions: by a variable in the environment, in the way of Typer's scripts
(`tui-eval --show-completion`).

Somebody is typing: whatever goes wrong is no word on their line. There is an answer in time, or
none.
"""

from __future__ import annotations

import contextlib
import io
import os
import signal
from collections.abc import Mapping, Sequence

from tui.cli.completion.words import is_harmless, split_line

COMPLETE_VARIABLE = "_TUI_EVAL_COMPLETE"
_PATIENCE = 5.0
"""Seconds after which nothing is answered."""
_WIDE = "1000"
"""Columns: the help beside an option stays on its line, or fish would offer the rest of it."""


def is_asked() -> bool:
    return bool(os.environ.get(COMPLETE_VARIABLE))


def answer() -> int:
    """Write the completions of the line that the environment holds; returns the exit code."""
    nothing = int(os.environ.get(COMPLETE_VARIABLE) == "complete_fish")  # which then offers files
    signal.signal(signal.SIGALRM, lambda *_: os._exit(nothing))
    signal.setitimer(signal.ITIMER_REAL, _PATIENCE)
    os.environ |= {"COLUMNS": _WIDE, "TERMINAL_WIDTH": _WIDE}
    found, code = io.StringIO(), 0
    try:
        with contextlib.redirect_stdout(found), contextlib.redirect_stderr(io.StringIO()):
            _ask_typer(split_line(os.environ))
    except SystemExit as error:  # to fish it is an answer
        code = error.code if isinstance(error.code, int) else 0
    except BaseException:
        return nothing
    told = _quote(found.getvalue(), os.environ)
    if told.strip():
        from tui.cli.shared.console import write_out

        with contextlib.suppress(Exception):
            write_out(told)
    return code


def _ask_typer(words: Sequence[str]) -> None:
    from typer.main import get_command

    from tui.cli.app import load_named_command

    command = get_command(load_named_command(words[:-1]))  # the last is still typed
    command.main([], prog_name="tui-eval", complete_var=COMPLETE_VARIABLE, standalone_mode=False)


def _quote(answer: str, variables: Mapping[str, str]) -> str:
    """What a shell is told. Bash takes a completion as it is typed: blanks are to be quoted, unless
    the word begins with a quote.

    >>> print(_quote("left lane\\nx$(y)", {COMPLETE_VARIABLE: "complete_bash"}))
    left\\ lane
    """
    if variables.get(COMPLETE_VARIABLE) != "complete_bash":
        return answer
    words = variables.get("COMP_WORDS", "").split("\n")
    place = variables.get("COMP_CWORD", "")
    word = words[int(place)] if place.isdecimal() and int(place) < len(words) else ""
    lines = [line for line in answer.split("\n") if is_harmless(line)]
    quoted = lines if word.startswith(("'", '"')) else [one.replace(" ", "\\ ") for one in lines]
    return "\n".join(quoted)
