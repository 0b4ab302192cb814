"""The error classes as they are shown: a sign, a word and a colour, in this order of importance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias, get_args

from engine.moments.failures.classes import (
    CLASSES,
    HIT,
    NEARLY_RIGHT,
    NO_PREDICTION,
    PREDICTION_MARKS,
    RANKED_LOW,
    WRONG_TIME,
    WRONG_VIDEO,
)
from tui.look.glyphs import ASCII, Glyphs

if TYPE_CHECKING:
    from engine.moments.failures.failures import Failures
    from engine.moments.tasks import Task


Wording: TypeAlias = Literal["name", "short", "sign"]
WORDINGS: Final[tuple[Wording, ...]] = get_args(Wording)
"""How much is said of a class, the most first."""

_SHORT: Final = {
    "ranked low": "low",
    "nearly right": "near",
    "wrong time": "time",
    "wrong video": "video",
    "no prediction": "none",
}


class ClassSign(NamedTuple):
    """A class on the screen; signs are two cells wide."""

    name: str
    sign: str
    plain: str
    kind: str

    def word(self, glyphs: Glyphs, wording: Wording = "name") -> str:
        """The sign with as much of the name as there is room for.

        >>> from tui.look.glyphs import ASCII, UNICODE
        >>> find_sign(4).word(UNICODE), find_sign(2).word(ASCII)
        ('❌ wrong video', '~  nearly right')
        >>> [find_sign(2).word(UNICODE, wording) for wording in WORDINGS]
        ['◐  nearly right', '◐  near', '◐ ']
        """
        if wording == "sign":
            return self.sign_in(glyphs)
        return f"{self.sign_in(glyphs)} {self.name if wording == 'name' else self.short}"

    @property
    def short(self) -> str:
        """The name in a word that stands among those of other classes."""
        return _SHORT.get(self.name, self.name)

    def beside(self, glyphs: Glyphs) -> str:
        """The same in a sentence, where nothing has to stand below anything.

        >>> from tui.look.glyphs import UNICODE
        >>> find_sign(2).beside(UNICODE)
        '◐ nearly right'
        """
        return f"{self.sign_in(glyphs).strip()} {self.name}"

    def sign_in(self, glyphs: Glyphs) -> str:
        return self.plain if glyphs.has.isascii() else self.sign


_SIGNS: Final = (
    ("✅", "+ ", "hit"),
    ("↓ ", "_ ", "part"),
    ("◐ ", "~ ", "part"),
    ("✗ ", "x ", "miss"),
    ("❌", "- ", "miss"),
    ("· ", ". ", "dim"),
)
SIGNS: Final = tuple(
    ClassSign(name, *signs) for name, signs in zip(PREDICTION_MARKS, _SIGNS, strict=True)
)
WORST_FIRST: Final = tuple(reversed(range(len(CLASSES))))


def find_sign(code: int, task: Task | None = None) -> ClassSign:
    """A class, or what a single prediction is, as a task calls it.

    >>> find_sign(4).name, find_sign(4, "MR").name
    ('wrong video', 'no prediction')
    """
    shown = SIGNS[code]
    named = task == "MR" and code == WRONG_VIDEO
    return shown._replace(name=NO_PREDICTION) if named else shown


def describe_class(failures: Failures, code: int) -> str:
    """What a class means at a metric, in few words: they stand beside its count in a dialog."""
    at, videos = failures.at, failures.at.iou is None
    what = "right video" if videos else f"IoU from {at.iou:g}"
    if code == HIT:
        return f"{what} at rank 1" if at.k == 1 else f"{what} in the first {at.k}"
    if code == RANKED_LOW:
        return f"{what}, but after rank {at.k}"
    if code == NEARLY_RIGHT:
        return f"best IoU from {failures.near:g}, below {at.iou:g}"
    if code == WRONG_TIME:
        return f"best IoU below {failures.near:g}"
    return "no window at all" if failures.judged.task == "MR" else "right video not found"


def measure_class(task: Task, wording: Wording = "name") -> int:
    """Cells of a sign with its name, or with what is said of it.

    >>> measure_class("VCMR"), measure_class("VCMR", "short"), measure_class("MR", "sign")
    (15, 8, 2)
    """
    signs = (find_sign(code, task).word(ASCII, wording) for code in range(len(CLASSES)))
    return max(map(len, signs))
