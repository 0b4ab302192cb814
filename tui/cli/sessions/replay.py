"""`tui-eval sessions replay`: the questions of a session, asked again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from engine.base.errors import InputError, Place
from engine.base.json_text import as_json
from tui.cli.sessions.stores import StoreOptions, read_json
from tui.cli.shared.console import open_workbench, telling_what_takes_long
from tui.cli.shared.dataset_options import SingleFiles
from tui.cli.shared.groups import argument, option, takes_groups
from tui.cli.shared.output import ListOutput
from tui.opening.source import open_source

if TYPE_CHECKING:
    from engine.dataset.dataset import Dataset
    from engine.files.input_file import InputFile
    from engine.sessions.records import SessionContent


@takes_groups
def replay_session(
    *,
    session: str = argument("FILE_OR_SESSION", "An exported session (JSON), or a saved one."),
    dataset: str | None = option(
        "Ask this dataset instead of the one the session came from.", short="-d"
    ),
    output: ListOutput,
    store: StoreOptions,
    files: SingleFiles,
) -> None:
    """Ask all questions of a session again and say what changed.

    The exit code is 0 also if something changed: the last line says it.

    Examples:
    tui-eval sessions replay session.json
    tui-eval sessions replay latest --dataset ./my-dataset --json
    """
    from engine.keywords.inputs import collect_inputs
    from engine.report.session.document import build_replay_document
    from engine.sessions.build_answer import replay_on_workbench
    from tui.cli.sessions.view import replay_view

    saved, read_from = _saved(session, store)
    named = dataset or (str(files.annotations) if files.annotations else None)
    opened = _dataset_of(saved) if named is None else files.open(dataset)
    source = named or saved.dataset_source
    output.check((Path(session), *opened.files))
    with telling_what_takes_long("asking again"), open_workbench(opened) as bench:
        found = replay_on_workbench(bench, saved)
        texts = any(one.question.mode == "text" for one in found.questions)
        inputs = collect_inputs(bench, bench.opened, texts=texts)
    output.write(
        {
            "table": lambda: replay_view(found, saved.name, source),
            "json": lambda: as_json(
                build_replay_document(
                    found, session=saved.name, dataset=source, inputs={**inputs, **read_from}
                )
            ),
        }
    )


def _saved(text: str, store: StoreOptions) -> tuple[SessionContent, Mapping[str, InputFile]]:
    """The session of an exported file, and that file; or the session of the store."""
    from engine.files.input_file import reading_inputs
    from engine.report.session.document import build_session_document
    from engine.sessions.document import read_document

    file = Path(text)
    if file.suffix.lower() == ".json" or (not text.isdecimal() and file.is_file()):
        with reading_inputs(file) as read:
            found = read_document(read_json(file), Place(file))
        return found, read.named({"session": file})
    with store.open() as opened:
        document = build_session_document(opened.find(text))
        return read_document(document, Place(opened.path)), {}


def _dataset_of(saved: SessionContent) -> Dataset:
    """The dataset that a session came from."""
    try:
        return open_source(saved.dataset_source)
    except InputError as error:
        hint = f"{error.hint}; or name the dataset with --dataset".removeprefix("; ")
        raise InputError(error.message, error.place, hint=hint) from error
