"""`tui-eval sessions`: the saved sessions, listed, shown, handed over and asked again."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from engine.errors import InputError, Place
from tui.cli import dataset_options as d
from tui.cli import opening
from tui.cli.console import (
    as_json,
    check_writable,
    emit,
    say,
    show,
    tell_that_the_encoder_starts,
    telling_what_takes_long,
    write_out,
)
from tui.safe import safe
from tui.words import counted

if TYPE_CHECKING:
    from engine.dataset import Dataset
    from engine.sessions import Session, SessionStore, Summary
    from engine.sessions.replay import Replay
    from engine.sessions.values import Saved

LIST_SCHEMA = "tui-eval/sessions@1"

app = typer.Typer(
    help="Saved sessions: what was asked and judged in the inspector.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)

SessionArgument = Annotated[
    str,
    typer.Argument(
        metavar="SESSION", help='Its number, its name or the beginning of it, or "latest".'
    ),
]
StoreOption = Annotated[
    Path | None,
    typer.Option(
        "--store",
        help="File of the sessions. Default: sessions.db in $TUI_EVAL_DATA, else in your data "
        "folder.",
        show_default=False,
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="As JSON.")]
ExportFormat = Literal["json", "markdown"]


@app.command("list")
def list_sessions(json: JsonOption = False, store: StoreOption = None) -> None:
    """List the saved sessions, the last used first.

    [bold]Examples[/bold]

    tui-eval sessions list

    tui-eval sessions list --json
    """
    from tui.cli.sessions_view import list_view

    path = _path(store)
    summaries: list[Summary] = []
    if path.exists():  # only looking makes no file
        with _open(store) as opened:
            summaries = opened.summaries()
    elif store is not None:
        raise _no_store(path)
    if json:
        write_out(as_json({"schema": LIST_SCHEMA, "sessions": list(map(_listed, summaries))}))
    else:
        show(*list_view(summaries, path))


@app.command("show")
def show_session(
    session: SessionArgument, json: JsonOption = False, store: StoreOption = None
) -> None:
    """Show what was asked and judged in a session.

    [bold]Examples[/bold]

    tui-eval sessions show latest

    tui-eval sessions show 3 --json
    """
    from engine.report.session import session_document
    from tui.cli.sessions_view import session_view

    with _open(store) as opened:
        found = opened.find(session)
        if json:
            write_out(as_json(session_document(found)))
        else:
            show(*session_view(found))


@app.command("export")
def export_session(
    session: SessionArgument,
    format: Annotated[
        ExportFormat | None,
        typer.Option(
            "--format", help="Default: json, or what the name of --out says.", show_default=False
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Write it here. Default: stdout.", show_default=False),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Short for --format json.")] = False,
    store: StoreOption = None,
) -> None:
    """Write a session as JSON, to be imported or replayed, or as Markdown, to be read.

    [bold]Examples[/bold]

    tui-eval sessions export latest --out findings.md

    tui-eval sessions export 3 --out session.json
    """
    from engine.report.session import session_document
    from engine.report.session_markdown import session_markdown

    shape = _export_format(format, json, out)
    check_writable(out, _path(store))
    with _open(store) as opened:
        found = opened.find(session)
        text = as_json(session_document(found)) if shape == "json" else session_markdown(found)
    emit(text, out)


@app.command("import")
def import_session(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="An exported session (JSON).")],
    store: StoreOption = None,
) -> None:
    """Make a new session of an exported one.

    [bold]Examples[/bold]

    tui-eval sessions import session.json
    """
    document = _read_json(file)
    with _open(store, make=True) as opened:
        made = opened.import_document(document, Place(file))
        asked = counted(len(made.answers()), "question")
        judged = counted(len(made.all_judgements()), "judgement")
        write_out(safe(f"imported as session {made.id}: {made.name} ({asked}, {judged})"))


@app.command("delete")
def delete_session(
    session: SessionArgument,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    store: StoreOption = None,
) -> None:
    """Delete a session for good; asks first.

    [bold]Examples[/bold]

    tui-eval sessions delete 3

    tui-eval sessions delete "sample 2026-11-16 04:30" --yes
    """
    with _open(store) as opened:
        found = opened.find(session)
        name = safe(f"session {found.id}, {found.name}")
        if not yes and not _agreed(name, len(found.all_judgements())):
            say("nothing was deleted")
            return
        opened.delete(found.id)
    say(f"deleted {name}")


@app.command("replay")
def replay_session(
    session: Annotated[
        str,
        typer.Argument(
            metavar="FILE_OR_SESSION", help="An exported session (JSON), or a saved one."
        ),
    ],
    dataset: Annotated[
        str | None,
        typer.Option(
            "--dataset",
            "-d",
            help="Ask this dataset instead of the one the session came from.",
            show_default=False,
        ),
    ] = None,
    json: JsonOption = False,
    store: StoreOption = None,
    annotations: d.AnnotationsOption = None,
    embeddings: d.EmbeddingsOption = None,
    ids: d.IdsOption = None,
    metric: d.MetricOption = None,
    encoder: d.EncoderOption = None,
    query_vectors: d.QueryVectorsOption = None,
    duplicates: d.DuplicatesOption = None,
) -> None:
    """Ask all questions of a session again and say what changed.

    The exit code is 0 also if something changed: the last line says it.

    [bold]Examples[/bold]

    tui-eval sessions replay session.json

    tui-eval sessions replay latest --dataset ./my-dataset --json
    """
    from engine.sessions.replay import replay_document
    from tui.cli.sessions_view import replay_view

    saved = _saved(session, store)
    source = dataset or (str(annotations) if annotations else saved.dataset_source)
    if dataset is None and annotations is None:
        opened = _dataset_of(saved)
    else:
        opened = opening.open_from_options(
            dataset, annotations, embeddings, ids, metric, encoder, query_vectors, duplicates
        )
    with telling_what_takes_long("asking again"):
        found = _ask_again(opened, saved)
    if json:
        write_out(as_json(replay_document(found, session=saved.name, dataset=source)))
    else:
        show(*replay_view(found, saved.name, source))


def _path(store: Path | None) -> Path:
    from engine.sessions import default_path

    return store or default_path()


def _open(store: Path | None, *, make: bool = False) -> SessionStore:
    """The store; one that was named must be there, unless something is to be put into it."""
    from engine.sessions import SessionStore

    path = _path(store)
    if store is not None and not make and not path.exists():
        raise _no_store(path)
    return SessionStore(path)


def _no_store(path: Path) -> InputError:
    return InputError("no such file", Place(path), hint="check --store")


def _listed(summary: Summary) -> dict[str, Any]:
    from dataclasses import asdict

    from engine.sessions.plain import moment_text

    times = {"created": moment_text(summary.created), "updated": moment_text(summary.updated)}
    return {**asdict(summary), **times}


def _export_format(asked: ExportFormat | None, json: bool, out: Path | None) -> ExportFormat:
    """The format that the options mean; the name of the file says it if they do not."""
    if json and asked == "markdown":
        raise InputError(f"--json and --format {asked} were given", hint="choose one of the two")
    if asked is not None or json or out is None:
        return asked or "json"
    return "markdown" if out.suffix.lower() in (".md", ".markdown") else "json"


def _read_json(file: Path) -> Any:
    from engine.textfile import parse_json, read_text

    return parse_json(read_text(file), Place(file))


def _agreed(name: str, judgements: int) -> bool:
    if not sys.stdin.isatty():
        raise InputError(f"{name} is not deleted without being asked", hint="add --yes")
    return typer.confirm(f"Delete {name}, with {counted(judgements, 'judgement')}?", err=True)


def _saved(text: str, store: Path | None) -> Saved:
    """The session of an exported file, or of the store."""
    from engine.report.session import session_document
    from engine.sessions.document import read_document

    file = Path(text)
    if file.suffix.lower() == ".json" or (not text.isdecimal() and file.is_file()):
        return read_document(_read_json(file), Place(file))
    with _open(store) as opened:
        found: Session = opened.find(text)
        return read_document(session_document(found), Place(opened.path))


def _dataset_of(saved: Saved) -> Dataset:
    """The dataset that a session came from."""
    try:
        return opening.open_source(saved.dataset_source)
    except InputError as error:
        hint = f"{error.hint}; or name the dataset with --dataset".removeprefix("; ")
        raise InputError(error.message, error.place, hint=hint) from error


def _ask_again(opened: Dataset, saved: Saved) -> Replay:
    from engine.encoder import SentenceEncoder
    from engine.sessions.asking import replay_on
    from engine.workbench import Workbench

    with (
        SentenceEncoder(on_start=tell_that_the_encoder_starts) as encoder,
        Workbench(opened, encoder) as bench,
    ):
        return replay_on(bench, saved)
