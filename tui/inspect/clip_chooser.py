"""The clips that match what is typed, with their keywords and a small picture of one of them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content

from engine.base.errors import InputError
from tui.frames.filmstrip import Filmstrip
from tui.keys.keymap import find_keymap
from tui.look.glyphs import Glyphs
from tui.look.nouns import Nouns
from tui.widgets.fitted_rows import FittedRows
from tui.widgets.line_layout import LineCell, LineColumn
from tui.widgets.line_table import LineTable
from tui.work.throttle import Debounce

if TYPE_CHECKING:
    from engine.dataset.clip_finder import ClipMatches
    from engine.media.pictures import Frames
    from tui.frames.images import ImageSupport
    from tui.work.clip_frames import ClipFrames
    from tui.work.clip_search import ClipSearch

_REST = 0.2
"""Seconds that the cursor rests on a clip before its picture is fetched."""

_PICTURE = "found"
"""The lane in which the picture is decoded."""


class FoundRows(FittedRows[Any, None]):
    """The clips that were found, each with its keywords."""

    def _lay_out(self, width: int) -> Iterable[LineColumn]:
        ids = self.table.ids
        longest = max((cell_len(ids[row][:width]) for row in self.rows), default=8)
        clip = max(8, min(longest, width * 3 // 5))
        return (
            LineColumn(self._nouns.spell("clip"), clip, tail=5),
            LineColumn(self._nouns.spell("keywords")),
        )

    def cells(self, row: int) -> Sequence[LineCell]:
        number = int(self.rows[row])
        keywords = ", ".join(keyword.name for keyword in self.table.keywords_of(number))
        return self.table.ids[number], (keywords, "dim")


class FoundTable(LineTable, can_focus=False):
    """The list; its cursor is moved by the keys of the field."""


class ClipChooser(Horizontal):
    """Comes while a clip is typed. It searches in the background: the newest text wins."""

    def __init__(
        self,
        search: ClipSearch,
        frames: ClipFrames,
        images: ImageSupport,
        glyphs: Glyphs,
        nouns: Nouns,
        *,
        id: str | None = None,
    ) -> None:
        super().__init__(id=id)
        self._search, self._frames, self._images = search, frames, images
        self._signs, self._nouns = glyphs, nouns
        self._model = ""
        self._found: ClipMatches | None = None
        self._shown_clip: str | None = None
        self._moved = False
        self._wanted: str | None = None
        """What was typed before the list was there."""
        self._fetch = Debounce(self, _REST, self._fetch_picture)
        self._table = FoundTable()
        self._picture = Filmstrip(images.drawing, id="found-frames")
        self.display = False

    def compose(self) -> ComposeResult:
        yield self._table
        yield self._picture

    def on_mount(self) -> None:
        self.border_title = Content(self._nouns.spell("Clips"))
        if self._wanted is not None:
            self.look_for(self._wanted, self._model)

    # Coming and going

    def look_for(self, typed: str, model: str) -> None:
        """List the clips that match; those of before stay until then."""
        self._model, self._wanted = model, typed
        if not self.children:
            return
        is_read = self._search.truth(model) is not None
        self.display = True
        has_pictures = self._images.drawing != "off" and is_read and self._frames.has_media
        self._picture.display = has_pictures
        if not is_read:
            self._table.empty = self._nouns.spell("reading the clips …")
        self._search.find(typed, model, self._show, self._fail)

    def leave(self) -> None:
        self._wanted = None
        if self.display:
            self.display = False
            self._search.cancel()
            self._frames.cancel(_PICTURE)
            self._found, self._moved, self._shown_clip = None, False, None
            self._table.clear()
            self._picture.clear("")

    def _show(self, found: ClipMatches) -> None:
        truth = self._search.truth(self._model)
        if not self.display or truth is None:
            return
        self._found, self._moved = found, False
        rows = FoundRows(
            truth, found.rows, None, self._signs, lambda: self._table.line_width, self._nouns
        )
        self._table.empty = self._nouns.spell("No clip has this in its id or its keywords.")
        self._table.show(rows)
        listed, all_of_them = len(found.rows), f"{found.total:,}"
        count = all_of_them if listed == found.total else f"{listed:,} of {all_of_them}"
        keys = "{query.older} and {query.newer} choose, {query.submit} asks"
        said = self._nouns.spell(f"Clips: {count} {self._signs.dot} ")
        self.border_title = Content(f"{said}{find_keymap(self.app).spell(keys)}")

    def _fail(self, error: Exception) -> None:
        self._table.empty = f"{error}"

    # Choosing

    @property
    def is_below_first(self) -> bool:
        """Whether there is a line above the one that is chosen."""
        return self.display and self._table.cursor > 0

    @property
    def has_moved(self) -> bool:
        """Whether a line was chosen, and not only what is typed."""
        return self._moved

    def move_by(self, lines: int) -> None:
        self._moved = True
        self._table.move_by(lines)

    async def choose(self, typed: str) -> str | None:
        """The clip that is meant: the one that was chosen, or the best for what is typed; None:
        none matches, or the text is one's id as it stands."""
        truth = self._search.truth(self._model)
        if truth is None:
            # The files are being read: keys wait for that, as they do below.
            with suppress(InputError):  # of which whoever reads them tells
                await asyncio.to_thread(self._search.wait_until_read, self._model)
            truth = self._search.truth(self._model)
        found = self._found
        if truth is None:
            return None
        if found is not None and found.typed == typed and (self._moved or not typed.strip()):
            return self._clip
        if not typed.strip():
            return None
        if truth.rows_of([typed])[0] >= 0 or (self._nouns.has_labels and typed.isdigit()):
            return None
        if found is None or found.typed != typed:
            # The list has not caught up. Keys wait for this one; all else goes on meanwhile.
            found = await asyncio.to_thread(self._search.find_best, typed, self._model)
        return truth.ids[int(found.rows[0])] if found is not None and len(found.rows) else None

    @property
    def _clip(self) -> str | None:
        """The clip under the cursor."""
        truth, found = self._search.truth(self._model), self._found
        at = self._table.cursor
        if truth is None or found is None or not 0 <= at < len(found.rows):
            return None
        return truth.ids[int(found.rows[at])]

    # The picture

    def on_line_table_moved(self, event: LineTable.Moved) -> None:
        event.stop()
        if self.display and self._picture.display:
            self._fetch()

    def on_filmstrip_resized(self, event: Filmstrip.Resized) -> None:
        event.stop()
        self._shown_clip = None
        self._fetch_picture()

    def _fetch_picture(self) -> None:
        clip = self._clip
        if not self.display or not self._picture.display or clip == self._shown_clip:
            return
        self._shown_clip = clip
        if clip is None:
            self._picture.clear("")
            return

        def done(frames: Frames) -> None:
            self._picture.show(frames, "")

        def failed(error: Exception) -> None:
            self._picture.show_problem("", str(error))

        _, width, height = self._picture.wanted()
        self._frames.strip(_PICTURE, clip, (1, width, height), done, failed)
