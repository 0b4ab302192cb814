"""The command line: one file per command; the engine is imported when a command runs."""

from __future__ import annotations

import contextlib
import os
import sys
import warnings

_SIGNS = "tui-eval signs"


def main() -> None:
    """Entry point of `tui-eval`; `ExitCode` lists how it ends."""
    if "_TUI_EVAL_COMPLETE" in os.environ:
        from tui.cli.completion.protocol import answer, is_asked

        if is_asked():
            _leave(answer())
    from tui.cli.shared.guard import continue_in_child, leave_when_interrupted
    from tui.cli.shared.terminal import may_open_inspector

    if may_open_inspector(sys.argv[1:]):
        leave_when_interrupted()
    else:
        continue_in_child()
    from engine.base.errors import ExitCode

    _survive_odd_streams()
    _survive_odd_widths()
    _guard_terminal()
    _keep_quiet()
    code: int = ExitCode.INTERRUPTED
    with contextlib.suppress(KeyboardInterrupt):
        code = _run(sys.argv[1:])
    if code == ExitCode.INTERRUPTED:
        from tui.cli.shared.console import say

        say("interrupted")
    _leave(code)


def _leave(code: int) -> None:
    """End the process without tearing it down: a thread inside native code (Arrow's, FAISS's or one
    of our own) would crash it now and then. All files are closed by now."""
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.flush()
    os._exit(code)


def _run(arguments: list[str]) -> int:
    """Run a command line. The inspector's usual starts do without Typer, which takes as long to
    import as Textual does."""
    from tui.cli.shared.start import open_inspector, run_to_exit_code
    from tui.cli.shared.terminal import has_terminal

    if arguments in ([], ["--resume"]) and has_terminal():
        from tui.opening.looks import Looks

        return run_to_exit_code(lambda: open_inspector(Looks(), resume=bool(arguments)))
    from tui.cli.app import run_command_line

    return run_command_line(arguments)


def _survive_odd_streams() -> None:
    """Where stdout is closed, what is written there is refused, and not lost without a word; what
    would go to a closed stderr, nobody wants. A sign that an encoding lacks is drawn in ASCII."""
    import codecs

    from tui.look.ascii_signs import replace_unencodable

    codecs.register_error(_SIGNS, replace_unencodable)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            how = os.O_RDONLY if name == "stdout" else os.O_WRONLY
            setattr(sys, name, open(os.open(os.devnull, how), "w", encoding="utf-8"))  # noqa: PTH123, SIM115
        else:
            stream.reconfigure(errors=_SIGNS)


_WIDEST = 1000
"""Columns; a line is filled up with spaces, and Rich would fill gigabytes."""


def _survive_odd_widths() -> None:
    """Typer and Rich believe what they are told of a terminal."""
    for name in ("COLUMNS", "LINES", "TERMINAL_WIDTH"):
        said = os.environ.get(name, "")
        if not (said.isascii() and said.isdecimal() and said.strip("0")):
            os.environ.pop(name, None)
        elif len(said) > 4 or int(said) > _WIDEST:
            os.environ[name] = str(_WIDEST)


def _guard_terminal() -> None:
    """Nothing reaches a terminal but through the gate, whatever a library prints."""
    from tui.cli.shared.gate import guard_streams

    guard_streams()


def _keep_quiet() -> None:
    """What libraries remark about numbers is no message to the user: one error is one line."""
    if not os.environ.get("TUI_EVAL_DEBUG"):
        warnings.simplefilter("ignore", RuntimeWarning)
