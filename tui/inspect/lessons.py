"""What can be learned from a keyword that a person added to a text, or dropped from it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from engine.base.keyword import Keyword
from tui.look.safe import escape
from tui.widgets.line_layout import fit

if TYPE_CHECKING:
    from engine.keywords.query_keywords import QueryKeywords
    from engine.text.mapping.mapper import KeywordMapping

LONGEST_PHRASE = 4
"""Words of a phrase that is put together from what was not understood."""

WordSpan: TypeAlias = tuple[int, int]
"""Where words stand in the query."""

_LONGEST_SHOWN = 40
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Lesson:
    """That a phrase means a keyword, or never does.

    phrases  those that may be the one, the likeliest first
    """

    keyword: Keyword
    phrases: tuple[str, ...]
    never: bool = False

    def describe(self, phrase: str, ellipsis: str = "…") -> str:
        """What is learned about one of the phrases.

        >>> Lesson(Keyword("object", "truck"), ("lorry",)).describe("lorry")
        '"lorry" means truck'
        """
        shown = escape(phrase)
        if len(shown) > _LONGEST_SHOWN:
            shown = fit(shown, _LONGEST_SHOWN, ellipsis=ellipsis).rstrip()
        verb = "never means" if self.never else "means"
        return f'"{shown}" {verb} {escape(self.keyword.name)}'


def find_lesson(known: QueryKeywords, edited: str) -> Lesson | None:
    """What follows from the edit of a keyword ("group:name"); None: nothing, for it is as it was
    mapped, or no words could mean it."""
    mapping = known.mapping
    if mapping is None:
        return None
    kept = {str(keyword): keyword for keyword in known.keywords}
    mapped = {str(item.keyword): item for item in mapping.keywords}
    item = mapped.get(edited)
    if item is not None:
        # That a keyword does not mean itself is nothing to remember.
        nothing = edited in kept or item.why == "exact"
        return None if nothing else Lesson(item.keyword, (item.ngram,), never=True)
    if edited not in kept:
        return None
    phrases = _list_phrases(mapping, known.keywords, kept[edited])
    return Lesson(kept[edited], phrases) if phrases else None


def _list_phrases(
    mapping: KeywordMapping, kept: tuple[Keyword, ...], keyword: Keyword
) -> tuple[str, ...]:
    """What may mean an added keyword: the words that came near to it, those that nothing explains,
    and those that were taken for a keyword which was dropped."""
    explained = [item.span for item in (*mapping.keywords, *mapping.outside)]
    near = [item.span for item in mapping.near if item.keyword == keyword]
    dropped = [
        item.span for item in mapping.keywords if item.keyword not in kept and item.why != "exact"
    ]
    clear = [span for span in near if not any(_overlap(span, other) for other in explained)]
    beside = _join_unexplained(mapping)
    beside.sort(key=lambda span: not any(_overlap(span, other) for other in near))
    spans = (*clear, *beside, *dropped)
    return tuple(dict.fromkeys(mapping.query[start:end] for start, end in spans))


def _overlap(one: WordSpan, other: WordSpan) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _join_unexplained(mapping: KeywordMapping) -> list[WordSpan]:
    """Where the words stand that nothing explains: those side by side as one, then each."""
    spans = [
        (run[start][0], run[start + length - 1][1])
        for run in _find_runs(mapping)
        for length in range(min(len(run), LONGEST_PHRASE), 0, -1)
        for start in range(len(run) - length + 1)
    ]
    return sorted(spans, key=lambda span: _WORD.fullmatch(mapping.query, *span) is not None)


def _find_runs(mapping: KeywordMapping) -> Iterator[list[WordSpan]]:
    """Where the words stand that nothing explains, those side by side together."""
    explained = [item.span for item in (*mapping.keywords, *mapping.outside)]
    left = list(mapping.unexplained)
    run: list[WordSpan] = []
    for match in _WORD.finditer(mapping.query):
        start, end = match.span()
        spoken = any(_overlap((start, end), span) for span in explained)
        if left and match.group() == left[0] and not spoken:
            left.pop(0)
            if run and mapping.query[run[-1][1] : start].strip():
                yield run
                run = []
            run.append((start, end))
    if run:
        yield run
