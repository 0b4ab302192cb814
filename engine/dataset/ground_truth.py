"""Ground truth: which clip has which keyword, as bits, and which clips are relevant to a query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Ints
from engine.base.errors import InputError, Place
from engine.base.keyword import Keyword
from engine.base.messages import fit_on_line, suggest
from engine.dataset.annotations.cells import GroupCells
from engine.dataset.annotations.layout import normalise_group
from engine.dataset.annotations.read import Annotations, DuplicateClipPolicy, read_annotations
from engine.dataset.clip_set import (
    WORD,
    BitWords,
    ClipSet,
    count_supersets,
    find_bits,
    find_distinct_rows,
    set_bit,
    transpose_bits,
)
from engine.dataset.vocabulary import Selection, Vocabulary

MAX_BYTES = 4 << 30
"""Clip × keyword bits beyond this size mean that a column of free text was taken for keywords."""


@dataclass(frozen=True, eq=False)
class GroundTruth:
    """Clips × keywords; the position of an id in `ids` is its row.

    `bits` is (clips, words) uint64: keyword column c is bit c % 64 of word c // 64. `sources` names
    the recording that each clip is cut from, "" where that is not known; None: of no clip it is.

    >>> truth = GroundTruth.from_columns(
    ...     ["a", "b"], {"object_type": [["bicyclist", "bollard"], ["bollard"]]}
    ... )
    >>> truth.relevant([truth.words.find("bollard")]).indices().tolist()
    [0, 1]
    >>> truth.relevant(["bollard", "object_type:bicyclist"]).count
    1
    """

    ids: tuple[str, ...]
    words: Vocabulary
    bits: BitWords
    sources: tuple[str, ...] | None = None

    @cached_property
    def label_groups(self) -> frozenset[str]:
        """The groups of which no clip has two keywords: those are labels.

        >>> GroundTruth.from_columns(["a"], {"g": [["x"]], "h": [["y", "z"]]}).label_groups
        frozenset({'g'})
        """

        def most(group: str) -> int:
            mask = self.words.select([group]).mask
            own = np.flatnonzero(mask)  # of hundreds of groups each has a few words
            bits = self.bits[:, own] & mask[own]
            return int(np.bitwise_count(bits).sum(axis=1, dtype=np.int64).max(initial=0))

        return frozenset(group for group in self.words.groups if most(group) <= 1)

    @classmethod
    def read(
        cls,
        path: Path | str,
        groups: Sequence[str] | None = None,
        duplicates: DuplicateClipPolicy = "error",
    ) -> GroundTruth:
        """Read an annotation file; see `read_annotations` for what is accepted."""
        return cls.from_annotations(read_annotations(path, groups, duplicates))

    @classmethod
    def from_annotations(cls, annotations: Annotations) -> GroundTruth:
        """The bits of annotations that were read already."""
        place = Place(annotations.path)
        return cls._build(annotations.ids, annotations.groups, place, annotations.sources)

    @classmethod
    def from_columns(
        cls,
        ids: Iterable[str],
        groups: Mapping[str, Sequence[Iterable[str]]],
        sources: Iterable[str] | None = None,
    ) -> GroundTruth:
        """Build one by hand: for every group, one collection of keywords per clip."""
        ids = tuple(ids)
        if any(len(rows) != len(ids) for rows in groups.values()) or len(set(ids)) != len(ids):
            raise ValueError("every group needs one collection per clip, and ids must differ")
        cells = [
            GroupCells.from_lists(normalise_group(name), rows) for name, rows in groups.items()
        ]
        return cls._build(ids, cells, Place(), None if sources is None else tuple(sources))

    @classmethod
    def _build(
        cls,
        ids: tuple[str, ...],
        groups: Sequence[GroupCells],
        place: Place,
        sources: tuple[str, ...] | None,
    ) -> GroundTruth:
        keywords = tuple(Keyword(cells.group, name) for cells in groups for name in cells.names)
        words = Vocabulary(tuple(cells.group for cells in groups), keywords)
        if len(ids) * words.words * 8 > MAX_BYTES:
            widest = max(groups, key=lambda cells: len(cells.names))
            raise InputError(
                f"{len(widest.names)} different keywords",
                Place(place.file, column=widest.column),
                hint="is this free text? name the columns that hold keywords",
            )
        bits = np.zeros((len(ids), words.words), np.uint64)
        first = 0
        for cells in groups:
            _set_bits(bits, cells, first)
            first += len(cells.names)
        bits.flags.writeable = False
        return cls(ids, words, bits, sources if sources and any(sources) else None)

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def counts(self) -> Ints:
        """How many clips have each keyword, in the order of `words.keywords`."""
        counts: Ints = np.bitwise_count(self.columns).sum(axis=1, dtype=np.int64)
        return counts

    @cached_property
    def source_numbers(self) -> Ints:
        """(clips,) the same number for the clips of one source: the row of the first of them. A
        clip whose source is not known has one of its own.

        >>> sources = ["drive.mp4", "", "drive.mp4", ""]
        >>> GroundTruth.from_columns(list("abcd"), {}, sources).source_numbers.tolist()
        [0, 1, 0, 3]
        """
        if self.sources is None:
            return np.arange(len(self), dtype=np.int64)
        first: dict[str, int] = {}
        named = enumerate(self.sources)
        numbers = (first.setdefault(source, row) if source else row for row, source in named)
        return np.fromiter(numbers, np.int64, len(self))

    @cached_property
    def columns(self) -> BitWords:
        return transpose_bits(self.bits, len(self.words.keywords))

    @cached_property
    def _row_of(self) -> dict[str, int]:
        return {clip: row for row, clip in enumerate(self.ids)}

    def row_of(self, clip: str) -> int:
        """The row of a clip id; `InputError` if there is none."""
        row = self._row_of.get(clip)
        if row is None:
            near = suggest(clip, self.ids) if len(self) <= 20_000 else ""
            raise InputError(
                f'no clip "{fit_on_line(clip)}" in the annotations',
                hint=near or "check the slice_id",
            )
        return row

    def rows_of(self, clips: Iterable[str]) -> Ints:
        """The rows of many clip ids, -1 where there is none."""
        return np.array([self._row_of.get(clip, -1) for clip in clips], np.int64)

    def keywords_of(self, row: int, selection: Selection | None = None) -> tuple[Keyword, ...]:
        """The keywords of one clip, those outside the selection left out."""
        return self.words.named(self.bits_of(np.array([row], np.int64), selection)[0])

    def relevant(
        self, keywords: Iterable[Keyword | str], selection: Selection | None = None
    ) -> ClipSet:
        """The clips that have ALL of the keywords.

        Keywords outside the selection are ignored; if none is left, no clip is relevant.
        """
        chosen = {self._column(keyword) for keyword in keywords}
        if selection is not None:
            chosen &= set(selection.columns.tolist())
        return ClipSet.intersection([self.columns[column] for column in chosen], len(self))

    def counts_with(self, keywords: Iterable[Keyword | str]) -> Ints:
        """For every keyword, how many clips have it and all of these, in column order.

        >>> truth = GroundTruth.from_columns(["a", "b"], {"g": [["x", "y"], ["y"]]})
        >>> truth.counts_with(["x"]).tolist()
        [1, 1]
        """
        having = self.relevant(keywords)
        if having.count * WORD < len(self):
            found = find_bits(self.bits[having.indices()])[1]
            return np.bincount(found, minlength=len(self.words.keywords)).astype(np.int64)
        counts: Ints = np.bitwise_count(self.columns & having.words).sum(axis=1, dtype=np.int64)
        return counts

    def _column(self, keyword: Keyword | str) -> int:
        column = self.words.column_of.get(keyword) if isinstance(keyword, Keyword) else None
        return self.words.column_of[self.words.resolve(keyword)] if column is None else column

    def query_bits(self, queries: Iterable[Iterable[Keyword | str]]) -> BitWords:
        """The keywords of every query as a row of bits: (queries, words)."""
        columns = [[self._column(keyword) for keyword in keywords] for keywords in queries]
        bits = np.zeros((len(columns), self.bits.shape[1]), np.uint64)
        query = np.repeat(np.arange(len(columns)), [len(row) for row in columns])
        flat = np.array([column for row in columns for column in row], np.int64)
        np.bitwise_or.at(bits, (query, flat // WORD), set_bit(flat))
        return bits

    def bits_of(self, rows: Sequence[int] | Ints, selection: Selection | None = None) -> BitWords:
        """The clips' own keywords as rows of bits, masked to the selection."""
        own = self.bits[np.asarray(rows, np.int64)]
        return own if selection is None else own & selection.mask

    def relevant_counts(
        self, query_bits: BitWords, exclude_rows: Sequence[int] | Ints | None = None
    ) -> Ints:
        """Number of clips that have all keywords of each query; 0 for a query without keywords.

        `exclude_rows` is one row per query that does not count as relevant (the query clip
        itself), or -1.
        """
        first, query = find_distinct_rows(query_bits)
        distinct = query_bits[first]
        counts = np.zeros(len(distinct), np.int64)
        asked = distinct.any(axis=1)
        counts[asked] = count_supersets(self.bits, self.columns, distinct[asked], self.counts)
        found = counts[query]
        if exclude_rows is not None:
            own = np.asarray(exclude_rows, np.int64)[:, None]
            found = found - self.has_all(own, query_bits)[:, 0]
        return found

    def has_all(self, rows: Ints, query_bits: BitWords) -> npt.NDArray[np.bool_]:
        """For rows (queries, depth): does the clip have all keywords of its query?

        False where the row is `NO_ITEM` (-1), and for a query without keywords.
        """
        answer: npt.NDArray[np.bool_] = (rows >= 0) & query_bits.any(axis=1, keepdims=True)
        # Of thousands of keywords a query has a few: only the words that hold them are looked at.
        query, words = np.nonzero(query_bits)
        lengths = np.bincount(query, minlength=len(query_bits))
        starts = np.cumsum(lengths) - lengths
        for number in range(int(lengths.max(initial=0))):
            asking = np.flatnonzero(lengths > number)
            word = words[starts[asking] + number]
            wanted = query_bits[asking, word][:, None]
            has = (self.bits[rows[asking], word[:, None]] & wanted) == wanted
            if len(asking) == len(answer):
                answer &= has
            else:
                answer[asking] &= has
        return answer

    def take(self, rows: Sequence[int] | Ints) -> GroundTruth:
        """The clips of these rows, in this order; the vocabulary and its columns stay."""
        rows = np.asarray(rows, np.int64)
        if len(rows) == len(self) and (rows == np.arange(len(self))).all():
            return self
        bits, kept = self.bits[rows], rows.tolist()
        bits.flags.writeable = False
        sources = None if self.sources is None else tuple(self.sources[row] for row in kept)
        return GroundTruth(tuple(self.ids[row] for row in kept), self.words, bits, sources)


