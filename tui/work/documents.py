"""Writing a result into a folder, never over a file that is there."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from engine.base.errors import InputError
from tui.work.lanes import FailureHook, LaneGroup, Ticket

if TYPE_CHECKING:
    from engine.keywords.clip_ranks import ClipRanks
    from engine.keywords.inspection import Inspection
    from engine.sessions import SessionStore, SessionSummary
    from tui.work.bench import Bench


def make_file_name(text: str) -> str:
    """A text as the name of a file, without what a shell or a file system would misread.

    >>> make_file_name("session-sample 2026-11-16 04:30")
    'session-sample-2026-11-16-04-30'
    """
    name = re.sub(r"[^\w.+-]+", "-", text).strip("-.")
    return name.encode()[:100].decode(errors="ignore") or "unnamed"


def find_current_folder() -> Path:
    """The folder that tui-eval was started in, where what it writes goes; it may be gone since."""
    try:
        return Path.cwd()
    except OSError:
        hint = "leave, and start tui-eval again in a folder that is there: saved work is kept"
        raise InputError("the current folder is gone: no file written", hint=hint) from None


def write_new(wanted: Path, text: str) -> Path:
    """Write the text to the file that is wanted, or, if it exists, to the first free name beside
    it; say which one it became.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> [write_new(folder / "run.json", "{}").name for _ in range(2)]
    ['run.json', 'run-2.json']
    """
    from engine.files.atomic import make_whole

    whole = text if text.endswith("\n") else text + "\n"
    for number in count(1):
        tail = "" if number == 1 else f"-{number}"
        path = wanted.with_name(f"{wanted.stem}{tail}{wanted.suffix}")
        if not os.path.lexists(path) and make_whole(whole, path):
            return path
    raise AssertionError


class Documents:
    """Writes what is asked for, one after the other, never over a file that is there."""

    def __init__(self, bench: Bench, lanes: LaneGroup) -> None:
        self._bench = bench
        self._writing = lanes.writing

    def write_search(
        self,
        found: Inspection,
        standing: ClipRanks | None,
        done: Callable[[Path], None],
        failed: FailureHook,
    ) -> None:
        """An answer as JSON, in the shape of `tui-eval search --json`."""

        def work(_: Ticket[Path]) -> Path:
            from engine.base.json_text import as_json
            from engine.keywords.inputs import collect_inputs
            from engine.report.search.document import build_search_document

            bench, own = self._bench.work, found.collection
            others = [bench.collection(standing.model)] if standing else []
            inputs = collect_inputs(bench, [own, *others], texts=found.question.text is not None)
            document = build_search_document(found, own, self._bench.language, standing, inputs)
            name = make_file_name(f"search-{found.query[:40]}-{found.question.model}")
            return write_new(find_current_folder() / f"{name}.json", as_json(document))

        self._writing.add(work, done, failed)

    def write_session(
        self,
        store: SessionStore,
        which: SessionSummary,
        done: Callable[[tuple[Path, Path]], None],
        failed: FailureHook,
    ) -> None:
        """A session as JSON, and as a text to read."""

        def work(_: Ticket[tuple[Path, Path]]) -> tuple[Path, Path]:
            from engine.base.json_text import as_json
            from engine.report.session.document import build_session_document
            from engine.report.session.markdown import format_session_markdown

            stem = find_current_folder() / make_file_name(f"session-{which.name}")
            session = store.open(which.id)
            data = as_json(build_session_document(session))
            text = format_session_markdown(session)
            try:
                return write_new(Path(f"{stem}.json"), data), write_new(Path(f"{stem}.md"), text)
            except InputError as error:  # nobody can name another file on the screen
                hint = _suggest_exporting(store, which.id)
                raise InputError(error.message, error.place, hint=hint) from error

        self._writing.add(work, done, failed)


def _suggest_exporting(store: SessionStore, session_id: int) -> str:
    """How a session gets to another folder than the current one."""
    from tui.opening.stores import format_store_option

    if store.unsaved is not None:  # no other program sees it
        return "all of it is written to a private file when you leave"
    option = format_store_option(store.path)
    return f"write it elsewhere: tui-eval sessions export {session_id} {option}--out FILE"
