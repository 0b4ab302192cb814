"""The Typer app: which commands there are, and how errors end."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import typer
from typer.exceptions import TyperException
from typer.main import get_command

from engine.base.errors import ExitCode, InputError
from tui.cli import inspect as inspect_command
from tui.cli import keys as keys_command
from tui.cli import map as map_command
from tui.cli import report as report_command
from tui.cli import run as run_command
from tui.cli import score as score_command
from tui.cli import summary as summary_command
from tui.cli import validate as validate_command
from tui.cli.compare import command as compare_command
from tui.cli.gate import command as gate_command
from tui.cli.labels import command as labels_command
from tui.cli.moments import command as moments_command
from tui.cli.search import command as search_command
from tui.cli.sessions import command as sessions_command
from tui.cli.shared.dataset_options import DATASET
from tui.cli.shared.groups import make_app, option, takes_groups
from tui.cli.shared.look_options import RESUME, SESSION, LookOptions
from tui.cli.shared.start import exit_in_words, has_terminal, open_inspector
from tui.opening.source import open_from_options

app = make_app(
    name="tui-eval",
    help="Evaluate embedding retrieval: text-to-video and video-to-video search over clips with "
    "keyword ground truth.",
    epilog="On a terminal, `tui-eval` without a command opens the inspector on the sample dataset "
    "that comes with it; elsewhere it prints a summary.",
    no_args_is_help=False,
    pretty_exceptions_enable=False,
)
_INSPECTOR = "The inspector"
_HEADLESS = "For scripts and pipes"
app.command("inspect", rich_help_panel=_INSPECTOR)(inspect_command.inspect)
app.add_typer(sessions_command.app, name="sessions", rich_help_panel=_INSPECTOR)
app.command("keys", rich_help_panel=_INSPECTOR)(keys_command.keys)
app.command("run", rich_help_panel=_HEADLESS)(run_command.run)
app.command("gate", rich_help_panel=_HEADLESS)(gate_command.gate)
app.command("report", rich_help_panel=_HEADLESS)(report_command.report)
app.command("score", rich_help_panel=_HEADLESS)(score_command.score)
app.command("labels", rich_help_panel=_HEADLESS)(labels_command.labels)
app.add_typer(moments_command.app, name="moments", rich_help_panel=_HEADLESS)
app.command("search", rich_help_panel=_HEADLESS)(search_command.search)
app.command("compare", rich_help_panel=_HEADLESS)(compare_command.compare)
app.command("map", rich_help_panel=_HEADLESS)(map_command.map_text)
app.command("validate", rich_help_panel=_HEADLESS)(validate_command.validate)
app.command("summary", rich_help_panel=_HEADLESS)(summary_command.summary)


def _show_version(asked: bool) -> None:
    if asked:
        from engine.files.envelope import find_tool_version

        typer.echo(f"tui-eval {find_tool_version()}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
@takes_groups
def start(
    *,
    context: typer.Context,
    dataset: str | None = DATASET(),
    resume: bool = RESUME(False),
    session: str | None = SESSION(),
    looks: LookOptions,
    version: bool = option("Show the version.", False, callback=_show_version, is_eager=True),
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
    summary_command.summarise(dataset)


def run_command_line(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code; bad input becomes one line on stderr."""
    return exit_in_words(lambda: _run(list(arguments)))


def _run(arguments: list[str]) -> int:
    if arguments[:1] == ["open"]:  # what was once a command of its own
        raise InputError(
            "there is no command open",
            hint="write tui-eval labels … --inspect or tui-eval moments … --inspect",
        )
    try:
        result = get_command(app).main(arguments, prog_name="tui-eval", standalone_mode=False)
    except TyperException as error:
        command = getattr(getattr(error, "ctx", None), "command_path", "tui-eval")
        raise InputError(f"{error.format_message()} Try '{command} --help'.") from error
    except typer.Abort:
        return ExitCode.INTERRUPTED
    except SystemExit as error:
        # Typer's way to end when the reader of a help page went away.
        return 0 if "Pacify" in type(sys.stdout).__name__ else int(error.code or 0)
    return result if isinstance(result, int) else 0
