"""A clip's rank against its rank in another model, and whether the change is a good one."""

from __future__ import annotations

from dataclasses import dataclass

from tui.look.glyphs import Glyphs


@dataclass(frozen=True, slots=True)
class RankChange:
    """From a rank in the earlier of two models to that in the later; both count from 1.

    rank        in the model that is asked
    other       in the other one
    relevant    whether the clip is to be found; None: nothing says so
    from_other  the other model is the earlier one

    >>> RankChange(4, 8, relevant=False).verdict, RankChange(4, 8, relevant=True).verdict
    ('good: a miss fell', 'bad: a hit fell')
    >>> risen = RankChange(4, 8, relevant=True, from_other=True)
    >>> risen.verdict, risen.way
    ('good: a hit rose', 'higher')
    """

    rank: int
    other: int
    relevant: bool | None
    from_other: bool = False

    @property
    def rose(self) -> bool:
        return (self.rank < self.other) if self.from_other else (self.other < self.rank)

    @property
    def way(self) -> str:
        return "higher" if self.rose else "lower"

    @property
    def is_good(self) -> bool | None:
        """A hit that rose, or a miss that fell; None: neither good nor bad."""
        if self.relevant is None or self.other == self.rank:
            return None
        return self.rose == self.relevant

    @property
    def word(self) -> str:
        return {None: "", True: "good", False: "bad"}[self.is_good]

    @property
    def kind(self) -> str:
        """The component class that colours it."""
        if self.other == self.rank:
            return "dim"
        return {None: "", True: "hit", False: "miss"}[self.is_good]

    @property
    def verdict(self) -> str:
        """Whether it is good, and why."""
        if self.is_good is None:
            return ""
        what = "a hit" if self.relevant else "a miss"
        return f"{self.word}: {what} {'rose' if self.rose else 'fell'}"

    def sign(self, glyphs: Glyphs) -> str:
        if self.other == self.rank:
            return glyphs.same
        return glyphs.up if self.rose else glyphs.down
