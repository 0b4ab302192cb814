"""`tui-eval sessions`: the saved sessions, listed, shown, handed over and asked again."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from engine.base.errors import InputError, Place
from engine.base.json_text import as_json
from engine.base.messages import pluralise
from engine.files.envelope import enclose
from tui.cli.completion.values import complete_sessions
from tui.cli.sessions.stores import SESSION_ARGUMENT, StoreOptions, read_document_file
from tui.cli.shared.console import open_workbench, say, show_spinner, write_out
from tui.cli.shared.dataset_options import SingleFiles, dataset_option
from tui.cli.shared.groups import DefaultCommand, argument, make_app, option, takes_groups
from tui.cli.shared.output import STDOUT, ListOutput, Output, check_outputs, written
from tui.look.safe import escape
from tui.opening.source import open_source

if TYPE_CHECKING:
    from engine.dataset.dataset import Dataset
    from engine.files.input_file import InputFile
    from engine.sessions import SessionSummary
    from engine.sessions.records import SessionContent

_HELP = """Saved sessions: what was asked and judged in the inspector.

Alone, it lists them.

Examples:
tui-eval sessions
tui-eval sessions show latest
tui-eval sessions export latest --out session.json
"""

app = make_app(cls=DefaultCommand, invoke_without_command=True, help=_HELP)


@dataclass(frozen=True)
class ExportOutput(Output):
    format: Literal["json", "markdown"] | None = written(
        "Default: json, or what the name of --out says.", short="-f"
    )


@app.callback()
@app.command("list")
@takes_groups
def list_sessions(*, output: ListOutput, store: StoreOptions) -> None:
    """List the saved sessions, the last used first.

    Examples:
    tui-eval sessions list
    tui-eval sessions list --json
    """
    from tui.cli.sessions.view import build_session_list

    output.check()
    summaries: list[SessionSummary] = []
    if store.is_there():  # only looking makes no file
        with store.read() as opened:
            summaries = opened.summaries()
    listed = enclose("sessions", {"sessions": list(map(_listed, summaries))})
    output.write(
        {
            "table": lambda: build_session_list(summaries, store.path),
            "json": lambda: as_json(listed),
        }
    )


@app.command("show")
@takes_groups
def show_session(
    *, session: str = SESSION_ARGUMENT(), output: ListOutput, store: StoreOptions
) -> None:
    """Show what was asked and judged in a session.

    Examples:
    tui-eval sessions show latest
    tui-eval sessions show 3 --json
    """
    from engine.report.session.document import build_session_document
    from tui.cli.sessions.view import build_session_view

    output.check()
    with store.read() as opened:
        found = opened.find(session)
        output.write(
            {
                "table": lambda: build_session_view(found),
                "json": lambda: as_json(build_session_document(found)),
            }
        )


@app.command("export")
@takes_groups
def export_session(
    *, session: str = SESSION_ARGUMENT(), output: ExportOutput, store: StoreOptions
) -> None:
    """Write a session as JSON, to be imported or replayed, or as Markdown, to be read.

    Examples:
    tui-eval sessions export latest --out findings.md
    tui-eval sessions export 3 --out session.json
    """
    from engine.report.session.document import build_session_document
    from engine.report.session.markdown import format_session_markdown

    output.check()
    with store.read() as opened:
        found = opened.find(session)
        output.write(
            {
                "json": lambda: as_json(build_session_document(found)),
                "markdown": lambda: format_session_markdown(found),
            }
        )


@app.command("import")
@takes_groups
def import_session(
    *,
    file: Path = argument("FILE", "An exported session (JSON)."),
    store: StoreOptions,
) -> None:
    """Make a new session of an exported one.

    Examples:
    tui-eval sessions import session.json
    """
    document = read_document_file(file)
    with store.open(make=True) as opened:
        made = opened.import_document(document, Place(file))
        asked = pluralise(len(made.answers()), "question")
        judged = pluralise(len(made.all_judgements()), "judgement")
        write_out(escape(f"imported as session {made.id}: {made.name} ({asked}, {judged})"))


@app.command("delete")
@takes_groups
def delete_session(
    *,
    session: str = SESSION_ARGUMENT(),
    yes: bool = option("Delete without asking.", False, short="-y"),
    store: StoreOptions,
) -> None:
    """Delete a session for good; asks first.

    Examples:
    tui-eval sessions delete 3
    tui-eval sessions delete "sample 2026-11-16 04:30" --yes
    """
    with store.open() as opened:
        found = opened.find(session)
        name = escape(f"session {found.id}, {found.name}")
        if not yes and not _agreed(name, len(found.all_judgements())):
            say("nothing was deleted")
            return
        opened.delete(found.id)
    say(f"deleted {name}")


@app.command("repair")
@takes_groups
def repair_session_store(
    *,
    out: Path | None = written(
        "Write the new store here, and leave the damaged one as it is.", short="-o"
    ),
    store: StoreOptions,
) -> None:
    """Save what can be read of a damaged store into a new one, and keep the damaged file.

    The new store takes the place of the old one, which gets another name; a sound store is left as
    it is. Close the inspector first.

    Examples:
    tui-eval sessions repair
    tui-eval sessions repair --store sessions.db --out saved.db
    """
    from engine.sessions.repair import repair_store
    from tui.cli.sessions.view import describe_repair

    if out == STDOUT:
        raise InputError("a store cannot be printed", hint="name a new file with --out")
    check_outputs(*filter(None, [out]))
    for line in describe_repair(repair_store(store.path, out), out):
        write_out(escape(line))


@app.command("replay")
@takes_groups
def replay_session(
    *,
    session: str = argument(
        "FILE_OR_SESSION",
        "An exported session (JSON), or a saved one.",
        autocompletion=complete_sessions,
    ),
    dataset: str | None = dataset_option(
        "Ask this dataset instead of the one that the session came from."
    ),
    output: ListOutput,
    store: StoreOptions,
    files: SingleFiles,
) -> None:
    """Ask all questions of a session again and say what changed.

    The exit code is 0 even if something changed: the last line says so.

    Examples:
    tui-eval sessions replay session.json
    tui-eval sessions replay latest --dataset ./my-dataset --json
    """
    from engine.keywords.inputs import collect_inputs
    from engine.report.session.document import build_replay_document
    from engine.sessions.build_answer import replay_on_workbench
    from tui.cli.sessions.view import build_replay_view

    saved, read_from = _saved(session, store)
    named = dataset or (str(files.annotations) if files.annotations else None)
    opened = _dataset_of(saved) if named is None else files.open(dataset)
    source = named or saved.dataset_source
    output.check()
    with show_spinner("asking again"), open_workbench(opened) as bench:
        found = replay_on_workbench(bench, saved)
        texts = any(one.question.text is not None for one in found.questions)
        inputs = collect_inputs(bench, bench.opened, texts=texts)
    output.write(
        {
            "table": lambda: build_replay_view(found, saved.name, source),
            "json": lambda: as_json(
                build_replay_document(
                    found, session=saved.name, dataset=source, inputs={**inputs, **read_from}
                )
            ),
        }
    )


def _listed(summary: SessionSummary) -> dict[str, Any]:
    from dataclasses import asdict

    from engine.sessions.document import format_time

    times = {"created": format_time(summary.created), "updated": format_time(summary.updated)}
    return {**asdict(summary), **times}


def _agreed(name: str, judgements: int) -> bool:
    if not sys.stdin.isatty():
        raise InputError(f"{name} is deleted only if you confirm it", hint="add --yes")
    return typer.confirm(f"Delete {name}, with {pluralise(judgements, 'judgement')}?", err=True)


def _saved(text: str, store: StoreOptions) -> tuple[SessionContent, Mapping[str, InputFile]]:
    """The session of an exported file, and that file; or the session of the store."""
    from engine.files.input_file import reading_inputs
    from engine.report.session.document import build_session_document
    from engine.sessions.document import read_document

    file = Path(text)
    if file.suffix.lower() == ".json" or (not text.isdecimal() and file.is_file()):
        with reading_inputs(file) as read:
            found = read_document(read_document_file(file), Place(file))
        return found, read.named({"session": file})
    with store.read() as opened:
        document = build_session_document(opened.find(text))
        return read_document(document, Place(opened.path)), {}


def _dataset_of(saved: SessionContent) -> Dataset:
    """The dataset that a session came from."""
    try:
        return open_source(saved.dataset_source)
    except InputError as error:
        hint = f"{error.hint}; or name the dataset with --dataset".removeprefix("; ")
        raise InputError(error.message, error.place, hint=hint) from error
