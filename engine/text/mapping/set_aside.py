"""Words of a text that speak for no keyword on purpose: it denies them, or the dataset's
`[never_means]` silences them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from engine.base.keyword import Keyword
from engine.text.mapping.denials import find_denials
from engine.text.mapping.reading import Interpretation


@dataclass(frozen=True, slots=True)
class Silence:
    """A phrase of a text, and the keyword that it never means."""

    phrase: str
    keyword: Keyword


@dataclass(frozen=True, slots=True)
class WordsSetAside:
    """What a text denies, and what it says in phrases that never mean a keyword."""

    denied: tuple[str, ...] = ()
    silenced: tuple[Silence, ...] = ()

    def describe(self) -> list[str]:
        """One line for each kind of word.

        >>> WordsSetAside(("snow",), (Silence("bus stop", Keyword("object", "bus")),)).describe()
        ['denied: snow', '"bus stop" never means bus']
        """
        denied = [f"denied: {' · '.join(self.denied)}"] if self.denied else []
        return denied + [f'"{one.phrase}" never means {one.keyword.name}' for one in self.silenced]


def find_set_aside(reading: Interpretation, vocabulary: Sequence[Keyword]) -> WordsSetAside:
    """What is set aside of a query; of silenced phrases those about keywords of its groups."""
    silenced = tuple(_list_silenced(reading, vocabulary))
    return WordsSetAside(tuple(_list_denied(reading)), silenced)


def _list_denied(reading: Interpretation) -> Iterator[str]:
    """Denied words of content, those side by side as one, as they were typed."""
    for denial in find_denials(reading.words):
        said = [p for p in denial.scope if p in reading.denied and reading.words[p].has_content]
        yield from _join_neighbours(said, reading)


def _list_silenced(reading: Interpretation, vocabulary: Sequence[Keyword]) -> Iterator[Silence]:
    positions: dict[int, list[int]] = {}
    for position, number in sorted(reading.open.vetoes):
        positions.setdefault(number, []).append(position)
    for number, own in positions.items():
        keyword = vocabulary[number]
        if keyword.group in reading.groups:
            for phrase in _join_neighbours(own, reading):
                yield Silence(phrase, keyword)


def _join_neighbours(positions: Iterable[int], reading: Interpretation) -> Iterator[str]:
    """The words at these positions as typed; words with nothing but articles between are one."""
    runs: list[list[int]] = []
    for position in positions:
        between = range(runs[-1][-1] + 1, position) if runs else range(0)
        if runs and all(reading.words[p].skippable for p in between):
            runs[-1].append(position)
        else:
            runs.append([position])
    for run in runs:
        yield reading.query[reading.words[run[0]].start : reading.words[run[-1]].end]
