"""The Typer app: which commands there are, and how errors end."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from importlib import import_module

import typer
from typer.exceptions import TyperException
from typer.main import get_command

from engine.base.errors import ExitCode, InputError
from tui.cli.shared.console import refuse_stdout, write_out
from tui.cli.shared.dataset_options import DATASET
from tui.cli.shared.groups import make_app, option, takes_groups
from tui.cli.shared.look_options import RESUME, SESSION, LookOptions
from tui.cli.shared.start import open_inspector, run_to_exit_code
from tui.cli.shared.terminal import has_terminal
from tui.opening.source import open_from_options

_INSPECTOR = "The inspector"
_HEADLESS = "For scripts and pipes"
_COMMANDS = {
    "inspect": (_INSPECTOR, "tui.cli.inspect:inspect"),
    "sessions": (_INSPECTOR, "tui.cli.sessions.command:app"),
    "keys": (_INSPECTOR, "tui.cli.keys:keys"),
    "config": (_INSPECTOR, "tui.cli.config.command:app"),
    "run": (_HEADLESS, "tui.cli.run:run"),
    "triage": (_HEADLESS, "tui.cli.triage.command:app"),
    "gate": (_HEADLESS, "tui.cli.gate.command:gate"),
    "report": (_HEADLESS, "tui.cli.report:report"),
    "score": (_HEADLESS, "tui.cli.score:score"),
    "labels": (_HEADLESS, "tui.cli.labels.command:labels"),
    "moments": (_HEADLESS, "tui.cli.moments.command:app"),
    "search": (_HEADLESS, "tui.cli.search.command:search"),
    "compare": (_HEADLESS, "tui.cli.compare.command:compare"),
    "map": (_HEADLESS, "tui.cli.map.command:app"),
    "pairs": (_HEADLESS, "tui.cli.pairs.command:pairs"),
    "validate": (_HEADLESS, "tui.cli.validate:validate"),
    "summary": (_HEADLESS, "tui.cli.summary:summary"),
}
"""Under which heading the help lists each command, and where it is: a command line imports the one
that it names."""


_HELP = """Evaluate embedding retrieval: text-to-video and video-to-video search over clips with
keyword ground truth.

Examples:
tui-eval
tui-eval --dataset ./my-dataset
tui-eval --resume
tui-eval search "person crossing the street"
"""


def load_commands(names: Iterable[str] = _COMMANDS) -> typer.Typer:
    """The Typer app with these commands."""
    app = make_app(
        name="tui-eval",
        help=_HELP,
        epilog="On a terminal, `tui-eval` without a command opens the inspector on the sample "
        "dataset that comes with it; elsewhere it prints a summary.",
        no_args_is_help=False,
        pretty_exceptions_enable=False,
    )
    app.callback(invoke_without_command=True)(start)
    for name in names:
        panel, place = _COMMANDS[name]
        module, _, attribute = place.partition(":")
        found = getattr(import_module(module), attribute)
        if isinstance(found, typer.Typer):
            app.add_typer(found, name=name, rich_help_panel=panel)
        else:
            app.command(name, rich_help_panel=panel)(found)
    return app


def load_named_command(arguments: Sequence[str]) -> typer.Typer:
    """The Typer app with the command that a line begins with; with all if it is none."""
    return load_commands([name for name in arguments[:1] if name in _COMMANDS] or _COMMANDS)


def _show_version(asked: bool) -> None:
    if asked:
        from engine.files.envelope import find_tool_version

        write_out(f"tui-eval {find_tool_version()}")
        raise typer.Exit


@takes_groups
def start(
    *,
    context: typer.Context,
    dataset: str | None = DATASET(),
    resume: bool = RESUME(False),
    session: str | None = SESSION(),
    looks: LookOptions,
    version: bool = option(
        "Show the version and exit.", False, callback=_show_version, is_eager=True
    ),
) -> None:
    command = context.invoked_subcommand
    if command is not None:
        if resume or looks != LookOptions() or dataset is not None or session is not None:
            raise InputError(
                f"options before {command} are those of the inspector",
                hint=f"write them after it: tui-eval {command} …",
            )
        return
    if has_terminal() or resume or session is not None:
        opened = None if dataset is None else open_from_options(dataset)
        raise typer.Exit(open_inspector(looks, opened, resume=resume, session=session))
    from tui.cli.summary import summarise

    summarise(dataset)


def run_command_line(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code; bad input becomes one line on stderr."""
    return run_to_exit_code(lambda: _run(list(arguments)))


