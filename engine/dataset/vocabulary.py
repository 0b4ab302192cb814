"""The vocabulary by group, of a dataset or of a file, and the part that an evaluation looks at."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.base.errors import InputError, Place
from engine.base.keyword import Keyword
from engine.base.messages import fit_on_line, list_names, suggest
from engine.dataset.annotations.cells import clean_keyword
from engine.dataset.annotations.layout import normalise_group
from engine.dataset.clip_set import WORD, BitWords, set_bit
from engine.files.reader import reads
from engine.files.text import JsonObject, parse_json, read_text


@dataclass(frozen=True, slots=True)
class Selection:
    """Chosen groups and keywords, with their bit columns and the mask that keeps only them."""

    groups: tuple[str, ...]
    keywords: tuple[Keyword, ...]
    columns: npt.NDArray[np.int64] = field(compare=False, repr=False)
    mask: BitWords = field(compare=False, repr=False)
    _known: frozenset[Keyword] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_known", frozenset(self.keywords))

    def __contains__(self, keyword: object) -> bool:
        return keyword in self._known


@dataclass(frozen=True)
class Vocabulary:
    """Groups in file order and their keywords, sorted by name; the position is the bit column.

    >>> words = Vocabulary(("object_type",), (Keyword("object_type", "bollard"),))
    >>> words.find("Bollard"), words.select(["pv_object_type"]).groups
    (Keyword(group='object_type', name='bollard'), ('object_type',))
    """

    groups: tuple[str, ...]
    keywords: tuple[Keyword, ...]

    @cached_property
    def column_of(self) -> dict[Keyword, int]:
        """The bit column of every keyword."""
        return {keyword: column for column, keyword in enumerate(self.keywords)}

    @cached_property
    def _named(self) -> dict[str, list[Keyword]]:
        return self._by(str)

    @cached_property
    def _cleaned(self) -> dict[str, list[Keyword]]:
        """By the form in which keywords are compared: labels keep their case."""
        return self._by(clean_keyword)

    def _by(self, form: Callable[[str], str]) -> dict[str, list[Keyword]]:
        found: dict[str, list[Keyword]] = {}
        for keyword in self.keywords:
            found.setdefault(form(keyword.name), []).append(keyword)
        return found

    @property
    def words(self) -> int:
        """64-bit words per clip; at least one."""
        return max(1, -(-len(self.keywords) // WORD))

    def named(self, bits: BitWords) -> tuple[Keyword, ...]:
        """The keywords whose bits are set in one row of bits, in column order.

        >>> Vocabulary(("g",), (Keyword("g", "a"), Keyword("g", "b"))).named(np.uint64([2]))
        (Keyword(group='g', name='b'),)
        """
        found = []
        filled = np.flatnonzero(bits)
        for place, word in zip(filled.tolist(), bits[filled].tolist(), strict=True):
            while word:  # the lowest bit that is set, then the next
                lowest = word & -word
                found.append(self.keywords[place * WORD + lowest.bit_length() - 1])
                word ^= lowest
        return tuple(found)

    def group(self, name: str) -> str:
        """The group meant by a name: `pv_`, case, spaces, hyphens and underscores do not matter."""
        key = normalise_group(name)
        if key in self._groups:
            return self._groups[key]
        hint = f"{suggest(key, self.groups)} groups: {list_names(self.groups)}"
        raise InputError(f'unknown group "{fit_on_line(name)}"', hint=hint.strip())

    @cached_property
    def _groups(self) -> dict[str, str]:
        """By the form in which groups are compared; of two that read alike, the first."""
        return {normalise_group(group): group for group in reversed(self.groups)}

    @cached_property
    def _columns_of(self) -> dict[str, list[int]]:
        columns: dict[str, list[int]] = {group: [] for group in self.groups}
        for column, keyword in enumerate(self.keywords):
            columns.setdefault(keyword.group, []).append(column)
        return columns

    def columns(self, groups: Iterable[str]) -> list[int]:
        """The bit columns of the named groups, ascending.

        >>> Vocabulary(("g", "h"), (Keyword("g", "a"), Keyword("h", "b"))).columns(["h"])
        [1]
        """
        chosen = {self.group(name) for name in groups}
        return sorted(itertools.chain.from_iterable(map(self._columns_of.__getitem__, chosen)))

    def of(self, groups: Iterable[str]) -> tuple[Keyword, ...]:
        """The keywords of the named groups, in column order."""
        return tuple(self.keywords[column] for column in self.columns(groups))

    def find(self, name: str, groups: Iterable[str] | None = None) -> Keyword:
        """The keyword meant by `name` or `group:name`, among the named groups.

        As it is spelled, or else in the form in which keywords are compared.
        """
        chosen = self.groups if groups is None else tuple(map(self.group, groups))
        found = self._called(name, chosen)
        prefix, colon, rest = name.partition(":")
        if not found and colon:
            chosen = tuple(group for group in chosen if group == self.group(prefix))
            found = self._called(rest, chosen)
        if len(found) > 1:
            both = " or ".join(map(str, found))
            alike = len({keyword.group for keyword in found}) == 1
            where = "means several keywords" if alike else "is in several groups"
            raise InputError(f'keyword "{fit_on_line(name)}" {where}', hint=f"write {both}")
        if not found:
            raise self._unknown(name, clean_keyword(rest if colon else name), chosen)
        return found[0]

    def find_named(self, name: str) -> list[Keyword]:
        """Every keyword that is called so, by its name alone or as `group:name`."""
        for text, by_name in ((name.strip(), self._named), (clean_keyword(name), self._cleaned)):
            found = [*by_name.get(text, ()), *filter(None, [self._written.get(text)])]
            if found:
                return found
        return []

    @cached_property
    def _written(self) -> dict[str, Keyword]:
        return {str(keyword): keyword for keyword in self.keywords}

    def _called(self, name: str, groups: Sequence[str]) -> list[Keyword]:
        """The keywords of these groups that are spelled so, or else that read so."""
        exact = [k for k in self._named.get(name.strip(), ()) if k.group in groups]
        cleaned = self._cleaned.get(clean_keyword(name), ())
        return exact or [keyword for keyword in cleaned if keyword.group in groups]

    def _unknown(self, name: str, text: str, chosen: Sequence[str]) -> InputError:
        names = [keyword.name for keyword in self.of(chosen)]
        elsewhere = [keyword.group for keyword in self._cleaned.get(text, ())]
        if elsewhere:
            near = f"it is in {', '.join(elsewhere)}, not among the chosen groups;"
        else:
            near = suggest(text, names)
        hint = f"{near} {', '.join(chosen) or 'no group'} has: {list_names(names) or 'none'}"
        return InputError(f'unknown keyword "{fit_on_line(name)}"', hint=hint.strip())

    def select(
        self,
        groups: Iterable[str] | None = None,
        keywords: Iterable[Keyword | str] | None = None,
    ) -> Selection:
        """Chosen groups (None: all); a group with chosen keywords is cut down to those.

        A group of which no keyword is chosen stays whole.
        """
        names = set(self.groups if groups is None else map(self.group, groups))
        chosen = tuple(group for group in self.groups if group in names)
        if not chosen:
            raise InputError("no group is chosen", hint=f"groups: {list_names(self.groups)}")
        wanted = {self.resolve(keyword, chosen) for keyword in keywords or ()}
        restricted = {keyword.group for keyword in wanted}
        kept = self.columns(group for group in chosen if group not in restricted)
        kept = sorted([*kept, *(self.column_of[keyword] for keyword in wanted)])
        columns = np.array(kept, np.int64)
        selected = tuple(self.keywords[column] for column in kept)
        return Selection(chosen, selected, columns, self.mask(columns))

    def resolve(self, keyword: Keyword | str, groups: Collection[str] | None = None) -> Keyword:
        """A `Keyword` of this vocabulary, from one or from its name."""
        if isinstance(keyword, Keyword) and self._has(keyword, groups):
            return keyword
        return self.find(str(keyword), groups)

    def _has(self, keyword: Keyword, groups: Collection[str] | None) -> bool:
        return keyword in self.column_of and (groups is None or keyword.group in groups)

    def mask(self, columns: npt.NDArray[np.int64]) -> BitWords:
        """One row of words with these bits set."""
        words = np.zeros(self.words, np.uint64)
        np.bitwise_or.at(words, columns // WORD, set_bit(columns))
        return words


_HINT = 'write {"object_type": ["pedestrian", "bicyclist"], …}'


def _check_unicode(names: Sequence[str], place: Place) -> None:
    """Half a character, as JSON can write it, can be neither encoded nor shown."""
    try:
        "".join(names).encode()
    except UnicodeEncodeError as error:
        raise InputError("a keyword is not valid Unicode", place) from error


@reads("a vocabulary")
def read_vocabulary(path: Path) -> Vocabulary:
    """The vocabulary of a file `{group: [keyword, …]}`; groups with or without `pv_`.

    A group or keyword that is written twice is refused: nobody could tell which one counts.
    """
    table = parse_json(read_text(path), Place(path), make=JsonObject)
    if not isinstance(table, JsonObject) or not table:
        raise InputError("is not a vocabulary", path, hint=_HINT)
    for group in table.repeated:
        raise InputError(
            f'has the group "{fit_on_line(group)}" twice', path, hint="write it once, as one list"
        )
    spelled: dict[str, str] = {}
    keywords: list[Keyword] = []
    for group, names in table.items():
        place = Place(path, column=group)
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise InputError("must be a list of keywords", place, hint=_HINT)
        _check_unicode([group, *names], place)
        called = normalise_group(group)
        if called in spelled:
            raise InputError(
                f'is the same group as "{fit_on_line(spelled[called])}"', place, hint="join them"
            )
        spelled[called] = group
        keywords += [Keyword(called, name) for name in _clean_names(names, place)]
    if not keywords:
        raise InputError("has no keyword", path, hint=_HINT)
    return Vocabulary(tuple(spelled), tuple(keywords))


def _clean_names(names: Sequence[str], place: Place) -> Iterator[str]:
    """The keywords of a group as they are compared; case and spaces do not tell two apart."""
    spelled: dict[str, str] = {}
    for name in names:
        cleaned = clean_keyword(name)
        if cleaned in spelled:
            first = spelled[cleaned]
            same = "twice" if first == name else f'and "{name}", which are the same keyword'
            raise InputError(
                f'has "{fit_on_line(first)}" {same}', place, hint="keep one of the two"
            )
        if cleaned:
            spelled[cleaned] = name
            yield cleaned
