"""The ranked list: the results of a query, or the relevant clips that it missed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partialmethod
from types import MappingProxyType
from typing import ClassVar

from rich.cells import cell_len
from textual.binding import BindingType

from engine.keywords.judgement import Judgement
from tui.inspect.shown_answer import ShownAnswer
from tui.keys.commands import make_bindings
from tui.look.glyphs import Glyphs
from tui.look.score_text import format_score
from tui.widgets.line_layout import COLUMN_GAP, GUTTER, LineCell, LineColumn
from tui.widgets.line_table import LineTable

ROOM_FOR_IDS = 20
"""Cells that ids keep before the name of another direction is written in full."""

MOST_OF_A_LABEL = 22
"""Cells of a match that names the clip's label."""


class ResultRows:
    """Places of a ranking as rows. Ranks beyond the largest K are quieter: no metric sees them."""

    def __init__(
        self, shown: ShownAnswer, glyphs: Glyphs, width: Callable[[], int] = lambda: 0
    ) -> None:
        """`width` is that of a line."""
        self.inspection = shown.inspection
        self.places = shown.places
        self.judgements = shown.answer.judgements
        self.standing = shown.standing
        self._glyphs = glyphs
        self._most_k = shown.k
        self._total = len(self.inspection.keywords)
        self._has_labels = shown.nouns.has_labels and self._total > 0
        self._width = width
        self._columns = (
            LineColumn("#", max(3, len(f"{self.inspection.depth:,}")), right=True),
            LineColumn("sim", self._widest_score(), right=True),
            LineColumn("match", self._match_width()),
            LineColumn(shown.nouns.spell("clip"), least=12, tail=5),
            LineColumn("", 2),
        )

    @property
    def columns(self) -> Sequence[LineColumn]:
        if self.standing is None:
            return self._columns
        model = self.standing.model
        ranks = len(f"#{len(self.standing.ranks):,} {self._glyphs.down}")
        most = max(9, self._spare) if self._has_labels else 9
        return (*self._columns, LineColumn(model, max(ranks, min(len(model), most)), right=True))

    @property
    def _spare(self) -> int:
        """Cells that the other columns leave, if ids have room enough."""
        taken = sum((column.width or ROOM_FOR_IDS) + COLUMN_GAP for column in self._columns)
        return self._width() - GUTTER - taken

    def _match_width(self) -> int:
        """Room for a sign and a count; where clips have labels, for a sign and a label."""
        count = 5 + len(str(self._total))
        if not self._has_labels:
            return count
        chosen = self.inspection.selection
        longest = sum(
            max((cell_len(word.name) for word in chosen.keywords if word.group == group), default=0)
            for group in chosen.groups
        )
        commas = 2 * (len(chosen.groups) - 1)
        return max(count, min(3 + longest + commas, MOST_OF_A_LABEL))

    def _widest_score(self) -> int:
        """Of the best and the worst, and of cosine similarities at least, so that the columns of
        one query stand where those of the next do."""
        scores = self.inspection.similarities
        ends = (scores[0], scores[-1]) if len(scores) else ()
        return max([6, *(len(format_score(score)) for score in ends)])

    def __len__(self) -> int:
        return len(self.places)

    def clip(self, row: int) -> str:
        return self.inspection.clip(int(self.places[row]))

    def cells(self, row: int) -> Sequence[LineCell]:
        place = int(self.places[row])
        clip = self.inspection.clip(place)
        counts = place < self._most_k and self.inspection.retrieved[place]
        quiet = "" if counts else "dim"
        cells: list[LineCell] = [
            (f"{place + 1:,}", quiet),
            (format_score(self.inspection.similarities[place]), quiet),
            self._match(place),
            (clip, quiet),
            self._mark(clip),
        ]
        if self.standing is not None:
            cells.append(self._other(place + 1, clip))
        return cells

    def _match(self, place: int) -> LineCell:
        if not self._total:
            return self._glyphs.unjudged, "dim"
        matched = int(self.inspection.matched[place])
        count = self._labels(place) if self._has_labels else f"{matched}/{self._total}"
        if not self.inspection.retrieved[place]:  # whatever it has, it does not count
            return f"{self._glyphs.unjudged} {count}", "dim"
        if matched == self._total:
            return f"{self._glyphs.has} {count}", "hit"
        if matched:
            return f"{self._glyphs.part} {count}", "part"
        return f"{self._glyphs.lacks} {count}", "miss"

    def _labels(self, place: int) -> str:
        """The clip's own labels, in the groups that count."""
        row, selection = int(self.inspection.rows[place]), self.inspection.selection
        own = self.inspection.collection.truth.keywords_of(row, selection)
        return ", ".join(keyword.name for keyword in own)

    def _mark(self, clip: str) -> LineCell:
        said = self.judgements.get(clip)
        if said is None:
            return ""
        return (self._glyphs.marks[said.mark] if said.mark else self._glyphs.note), "mark"

    def _other(self, rank: int, clip: str) -> LineCell:
        assert self.standing is not None
        other = self.standing.rank(clip)
        if other is None:
            return self._glyphs.dash, "dim"
        if other == rank:
            return f"#{other:,} {self._glyphs.same}", "dim"
        sign = self._glyphs.up if other < rank else self._glyphs.down
        return f"#{other:,} {sign}", ""


class ResultTable(LineTable):
    """The list. What its commands mean is the screen's to say."""

    BINDINGS: ClassVar[list[BindingType]] = [*make_bindings("results")]
    jump_key = "r"
    pane = "results"

    acts: Mapping[str, Callable[[], None]] = MappingProxyType({})
    """What does the work of the commands about a result; the screen sets it."""

    def _act(self, action: str) -> None:
        self.acts[action]()

    action_mark_bias = partialmethod(_act, "mark_bias")
    action_mark_relevant = partialmethod(_act, "mark_relevant")
    action_mark_not_relevant = partialmethod(_act, "mark_not_relevant")
    action_clear_mark = partialmethod(_act, "clear_mark")
    action_note = partialmethod(_act, "note")
    action_more_like_this = partialmethod(_act, "more_like_this")
    action_play = partialmethod(_act, "play")
    action_open_clip = partialmethod(_act, "open_clip")

    @property
    def rows(self) -> ResultRows | None:
        return self.source if isinstance(self.source, ResultRows) else None

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
        for row in range(self.scroll_offset.y, min(len(rows), self.scroll_offset.y + self._page)):
            clip = rows.clip(row)
            if before.get(clip) != judgements.get(clip):
                self.redraw_row(row)

    def action_next_miss(self) -> None:
        self._go_to_miss(range(self.cursor + 1, self._rows))

    def action_previous_miss(self) -> None:
        self._go_to_miss(range(self.cursor - 1, -1, -1))

    def _go_to_miss(self, rows: range) -> None:
        shown = self.rows
        if shown is None:
            return
        total = len(shown.inspection.keywords)
        for row in rows:
            if shown.inspection.matched[int(shown.places[row])] < total:
                self.cursor = row
                return
        self.notify("No further miss in this list.", markup=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in self.acts and self.cursor < 0:
            return False
        if action in ("next_miss", "previous_miss"):
            return self.rows is not None and bool(self.rows.inspection.keywords)
        if action == "clear_mark":
            said = self.rows.judgements.get(self.clip or "") if self.rows else None
            return said is not None and said.mark is not None
        return True
