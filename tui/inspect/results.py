"""The ranked list: every result with what it lacks, and the relevant clips that were missed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partialmethod
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType

from tui.keys.commands import make_bindings
from tui.widgets.line_table import LineTable

if TYPE_CHECKING:
    from engine.keywords.judgement import Judgement
    from tui.inspect.result_rows import ResultRows


class ResultTable(LineTable):
    """The list. What its commands mean is the screen's to say."""

    BINDINGS: ClassVar[list[BindingType]] = [*make_bindings("results")]
    jump_key = "r"
    pane = "results"

    acts: Mapping[str, Callable[[], None]] = MappingProxyType({})
    """What does the work of the commands about a result; the screen sets it."""

    can_play: Callable[[], bool] = staticmethod(lambda: False)
    """Whether clips have frames that can be shown."""

    can_zoom: Callable[[], bool] = staticmethod(lambda: False)
    """Whether there is a picture to give the whole screen to; else the key is left to the app."""

    def _act(self, action: str) -> None:
        self.acts[action]()

    action_mark_bias = partialmethod(_act, "mark_bias")
    action_mark_relevant = partialmethod(_act, "mark_relevant")
    action_mark_not_relevant = partialmethod(_act, "mark_not_relevant")
    action_clear_mark = partialmethod(_act, "clear_mark")
    action_note = partialmethod(_act, "note")
    action_more_like_this = partialmethod(_act, "more_like_this")
    action_play = partialmethod(_act, "play")
    action_previous_frame = partialmethod(_act, "previous_frame")
    action_next_frame = partialmethod(_act, "next_frame")
    action_zoom_picture = partialmethod(_act, "zoom_picture")
    action_open_clip = partialmethod(_act, "open_clip")
    action_filter = partialmethod(_act, "filter")

    @property
    def rows(self) -> ResultRows | None:
        if self.source is None:
            return None
        from tui.inspect.result_rows import ResultRows

        return self.source if isinstance(self.source, ResultRows) else None

    @property
    def _rule(self) -> tuple[int, str] | None:
        return self.rows.rule if self.rows is not None else None

    @property
    def clip(self) -> str | None:
        """The clip under the cursor."""
        return self.rows.clip(self.cursor) if self.rows and self.cursor >= 0 else None

    @property
    def place(self) -> int | None:
        """Its place in the ranking, from 0."""
        return int(self.rows.places[self.cursor]) if self.rows and self.cursor >= 0 else None

    def judge(self, judgements: Mapping[str, Judgement]) -> None:
        """Show other judgements of the same rows."""
        rows = self.rows
        if rows is None:
            return
        before, rows.judgements = rows.judgements, judgements
        for row in self.visible_rows:
            clip = rows.clip(row)
            if before.get(clip) != judgements.get(clip):
                self.redraw_row(row)

    def action_next_miss(self) -> None:
        self._go_to_miss(1)

    def action_previous_miss(self) -> None:
        self._go_to_miss(-1)

    def _go_to_miss(self, step: int) -> None:
        if self.rows is None:
            return
        misses = self.rows.misses
        ahead = misses[misses > self.cursor] if step > 0 else misses[misses < self.cursor][::-1]
        if len(ahead):
            self.cursor = int(ahead[0])
        else:
            self.notify("No further miss in this list.", markup=False)

    def go_to_unjudged(self) -> bool:
        """To the next miss that was not judged; without ground truth, to the next result that was
        not. False: there is none, and the cursor stays."""
        shown = self.rows
        if shown is None:
            return False
        misses = shown.misses  # without ground truth, all of them
        for row in misses[misses > self.cursor]:
            said = shown.judgements.get(shown.clip(int(row)))
            if said is None or said.mark is None:  # a note alone is no judgement
                self.cursor = int(row)
                return True
        return False

    @property
    def quiet_actions(self) -> tuple[str, ...]:
        """What the footer does not offer: the key would only say why it does nothing."""
        return () if self.can_play() else ("play",)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "filter":  # also where nothing matches: to type another
            return self.rows is not None
        if action in self.acts and self.cursor < 0:
            return False
        if action == "zoom_picture":
            return self.can_zoom()
        if action in ("next_miss", "previous_miss"):
            return self.rows is not None and bool(self.rows.inspection.keywords)
        if action == "clear_mark":
            said = self.rows.judgements.get(self.clip or "") if self.rows else None
            return said is not None and said.mark is not None
        return True
