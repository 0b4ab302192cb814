"""The command line: one file per command; the engine is imported when a command runs."""

from __future__ import annotations

import contextlib
import os
import sys
import warnings

_SIGNS = "tui-eval signs"


def main() -> None:
    """Entry point of `tui-eval`; `ExitCode` lists how it ends."""
    from tui.cli.shared.guard import continue_in_child, leave_when_interrupted
    from tui.cli.shared.terminal import may_open_inspector

    if may_open_inspector(sys.argv[1:]):
        leave_when_interrupted()
    else:
        continue_in_child()
    from engine.base.errors import ExitCode

    _survive_odd_streams()
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
    """A closed stream becomes /dev/null; a sign that an encoding lacks is drawn in ASCII."""
    import codecs

    from tui.look.ascii_signs import replace_unencodable

    codecs.register_error(_SIGNS, replace_unencodable)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
        else:
            stream.reconfigure(errors=_SIGNS)


def _guard_terminal() -> None:
    """Nothing reaches a terminal but through the gate, whatever a library prints."""
    from tui.cli.shared.gate import guard_streams

    guard_streams()


def _keep_quiet() -> None:
    """What libraries remark about numbers is no message to the user: one error is one line."""
    if not os.environ.get("TUI_EVAL_DEBUG"):
        warnings.simplefilter("ignore", RuntimeWarning)
