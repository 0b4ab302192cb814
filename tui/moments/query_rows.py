"""The queries as rows: class, ranks of the right video and of the first hit, best IoU, id, text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

from engine.moments.failures.explanation import shorten_number
from tui.moments.signs import WORDINGS, Wording, find_sign, measure_class
from tui.widgets.fitted_rows import FittedRows, Sort
from tui.widgets.line_layout import COLUMN_GAP, GUTTER, LineCell, LineColumn
from tui.work.explained_task import ExplainedTask

if TYPE_CHECKING:
    from engine.base.arrays import Ints
    from engine.moments.failures.failures import Failures

Key: TypeAlias = Literal["class", "video", "hit", "iou", "id", "text"]

_WIDTHS = {"video": 7, "hit": 5, "iou": 5}
"""Cells of both ranks and of the IoU: their titles, and the arrow of the order."""

_TEXT_LEAST, _TEXT_BESIDE_ID = 28, 14
"""Cells that the text keeps before the class has words, and before the id is shown."""

_ID_MOST = 14


ORDER_NAMES = {
    "class": ("worst class first", "hits first"),
    "video": ("right video missing or late first", "right video early first"),
    "hit": ("no or late hit first", "early hit first"),
    "iou": ("smallest best IoU first", "largest best IoU first"),
    "id": ("as in the file", "the file's end first"),
    "text": ("text A to Z", "text Z to A"),
}
"""Each order in words, and turned around."""


def choose_moment_sort(key: Key = "class") -> Sort[Key]:
    """The direction that one wants to see first; of ids and texts, from the first one on."""
    return Sort(key, descending=True)


def list_sort_keys(explained: ExplainedTask) -> tuple[Key, ...]:
    """What can be sorted by, from left to right."""
    if not explained.has_times:
        return ("class", "video", "id", "text")
    if not explained.finds_videos:
        return ("class", "hit", "iou", "id", "text")
    return ("class", "video", "hit", "iou", "id", "text")


def order_queries(explained: ExplainedTask, sort: Sort[Key]) -> Ints:
    """The rows of all queries in an order; ties stay as in the file."""
    import numpy as np

    failures = explained.failures
    worst: Ints
    if sort.key == "id":
        worst = np.arange(len(failures))
    elif sort.key == "text":
        texts = [text.casefold() for text in explained.truth.texts]
        places = sorted(range(len(texts)), key=texts.__getitem__)
        worst = np.empty(len(texts), np.int64)
        worst[places] = np.arange(len(texts))
    else:
        worst = _badness(failures, sort.key)
    return np.argsort(worst if sort.descending else -worst, kind="stable")


def _badness(failures: Failures, key: Key) -> Ints:
    """What is small for the worst."""
    import numpy as np

    if key == "class":
        return -failures.classes.astype(np.int64)
    if key == "iou":
        # Ranks of the values: floats of any precision, sorted as integers.
        return np.unique(failures.best, return_inverse=True)[1].astype(np.int64)
    ranks = failures.right_ranks if key == "video" else failures.hit_ranks
    return -np.where(ranks == 0, np.iinfo(np.int32).max, ranks).astype(np.int64)


class MomentRows(FittedRows[ExplainedTask, Key]):
    """Some queries, in an order."""

    first = staticmethod(choose_moment_sort)
    _wording: Wording = "sign"

    @cached_property
    def _id_width(self) -> int:
        longest = max((len(str(id_)) for id_ in self.table.truth.ids), default=2)
        return min(max(longest, 3), _ID_MOST)

    @property
    def _cycle(self) -> tuple[Key, ...]:
        return list_sort_keys(self.table)

    def _lay_out(self, width: int) -> Iterable[LineColumn]:
        """As much of the class as leaves the text its room, and the id if there is room for it;
        the lines above say what signs mean."""
        keys, task = list_sort_keys(self.table), self.table.task
        others = sum(_WIDTHS.get(key, 0) for key in keys) + self._id_width
        room = width - GUTTER - others - COLUMN_GAP * (len(keys) - 1)
        fits = (w for w in WORDINGS if room - measure_class(task, w) >= _TEXT_LEAST)
        self._wording = next(fits, "sign")
        shows_ids = room - measure_class(task, self._wording) >= _TEXT_BESIDE_ID
        self.keys = keys if shows_ids else tuple(key for key in keys if key != "id")
        class_title = "class" if self._wording != "sign" else ""
        made = {
            "class": LineColumn(
                self._title(class_title, "class"), measure_class(task, self._wording)
            ),
            "video": LineColumn(self._title("video#", "video"), _WIDTHS["video"], right=True),
            "hit": LineColumn(self._title("hit#", "hit"), _WIDTHS["hit"], right=True),
            "iou": LineColumn(self._title("IoU", "iou"), _WIDTHS["iou"], right=True),
            "id": LineColumn(self._title("id", "id"), self._id_width, tail=4),
            "text": LineColumn(self._title("query", "text")),
        }
        return (made[key] for key in self.keys)

    def cells(self, row: int) -> Sequence[LineCell]:
        self._fit()
        number = int(self.rows[row])
        failures, truth = self.table.failures, self.table.truth
        shown = find_sign(int(failures.classes[number]), self.table.task)
        made: dict[Key, LineCell] = {
            "class": (shown.word(self._glyphs, self._wording), shown.kind),
            "video": self._rank(int(failures.right_ranks[number])),
            "hit": self._rank(int(failures.hit_ranks[number])),
            "id": (str(truth.ids[number]), "dim"),
            "text": truth.texts[number],
        }
        if self.table.has_times:
            made["iou"] = self.table.overlap(shorten_number(failures.best[number]))
        return tuple(made[key] for key in self.keys)

    def _rank(self, rank: int) -> LineCell:
        return str(rank) if rank else (self._glyphs.dash, "dim")
