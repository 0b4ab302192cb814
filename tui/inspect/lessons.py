"""What can be learned from a keyword that a person added to a text, or dropped from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from engine.base.errors import InputError
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


class Lesson(NamedTuple):
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
        nothing = edited in kept or item.why == "exact" or not _can_be_kept(item.ngram)
        return None if nothing else Lesson(item.keyword, (item.ngram,), never=True)
    if edited not in kept:
        return None
    phrases = _list_phrases(mapping, known.keywords, kept[edited])
    phrases = tuple(phrase for phrase in phrases if _can_be_kept(phrase))
    return Lesson(kept[edited], phrases) if phrases else None


def _can_be_kept(phrase: str) -> bool:
    from engine.text.learning.literal_phrases import write_literal

    try:
        write_literal(phrase)
    except InputError:
        return False
    return True


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
    runs = list(_find_runs(mapping))
    joined = [
        (run[start][0], run[start + length - 1][1])
        for run in runs
        for length in range(min(len(run), LONGEST_PHRASE), 1, -1)
        for start in range(len(run) - length + 1)
    ]
    return joined + [span for run in runs for span in run]


def _find_runs(mapping: KeywordMapping) -> Iterator[list[WordSpan]]:
    """Where the words stand that nothing explains, those side by side together."""
    run: list[WordSpan] = []
    for start, end in find_unexplained_spans(mapping):
        if run and mapping.query[run[-1][1] : start].strip():
            yield run
            run = []
        run.append((start, end))
    if run:
        yield run


def find_unexplained_spans(mapping: KeywordMapping) -> list[WordSpan]:
    """Where the words stand that nothing explains, in order.

    Of a word that stands more than once it is the one that is neither denied nor a keyword's.
    """
    from engine.text.mapping.denials import find_denials
    from engine.text.mapping.query_words import split_words

    words = split_words(mapping.query, {})
    denied = {position for denial in find_denials(words) for position in denial.scope}
    explained = [item.span for item in (*mapping.keywords, *mapping.outside)]
    places: dict[str, list[tuple[int, WordSpan]]] = {}
    for position, word in enumerate(words):
        span = word.start, word.end
        doubts = (position in denied) + any(_overlap(span, other) for other in explained)
        places.setdefault(mapping.query[slice(*span)], []).append((doubts, span))
    counts = Counter(mapping.unexplained)
    return sorted(
        span for text, count in counts.items() for _, span in sorted(places.get(text, ()))[:count]
    )
