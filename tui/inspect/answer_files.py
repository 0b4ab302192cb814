"""What Inspect hands over: a clip to a player or the clipboard, an answer to a file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from engine.base.visible import spell_message
from tui.inspect.panes import AnswerPanes
from tui.keys.keymap import find_keymap

if TYPE_CHECKING:
    from tui.inspect.host import InspectHost


class AnswerFiles:
    """Commands about the clip under the cursor, and about the answer."""

    def __init__(self, panes: AnswerPanes, host: InspectHost) -> None:
        self._panes = panes
        self._host = host

    def copy(self) -> None:
        """The clip's id and the path of its media, through the terminal."""
        clip = self._panes.results.clip
        if clip is not None:
            paths = self._host.services.frames.media(clip).paths
            self._panes.results.app.copy_to_clipboard(f"{clip}\t{paths[0] if paths else ''}")
            said = "Copied the clip's id and path. {inspect.write} writes to a file."
            self._say(self._host.nouns.spell(find_keymap(self._host).spell(said)))

    def open_clip(self) -> None:
        """In an external player, or its path to read."""
        from tui.frames.players import open_externally

        clip = self._panes.results.clip
        if clip is None:
            return
        media = self._host.services.frames.media(clip)
        if media.paths:
            said = open_externally(media.paths[0], os.environ)
            self._say(*said.split("\n"), timeout=10)
        else:
            self._host.warn(media.problem)

    def write(self) -> None:
        """What is shown as JSON."""
        shown = self._panes.shown
        if shown is not None:
            self._host.services.documents.write_search(
                shown.inspection,
                shown.standing,
                lambda path: self._say(f"Wrote {path}"),
                self._host.show_error,
            )

    def _say(self, *lines: str, timeout: float | None = None) -> None:
        text = "\n".join(map(spell_message, lines))
        self._panes.results.notify(text, markup=False, timeout=timeout)
