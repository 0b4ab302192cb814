"""The queries as rows: class, ranks of the right video and of the first hit, best IoU, id, text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from engine.moments.failures.overlap_text import shortest
from tui.look.glyphs import Glyphs
from tui.moments.signs import WORDINGS, Wording, class_width
from tui.widgets.line_layout import GAP, GUTTER, Cell, Column

if TYPE_CHECKING:
    from engine.moments.failures.failures import Failures
    from engine.moments.truth import Ints
    from tui.moments.explained import Explained

Key: TypeAlias = Literal["class", "video", "hit", "iou", "id", "text"]

_IOU = 5
_RANKS = {"video": 7, "hit": 5}
"""Cells of both ranks: their titles, and the arrow of the order."""

_TEXT_LEAST, _TEXT_BESIDE_ID = 20, 14
"""Cells that the text keeps before the class has words, and before the id is shown."""

_ID_MOST = 14


@dataclass(frozen=True, slots=True)
class Order:
    """A column, and whether its worst values come first; of id and text: the first."""

    key: Key = "class"
    turned: bool = False

    @property
    def reversed(self) -> Order:
        return Order(self.key, not self.turned)


WORDS = {
    "class": ("worst class first", "hits first"),
    "video": ("right video missing or late first", "right video early first"),
    "hit": ("no or late hit first", "early hit first"),
    "iou": ("smallest best IoU first", "largest best IoU first"),
    "id": ("as in the file", "the file's end first"),
    "text": ("text A to Z", "text Z to A"),
}
"""Each order in words, and turned around."""


def keys_of(explained: Explained) -> tuple[Key, ...]:
    """What can be sorted by, from left to right."""
    if not explained.has_times:
        return ("class", "video", "id", "text")
    if not explained.finds_videos:
        return ("class", "hit", "iou", "id", "text")
    return ("class", "video", "hit", "iou", "id", "text")


def ordered(explained: Explained, order: Order) -> Ints:
    """The rows of all queries in an order; ties stay as in the file."""
    import numpy as np

    failures = explained.failures
    worst: Ints
    if order.key == "id":
        worst = np.arange(len(failures))
    elif order.key == "text":
        texts = [text.casefold() for text in explained.truth.texts]
        places = sorted(range(len(texts)), key=texts.__getitem__)
        worst = np.empty(len(texts), np.int64)
        worst[places] = np.arange(len(texts))
    else:
        worst = _badness(failures, order.key)
    return np.argsort(-worst if order.turned else worst, kind="stable")


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


class MomentRows:
    """Some queries in an order; columns follow the width of the line."""

    def __init__(
        self,
        explained: Explained,
        rows: Ints,
        order: Order,
        glyphs: Glyphs,
        width: Callable[[], int],
    ) -> None:
        self.explained = explained
        self.rows = rows
        self._order = order
        self._glyphs = glyphs
        self._width = width
        truth = explained.truth
        longest = max((len(str(id_)) for id_ in truth.ids), default=2)
        self._id_width = min(max(longest, 3), _ID_MOST)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def keys(self) -> tuple[Key, ...]:
        """What each column sorts by."""
        keys = keys_of(self.explained)
        return keys if self._shows_ids else tuple(key for key in keys if key != "id")

    def _text_width(self, class_width: int) -> int:
        """Cells that the text has beside the id and a class of some width."""
        keys = keys_of(self.explained)
        widths = {"class": class_width, "id": self._id_width, "iou": _IOU}
        others = [widths.get(key, _RANKS.get(key, 0)) for key in keys if key != "text"]
        return self._width() - GUTTER - sum(others) - GAP * len(others)

    @property
    def _wording(self) -> Wording:
        """As much of the class as leaves the text its room; the lines above say what signs mean."""
        task = self.explained.task
        fits = (w for w in WORDINGS if self._text_width(class_width(task, w)) >= _TEXT_LEAST)
        return next(fits, "sign")

    @property
    def _shows_ids(self) -> bool:
        return self._text_width(class_width(self.explained.task, self._wording)) >= _TEXT_BESIDE_ID

    @property
    def columns(self) -> Sequence[Column]:
        wording = self._wording
        class_title = "class" if wording != "sign" else ""
        made = {
            "class": Column(
                self._title(class_title, "class"), class_width(self.explained.task, wording)
            ),
            "video": Column(self._title("video#", "video"), _RANKS["video"], right=True),
            "hit": Column(self._title("hit#", "hit"), _RANKS["hit"], right=True),
            "iou": Column(self._title("IoU", "iou"), _IOU, right=True),
            "id": Column(self._title("id", "id"), self._id_width, tail=4),
            "text": Column(self._title("query", "text")),
        }
        return tuple(made[key] for key in self.keys)

    def cells(self, row: int) -> Sequence[Cell]:
        number = int(self.rows[row])
        failures, truth = self.explained.failures, self.explained.truth
        shown = self.explained.shown(int(failures.classes[number]))
        made: dict[Key, Cell] = {
            "class": (shown.worded(self._glyphs, self._wording), shown.kind),
            "video": self._rank(int(failures.right_ranks[number])),
            "hit": self._rank(int(failures.hit_ranks[number])),
            "id": (str(truth.ids[number]), "dim"),
            "text": truth.texts[number],
        }
        if self.explained.has_times:
            made["iou"] = self.explained.overlap(shortest(failures.best[number]))
        return tuple(made[key] for key in self.keys)

    def _rank(self, rank: int) -> Cell:
        return str(rank) if rank else (self._glyphs.dash, "dim")

    def _title(self, title: str, key: Key) -> str:
        if key != self._order.key:
            return title
        return f"{title}{self._glyphs.up if self._order.turned else self._glyphs.down}"
