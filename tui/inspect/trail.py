"""Trail: the queries that were asked, to go back and forth in, as in a browser."""

from __future__ import annotations

from engine.base.mode import Mode


class Trail:
    """Asking something new forgets what lay ahead.

    >>> trail = Trail()
    >>> for query in ("a", "b", "c"):
    ...     trail.go("text", query)
    >>> trail.step(-1), trail.step(-1), trail.step(-1), trail.step(1)
    (('text', 'b'), ('text', 'a'), None, ('text', 'b'))
    """

    def __init__(self) -> None:
        self._asked: list[tuple[Mode, str]] = []
        self._at = -1

    def go(self, mode: Mode, query: str) -> None:
        """A query is asked; the one that is asked already is not asked twice."""
        if query and self._asked[self._at : self._at + 1] != [(mode, query)]:
            self._asked[self._at + 1 :] = [(mode, query)]
            self._at += 1

    def rename(self, mode: Mode, query: str) -> None:
        """What is asked now has this name."""
        if self._asked:
            self._asked[self._at] = (mode, query)

    def step(self, step: int) -> tuple[Mode, str] | None:
        """The query before or after; None at the end of the trail."""
        if not 0 <= self._at + step < len(self._asked):
            return None
        self._at += step
        return self._asked[self._at]
