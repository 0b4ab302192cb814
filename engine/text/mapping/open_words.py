"""What no phrase explains of a query: the words that are left, and the spans they form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from engine.text.mapping.entries import is_entry
from engine.text.mapping.query_words import REQUEST_WORDS, Word

LONGEST_SPAN = 4
_MOST_OPEN = 60
"""Words of content whose spans are looked at; a longer text is a document, not a query."""


@dataclass(frozen=True, slots=True)
class OpenWords:
    """The words of a query that are left to explain.

    spans    the stretches of one to four of them that may mean something, by position
    texts    the spans as texts
    content  the words that can say something by themselves
    said     how many such words the query has, explained or not; those denied do not count
    whole    the query as a text, without what it denies and that it is a request
    rest     the same without what is explained already
    kept, free   the words of these two texts
    """

    spans: tuple[tuple[int, ...], ...]
    texts: tuple[str, ...]
    content: tuple[int, ...]
    said: int
    whole: str
    rest: str
    kept: tuple[int, ...]
    free: tuple[int, ...]

    def write_without(self, words: Sequence[Word], left_out: Set[int]) -> tuple[str, str] | None:
        """`whole` and `rest` without some words; None if no word of content is left open."""
        if all(position in left_out for position in self.content):
            return None
        whole, rest = ([p for p in own if p not in left_out] for own in (self.kept, self.free))
        return _text(words, whole), _text(words, rest)


def find_open_words(words: Sequence[Word], explained: Set[int], denied: Set[int]) -> OpenWords:
    """
    >>> from engine.text.mapping.query_words import split_words
    >>> words = split_words("show me wolves napping on a home run", {})
    >>> find_open_words(words, explained={2}, denied=set()).texts
    ('napping', 'napping on a home', 'home run')
    """
    free = [p for p in range(len(words)) if p not in explained and p not in denied]
    content = tuple(p for p in free if words[p].has_content)
    near = set(free if len(content) <= _MOST_OPEN else range(content[_MOST_OPEN]))
    spans = tuple(_drop_parts_of_entries(list(_stretches(words, near.intersection(free))), words))
    kept = [p for p in range(len(words)) if p not in denied]
    return OpenWords(
        spans=spans,
        texts=tuple(_text(words, span) for span in spans),
        content=content,
        said=sum(words[p].has_content for p in kept),
        whole=_text(words, kept),
        rest=_text(words, free),
        kept=tuple(kept),
        free=tuple(free),
    )


def _stretches(words: Sequence[Word], free: Set[int]) -> Iterator[tuple[int, ...]]:
    for start in sorted(free):
        if not words[start].has_content:
            continue
        for end in range(start, min(start + LONGEST_SPAN, len(words))):
            word = words[end]
            parted = end > start and (word.after_comma or word.clause != words[start].clause)
            if end not in free or parted:
                break
            if word.has_content or is_entry(words, start, end + 1):
                yield tuple(range(start, end + 1))


def _drop_parts_of_entries(
    spans: list[tuple[int, ...]], words: Sequence[Word]
) -> Iterator[tuple[int, ...]]:
    """ "home run" is an entry of its own: neither "home" nor "run" is said by it."""
    entries = [span for span in spans if is_entry(words, span[0], span[-1] + 1)]
    inside = {span for entry in entries for span in spans if span != entry and _within(span, entry)}
    return (span for span in spans if span not in inside)


def _within(span: tuple[int, ...], entry: tuple[int, ...]) -> bool:
    return entry[0] <= span[0] and span[-1] <= entry[-1]


def _text(words: Sequence[Word], positions: Sequence[int]) -> str:
    forms = (words[position].form for position in positions)
    return " ".join(form for form in forms if form not in REQUEST_WORDS)
