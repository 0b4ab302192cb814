"""What is asked, as the user changes it piece by piece, and what was asked before."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from engine.base.choices import Mode
from engine.base.errors import InputError
from engine.keywords.question import Question

Edit: TypeAlias = tuple[str, bool | None]
"""A keyword ("group:name"), and whether the query is to have it; None: the other way round."""


class Trail:
    """The queries that were asked, to go back and forth in, as in a browser: asking something new
    forgets what lay ahead.

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

    def return_to(self, mode: Mode, query: str) -> None:
        """What is asked now was given up for the query before, or for the one after.

        >>> trail = Trail()
        >>> for query in ("a", "b"):
        ...     trail.go("text", query)
        >>> trail.return_to("text", "a")
        >>> trail.step(1)
        ('text', 'b')
        """
        for at in (self._at, self._at - 1, self._at + 1):
            if 0 <= at < len(self._asked) and self._asked[at] == (mode, query):
                self._at = at
                return

    def step(self, step: int) -> tuple[Mode, str] | None:
        """The query before or after; None at the end of the trail."""
        if not 0 <= self._at + step < len(self._asked):
            return None
        self._at += step
        return self._asked[self._at]


class Conversation:
    """The question, the way back to earlier ones, and edits that wait for an answer.

    question  its query is empty until something is asked, its groups until they are known
    go_to     the clip on which the cursor is to be when the answer comes

    >>> talk = Conversation(Question("text", "", "alfa", ("scene",)))
    >>> talk.ask(talk.question.about("text", "rainy bus"))
    >>> talk.edit([("object:car", True)], ("object:bus",), ("object", "scene")).groups
    ('object', 'scene')
    """

    def __init__(self, question: Question) -> None:
        self.question = question
        self.go_to: str | None = None
        self.trail = Trail()
        self._edits: list[Edit] = []
        """Keywords added or dropped before the query's own are known."""
        self._brought: set[str] = set()
        """Groups that keywords added by hand have brought along."""
        self._vectors: dict[str, str] = {}
        """The numbers of the vectors that were asked, by their names."""

    def about(self, mode: Mode, query: str) -> Question:
        """The question about another query; the numbers of a vector that was asked are known."""
        vector = self._vectors.get(query) if mode == "vector" else None
        return self.question.about(mode, query, vector)

    def is_about(self, question: Question) -> bool:
        """Whether the other question has the same query."""
        return (question.mode, question.query) == (self.question.mode, self.question.query)

    def ask(self, question: Question, go_to: str | None = None) -> None:
        """Go on with a question."""
        if not self.is_about(question):
            self._edits.clear()
            self._brought = set()
        self.question, self.go_to = question, go_to
        if question.vector is not None:
            self._vectors[question.query] = question.vector
        self.trail.go(question.mode, question.query)

    def forget(self) -> None:
        """Begin again, with nothing asked."""
        self.question = self.question.about("text", "")
        self.trail = Trail()
        self._edits.clear()

    def return_to(self, question: Question) -> None:
        """Give up what is asked for what was answered before."""
        self._edits.clear()
        self.question = question
        self.trail.return_to(question.mode, question.query)

    # Keywords

    def wait(self, edits: Sequence[Edit]) -> None:
        """Keep edits until the query's own keywords are known."""
        self._edits += edits

    def take_edits(self) -> list[Edit]:
        """The edits that have waited; they do so no longer."""
        edits, self._edits = self._edits, []
        return edits

    def edit(
        self,
        edits: Sequence[Edit],
        keywords: Sequence[str],
        groups: Sequence[str],
        resting: Sequence[str] = (),
    ) -> Question:
        """The question after its keywords were edited; a keyword of a group that was not chosen
        brings its group along.

        keywords  those that count
        groups    all that there are, in their order
        resting   further keywords of the query, which count once their groups do
        """
        kept = edit_names(keywords, edits)
        named = {name.partition(":")[0] for name in kept}
        wanted = ({*self.question.groups} - self._brought) | named  # what came along goes along
        chosen = tuple(group for group in groups if group in wanted)
        left_out = tuple(name for name in self.question.left_out if name not in kept)
        touched = {name for name, _ in edits}
        whole = dict.fromkeys((*kept, *(name for name in resting if name not in touched)))
        edited = replace(self.question, groups=chosen, left_out=left_out, keywords=tuple(whole))
        self.follow(self.question, edited)
        return edited

    def follow(self, before: Question, after: Question) -> None:
        """From one question to another about the same query: groups that come with a keyword have
        been brought along by it, and those that went are no longer."""
        if before.keywords != after.keywords:
            self._brought |= {*after.groups} - {*before.groups}
        self._brought -= {*before.groups} - {*after.groups}

    def restore(self) -> Question:
        """The query with its own keywords, without the groups that added keywords brought along."""
        groups = tuple(group for group in self.question.groups if group not in self._brought)
        self._brought = set()
        return replace(self.question, groups=groups or self.question.groups, keywords=None)


def edit_names(keywords: Sequence[str], edits: Sequence[Edit]) -> tuple[str, ...]:
    """Keywords after some were added and dropped, in this order.

    >>> edit_names(("g:a", "g:b"), [("g:c", True), ("g:a", None), ("g:x", False)])
    ('g:b', 'g:c')
    """
    kept = list(keywords)
    for name, wanted in edits:
        has = name in kept
        if wanted is not False and not has:
            kept.append(name)
        elif wanted is not True and has:
            kept.remove(name)
    return tuple(kept)


def parse_threshold(text: str) -> float | None:
    """A least similarity as it is typed; nothing: there is none.

    >>> parse_threshold("0.15"), parse_threshold(" "), parse_threshold("-2,5")
    (0.15, None, -2.5)
    """
    if not text.strip():
        return None
    try:
        value = float(text.strip().replace(",", "."))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"{text.strip()!r} is no similarity", hint="type a number such as 0.15")
    return value