def _run(arguments: list[str]) -> int:
    if arguments[:1] == ["open"]:  # what was once a command of its own
        raise InputError(
            "there is no command open",
            hint="write tui-eval labels … --inspect or tui-eval moments … --inspect",
        )
    try:
        result = get_command(load_named_command(arguments)).main(
            arguments, prog_name="tui-eval", standalone_mode=False
        )
    except TyperException as error:
        return _refuse(error, arguments)
    except InputError as error:
        if error.place.file is not None and _gives_qrels_to_quiet(arguments):
            raise InputError(error.message, error.place, hint=_Q_IS_QUIET) from error
        raise
    except typer.Abort as error:
        if isinstance(error.__cause__, EOFError):  # which Typer takes for Ctrl+D at a question
            raise error.__cause__ from None
        return ExitCode.INTERRUPTED
    except SystemExit as error:
        # Typer's and Rich's ways to end when the reader of a help page went away.
        has_left = isinstance(error.__context__, BrokenPipeError)
        return 0 if has_left else int(error.code or 0)
    except OSError as error:
        if error.filename is not None or error.errno not in _NO_ROOM:
            raise
        raise refuse_stdout(error) from error  # a help page, which Typer prints
    return result if isinstance(result, int) else 0


_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EBADF)


def _refuse(error: TyperException, arguments: list[str]) -> int:
    """Say in one line what is wrong with a command line; a group that was named alone has shown
    its help instead."""
    message = error.format_message().replace("Value error, ", "").removesuffix(".")
    if not message:
        return ExitCode.BAD_INPUT
    message, _, near = message.partition(_MEANT)
    near = f"did you mean {near} " if near else ""
    if (possible := getattr(error, "possibilities", None)) is not None:
        message, near = error.message, _suggest_option(message, possible)
    named = " ".join(["tui-eval", *(name for name in arguments[:1] if name in _COMMANDS)])
    command = getattr(getattr(error, "ctx", None), "command_path", named)
    if arguments[:1] == ["score"] and "-q" in arguments and message.startswith(_NOT_ASKED):
        raise InputError(message, hint=_Q_IS_QUIET) from error
    raise InputError(message, hint=f"{near}see {command} --help") from error


_MEANT = ". Did you mean "
"""How Typer goes on behind the name of a command."""


def _suggest_option(message: str, possible: Sequence[str]) -> str:
    """Of the options that Typer finds near, those that are so without the dashes, which make any
    two short names alike."""
    name = message.partition(": ")[2].partition(" ")[0].lstrip("-")
    bare = {one.lstrip("-"): one for one in possible}
    near = [bare[one] for one in get_close_matches(name, bare, cutoff=0.7)]
    return f"did you mean {' or '.join(near)}? " if near else ""


_NOT_ASKED = "Got unexpected extra argument"
_Q_IS_QUIET = "-q is --quiet: write --qrels FILE"


def _gives_qrels_to_quiet(arguments: Sequence[str]) -> bool:
    """Whether `compare` has a file behind -q, which once was short for --qrels. To a comparison it
    is one more system, so only what came of it can tell."""
    if arguments[:1] != ["compare"] or "-q" not in arguments or "--qrels" in arguments:
        return False
    behind = arguments[arguments.index("-q") + 1 :]
    return bool(behind) and os.path.isfile(behind[0])  # noqa: PTH113 (never raises)
