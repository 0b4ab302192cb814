"""What Inspect hands over: a clip to a player or the clipboard, a query to a file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from tui.look.safe import safe

if TYPE_CHECKING:
    from engine.media import ClipMedia
    from tui.inspect.screen import InspectScreen


class Files:
    """Commands about the clip under the cursor, and about the query."""

    def __init__(self, screen: InspectScreen) -> None:
        self._screen = screen

    def copy(self) -> None:
        """The clip's id and the path of its media, through the terminal."""
        clip = self._screen.results.clip
        if clip is not None:
            paths = self._media(clip).paths
            self._screen.app.copy_to_clipboard(f"{clip}\t{paths[0] if paths else ''}")
            said = "Copied the clip's id and path. w writes to a file."
            self._say(self._screen.host.nouns.spell(said))

    def open_clip(self) -> None:
        """In an external player, or its path to read."""
        from tui.frames.players import open_externally

        clip = self._screen.results.clip
        if clip is None:
            return
        media = self._media(clip)
        if media.paths:
            self._say(open_externally(media.paths[0], os.environ), timeout=10)
        else:
            self._screen.host.warn(media.problem)

    def write(self) -> None:
        """What is shown as JSON, in the shape of `tui-eval search --json`."""
        from engine.base.json_text import as_json
        from engine.report.search.document import search_document
        from tui.work.files import file_name, write_new

        inspected = self._screen.inspected
        if inspected is None:
            return
        found, language = inspected.inspection, self._screen.host.services.language
        document = search_document(found, found.collection, language, inspected.standing)
        name = file_name(f"search-{found.query[:40]}-{found.question.model}")
        wanted = Path.cwd() / f"{name}.json"
        host = self._screen.host
        host.attempt(lambda: self._say(f"Wrote {write_new(wanted, as_json(document))}"))

    def _media(self, clip: str) -> ClipMedia:
        from engine.media import media_of

        return media_of(self._screen.host.services.dataset.annotations, clip)

    def _say(self, text: str, timeout: float | None = None) -> None:
        self._screen.notify(safe(text), markup=False, timeout=timeout)