_FEW_WORDS = 4
"""A group of more words than these has them set one by one, only where there is a keyword."""


def _set_bits(bits: BitWords, cells: GroupCells, first: int) -> None:
    """Set the bits of one group, whose keywords begin at column `first`."""
    columns = first + np.arange(len(cells.names), dtype=np.int64)
    words = np.unique(columns // WORD)
    if len(words) > _FEW_WORDS:
        _set_rare_bits(bits, cells, first)
        return
    filled = np.flatnonzero(np.diff(cells.starts))
    for word in words.tolist():
        value = np.where(columns // WORD == word, set_bit(columns), np.uint64(0))
        of_cell = np.zeros(len(cells.starts) - 1, np.uint64)
        # Between the starts of filled cells lie exactly their keywords: empty cells have none.
        of_cell[filled] = np.bitwise_or.reduceat(value[cells.keywords], cells.starts[filled])
        bits[:, word] |= of_cell[cells.cell_of]


def _set_rare_bits(bits: BitWords, cells: GroupCells, first: int) -> None:
    """The same, keyword by keyword of every clip: the work is as much as there are of those."""
    lengths = np.diff(cells.starts)[cells.cell_of]
    clip = np.repeat(np.arange(len(lengths)), lengths)
    before = np.cumsum(lengths) - lengths
    place = np.arange(len(clip)) + np.repeat(cells.starts[cells.cell_of] - before, lengths)
    columns = first + cells.keywords[place].astype(np.int64)
    np.bitwise_or.at(bits, (clip, columns // WORD), set_bit(columns))
