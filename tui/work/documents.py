"""What is written to files in the current folder: made and written in the background."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from engine.sessions import SessionStore, Summary
from tui.work.files import file_name, write_new
from tui.work.lanes import Failed, Lanes, Ticket

if TYPE_CHECKING:
    from engine.keywords.inspection import Inspection
    from engine.keywords.workbench import Standing
    from tui.work.bench import Bench


class Documents:
    """Writes what is asked for, one after the other, never over a file that is there."""

    def __init__(self, bench: Bench, lanes: Lanes) -> None:
        self._bench = bench
        self._writing = lanes.lane("write")

    def write_search(
        self,
        found: Inspection,
        standing: Standing | None,
        done: Callable[[Path], None],
        failed: Failed,
    ) -> None:
        """An answer as JSON, in the shape of `tui-eval search --json`."""
        folder = Path.cwd()

        def work(_: Ticket[Path]) -> Path:
            from engine.base.json_text import as_json
            from engine.report.search.document import search_document

            document = search_document(found, found.collection, self._bench.language, standing)
            name = file_name(f"search-{found.query[:40]}-{found.question.model}")
            return write_new(folder / f"{name}.json", as_json(document))

        self._writing.add(work, done, failed)

    def write_session(
        self,
        store: SessionStore,
        which: Summary,
        done: Callable[[tuple[Path, Path]], None],
        failed: Failed,
    ) -> None:
        """A session as JSON, and as a text to read."""
        stem = Path.cwd() / file_name(f"session-{which.name}")

        def work(_: Ticket[tuple[Path, Path]]) -> tuple[Path, Path]:
            from engine.base.json_text import as_json
            from engine.report.session.document import session_document
            from engine.report.session.markdown import session_markdown

            session = store.open(which.id)
            data = write_new(Path(f"{stem}.json"), as_json(session_document(session)))
            return data, write_new(Path(f"{stem}.md"), session_markdown(session))

        self._writing.add(work, done, failed)

    def settle(self) -> None:
        """Wait until what is asked for is written."""
        self._writing.settle()
