"""The rows of the ranked list: each result with what it lacks, or that it was missed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from rich.cells import cell_len

from tui.inspect.lacking_words import LackingWords, name_shortly
from tui.inspect.result_room import ROOM_FOR_IDS, IdShape, share_room
from tui.inspect.shown_answer import ShownAnswer
from tui.look.glyphs import Glyphs
from tui.look.score_text import format_score
from tui.widgets.line_layout import COLUMN_GAP, GUTTER, LineCell, LineColumn

if TYPE_CHECKING:
    from engine.base.arrays import Ints

_SIGN = 3
"""Cells of a verdict's sign, and of the blank behind it."""

_MISSED = "missed"
_WORDS = len(" good")
_SAMPLE = 1_000
"""Rows and ids that are measured, however many there are."""


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
        self._is_tight = self._has_room_for_words = False

    # Columns

    @property
    def columns(self) -> Sequence[LineColumn]:
        width = self._width()
        if self._laid_out is None or self._laid_out[0] != width:
            self._laid_out = width, self._lay_out(width)
        return self._laid_out[1]

    def _lay_out(self, width: int) -> tuple[LineColumn, ...]:
        nouns, ids = self.shown.nouns, self._ids
        rank = LineColumn("#", max(3, len(f"{self.inspection.depth:,}")), right=True)
        similarity = LineColumn("sim", self._widest_score(), right=True)
        mark = LineColumn("", 2)
        fixed = [rank, similarity, mark]
        taken = GUTTER + sum((column.width or 0) + COLUMN_GAP for column in fixed) + COLUMN_GAP
        room = width - taken
        other: list[LineColumn] = []
        if self.standing is not None:
            other = [self._lay_out_other(self.standing.model, room - self._why_width - COLUMN_GAP)]
            room -= (other[0].width or 0) + COLUMN_GAP
        why, self._is_tight = share_room(room, self._why_width, ids)
        clip = nouns.spell("clip")
        if self._is_tight and ids.prefix:
            clip += f" {ids.prefix}{self._glyphs.ellipsis}"
        lacks = nouns.spell("keyword") if self._has_labels else "lacks"
        self._why = max(why, _SIGN)
        verdict = LineColumn(lacks, self._why, lends=True)
        named = LineColumn(clip, least=12, tail=ids.tail, right=self._is_tight)
        return (rank, similarity, verdict, named, mark, *other)

    def _lay_out_other(self, model: str, room: int) -> LineColumn:
        """The ranks in another model; with the word for a change, and as much of the model's name,
        as leaves ids whole. A direction's name says what it is: for that an id may be cut."""
        assert self.standing is not None
        ranks = len(f"#{len(self.standing.ranks):,} {self._glyphs.down}")
        spare = room - self._ids.longest
        self._has_room_for_words = self._total > 0 and spare >= ranks + _WORDS
        ranks += _WORDS if self._has_room_for_words else 0
        most = room - ROOM_FOR_IDS if self._has_labels else spare
        return LineColumn(model, max(ranks, min(len(model), max(9, most))), right=True)

    @cached_property
    def _ids(self) -> IdShape:
        return IdShape.of(self.inspection.collection.truth.ids[:_SAMPLE])

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
        columns = self.columns  # first: they say how much of what there is room for
        place = int(self.places[row])
        clip = self.inspection.clip(place)
        counts = place < self.shown.k and self.inspection.retrieved[place]
        quiet = "" if counts else "dim"
        cells: list[LineCell] = [
            (f"{place + 1:,}", quiet),
            (format_score(self.inspection.similarities[place]), quiet),
            self._verdict(place),
            (clip.removeprefix(self._ids.prefix) if self._is_tight else clip, quiet),
            self._mark(clip),
        ]
        if len(columns) > len(cells):
            cells.append(self._other(place))
        return cells

    def _verdict(self, place: int) -> LineCell:
        """A sign, and why: what the result lacks, or that it was missed."""
        if not self._total:
            return self._glyphs.unjudged, "dim"
        relevant = bool(self.inspection.is_relevant[place])
        some = relevant or self.inspection.matched[place] > 0
        said = self._labels(place) if self._has_labels else self._lacking(place, relevant)
        if not self.inspection.retrieved[place]:  # whatever it has, it does not count
            return _join(self._glyphs.unjudged, said), "dim"
        if relevant:
            return _join(self._glyphs.has, said), "hit"
        if some:
            return _join(self._glyphs.part, said), "part"
        return _join(self._glyphs.lacks, said), "miss"

    def _lacking(self, place: int, relevant: bool) -> str:
        if relevant:
            counts = place < self.shown.k and self.inspection.retrieved[place]
            return "" if counts else _MISSED
        lacks = self.inspection.lacks(self.inspection.keywords, [place])
        return self._words.write(lacks[0].nonzero()[0].tolist(), self._why - _SIGN)

    def _labels(self, place: int) -> str:
        """The clip's own labels, in the groups that count."""
        row, selection = int(self.inspection.rows[place]), self.inspection.selection
        own = self.inspection.collection.truth.keywords_of(row, selection)
        return ", ".join(keyword.name for keyword in own)

    def _mark(self, clip: str) -> LineCell:
        said = self.judgements.get(clip)
        if said is None:
            return ""
        mark = self._glyphs.marks[said.mark] if said.mark else ""
        return (f"{mark.rstrip()}{self._glyphs.note}" if said.note else mark), "mark"

    def _other(self, place: int) -> LineCell:
        change = self.shown.find_rank_change(place)
        if change is None:
            return self._glyphs.dash, "dim"
        word = f" {change.word:<{_WORDS - 1}}" if self._has_room_for_words else ""
        return f"#{change.other:,} {change.sign(self._glyphs)}{word}", change.kind


def _join(sign: str, said: str) -> str:
    return f"{sign} {said}" if said else sign
