"""The rows of the ranked list: each result with what it lacks, or that it was missed.

Ids are aligned to the right at every width: they differ at their end, and where a long one begins
among the blanks of the column before it, its end still stands in line with the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from rich.cells import cell_len

from engine.base.visible import Visible
from tui.inspect.id_shape import IdShape
from tui.inspect.lacking_words import LackingWords, name_shortly
from tui.inspect.result_room import share_room
from tui.inspect.shown_answer import ShownAnswer
from tui.look.glyphs import Glyphs
from tui.look.safe import escape
from tui.look.score_text import format_score
from tui.widgets.line_layout import COLUMN_GAP, GUTTER, LineCell, LineColumn, fit

if TYPE_CHECKING:
    from engine.base.arrays import Ints

_SIGN = 3
"""Cells of a verdict's sign, and of the blank behind it."""

_MARK = 2
"""Cells of a mark, or of a mark and the sign of a note."""

_MISSED = "missed"
_WORDS = len(" good")
_SAMPLE = 1_000
"""Rows that are measured, however many there are."""


class ResultRows:
    """Places of a ranking as rows. Ranks beyond the largest K are quieter: no metric sees them."""

    def __init__(
        self, shown: ShownAnswer, glyphs: Glyphs, width: Callable[[], int] = lambda: 0
    ) -> None:
        """`width` is that of a line."""
        self.shown = shown
        self.inspection = shown.inspection
        self.places = shown.places
        self.judgements = shown.answer.judgements
        self.standing = shown.standing
        self._glyphs = glyphs
        self._total = len(self.inspection.keywords)
        self._has_labels = shown.nouns.has_labels and self._total > 0
        self._width = width
        self._words = LackingWords(name_shortly(self.inspection.keywords), glyphs.minus)
        self._laid_out: tuple[int, tuple[LineColumn, ...]] | None = None
        self._has_room_for_words = False
        self._room = 0  # on each row, for why, id, mark and other rank together

    # Columns

    @property
    def columns(self) -> Sequence[LineColumn]:
        width = self._width()
        if self._laid_out is None or self._laid_out[0] != width:
            self._laid_out = width, self._lay_out(width)
        return self._laid_out[1]

    def _lay_out(self, width: int) -> tuple[LineColumn, ...]:
        """Sizes are those of a row that fills them; on other rows, columns lend their blanks."""
        rank = LineColumn("#", len(f"{self.inspection.depth:,}"), right=True)
        similarity = LineColumn("sim", self._widest_score(), right=True)
        before = GUTTER + sum((column.width or 0) + COLUMN_GAP for column in (rank, similarity))
        behind = len(("why", "clip", "mark")) + (self.standing is not None)
        self._room = width - before - COLUMN_GAP * (behind - 1)
        other = self._lay_out_other()
        room = self._room - sum(column.width or 0 for column in other)
        why, clip = share_room(room, self._why_width, self._ids)
        verdict = LineColumn(self._why_title, max(why, _SIGN), lends=True)
        named = LineColumn(
            self.shown.nouns.spell("clip"), clip, right=True, lends=True, cut=self._ids.shorten
        )
        mark = LineColumn("", least=0, lends=True)  # has what no other needs; borrows where marked
        return (rank, similarity, verdict, named, mark, *other)

    @property
    def _why_title(self) -> str:
        """Nothing if nothing is judged: there are signs alone."""
        if not self._total:
            return ""
        return self.shown.nouns.spell("keyword") if self._has_labels else "lacks"

    def _lay_out_other(self) -> list[LineColumn]:
        """The ranks in another model, as wide as they are: the heading borrows what it needs. They
        have the word for a change where that leaves ids and keywords whole."""
        if self.standing is None:
            return []
        ranks = len(f"#{len(self.standing.ranks):,} {self._glyphs.down}")
        spare = self._room - self._why_width - self._ids.longest - _MARK
        self._has_room_for_words = self._total > 0 and spare >= ranks + _WORDS
        ranks += _WORDS if self._has_room_for_words else 0
        return [LineColumn(self.standing.model, ranks, right=True, lends=True)]

    @cached_property
    def _ids(self) -> IdShape:
        return IdShape.of(self.inspection.collection.truth.ids)

    @cached_property
    def _why_width(self) -> int:
        """Cells of a sign and all that is lacking, or where clips have labels of their label."""
        if not self._total:
            return _SIGN
        if self._has_labels:
            return _SIGN + self._longest_label()
        lacks = self.inspection.lacks(self.inspection.keywords, self.places[:_SAMPLE])
        needed = lacks @ [1 + width for width in self._words.widths]
        return _SIGN + max(len(_MISSED), int(needed.max(initial=0)) - 1)

    def _longest_label(self) -> int:
        chosen = self.inspection.selection
        longest = sum(
            max((cell_len(word.name) for word in chosen.keywords if word.group == group), default=0)
            for group in chosen.groups
        )
        return longest + 2 * (len(chosen.groups) - 1)

    def _widest_score(self) -> int:
        """Of the best and the worst, and of cosine similarities at least, so that the columns of
        one query stand where those of the next do."""
        scores = self.inspection.similarities
        ends = (scores[0], scores[-1]) if len(scores) else ()
        return max([5, *(len(format_score(score)) for score in ends)])

    # Rows

    def __len__(self) -> int:
        return len(self.places)

    @property
    def rule(self) -> tuple[int, str] | None:
        """After how many rows K is reached, and what to say there."""
        return self.shown.rule(self._glyphs)

    def clip(self, row: int) -> str:
        return self.inspection.clip(int(self.places[row]))

    def find_row(self, clip: str | None) -> int:
        """Where a clip is listed; if it is not, the next one that is, or else the last."""
        place = self.inspection.place_of(clip) if clip is not None else None
        row = int(self.places.searchsorted(place)) if place is not None else 0
        return min(row, max(0, len(self) - 1))

    def lists(self, place: int) -> bool:
        """Whether a place of the ranking is a row."""
        row = int(self.places.searchsorted(place))
        return row < len(self) and self.places[row] == place

    @cached_property
    def misses(self) -> Ints:
        """The rows that are no full match; where what was missed is listed, that too."""
        found = ~self.inspection.is_relevant[self.places]
        if self.shown.missed:
            found |= (self.places >= self.shown.k) | ~self.inspection.retrieved[self.places]
        rows: Ints = found.nonzero()[0]
        return rows

    def cells(self, row: int) -> Sequence[LineCell]:
        _ = self.columns  # they say how much of what there is room for
        place = int(self.places[row])
        clip = self.inspection.clip(place)
        counts = place < self.shown.k and self.inspection.retrieved[place]
        quiet = "" if counts else "dim"
        behind = [self._mark(clip)]
        if self.standing is not None:
            behind.append(self._other(place))
        least = cell_len(self._ids.shorten(escape(clip), self._ids.least))
        room = self._room - least - sum(cell_len(text) for text, _ in behind)
        return (
            (f"{place + 1:,}", quiet),
            (format_score(self.inspection.similarities[place]), quiet),
            self._verdict(place, room),
            (clip, quiet),  # has what the others leave, and at least what tells it apart
            *behind,
        )

    def _verdict(self, place: int, room: int) -> tuple[str, str]:
        """A sign, and why: what the result lacks, or that it was missed."""
        if not self._total:
            return self._glyphs.unjudged, "dim"
        relevant = bool(self.inspection.is_relevant[place])
        some = relevant or self.inspection.matched[place] > 0
        said = self._say_why(place, relevant, room - _SIGN)
        if not self.inspection.retrieved[place]:  # whatever it has, it does not count
            return _join(self._glyphs.unjudged, said), "dim"
        if relevant:
            return _join(self._glyphs.has, said), "hit"
        if some:
            return _join(self._glyphs.part, said), "part"
        return _join(self._glyphs.lacks, said), "miss"

    def _say_why(self, place: int, relevant: bool, room: int) -> str:
        """In so many cells; where they do not do for words, the sign says it alone."""
        if self._has_labels:
            said = fit(self._labels(place), max(1, room), ellipsis=self._glyphs.ellipsis).rstrip()
        else:
            said = self._lacking(place, relevant, room)
        return said if cell_len(said) <= room else ""

    def _lacking(self, place: int, relevant: bool, room: int) -> str:
        if relevant and not (place < self.shown.k and self.inspection.retrieved[place]):
            return _MISSED
        lacks = self.inspection.lacks(self.inspection.keywords, [place])
        return self._words.write(lacks[0].nonzero()[0].tolist(), room)

    def _labels(self, place: int) -> str:
        """The clip's own labels, in the groups that count."""
        row, selection = int(self.inspection.rows[place]), self.inspection.selection
        own = self.inspection.collection.truth.keywords_of(row, selection)
        return escape(", ".join(keyword.name for keyword in own))

    def _mark(self, clip: str) -> tuple[str, str]:
        said = self.judgements.get(clip)
        if said is None:
            return "", ""
        mark = self._glyphs.marks[said.mark] if said.mark else ""
        return (f"{mark.rstrip()}{self._glyphs.note}" if said.note else mark), "mark"

    def _other(self, place: int) -> tuple[str, str]:
        change = self.shown.find_rank_change(place)
        if change is None:
            return self._glyphs.dash, "dim"
        word = f" {change.word:<{_WORDS - 1}}" if self._has_room_for_words else ""
        return f"#{change.other:,} {change.sign(self._glyphs)}{word}", change.kind


def _join(sign: str, said: str) -> Visible:
    """Names are spelt out before they are measured and cut, and not once more."""
    return Visible(f"{sign} {said}" if said else sign)
