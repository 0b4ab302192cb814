"""Study: all that the analyses look at, opened and ranked once, and what they share.

What is expensive and wanted by several analyses is computed by whoever wants it first, through
`Study.once`, and kept as long as the study.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, cast

import numpy as np

from engine.base.arrays import Bools, Floats, Ints, Vectors
from engine.base.choices import OnePerPolicy
from engine.base.progress import split_range
from engine.dataset.clip_set import WORD, BitWords
from engine.dataset.collection import Collection
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.query_files import TextQuery
from engine.dataset.relevant_sources import (
    count_relevant_sources,
    count_sources,
    weigh_relevant_sources,
)
from engine.dataset.vocabulary import Selection
from engine.text import MAPPER_THRESHOLD
from engine.text.mapping.mapper import KeywordMapping
from engine.triage.effect import Resamples
from engine.triage.mode_queries import ModeQueries
from engine.triage.permutations import choose_permutations, note_permutations
from engine.triage.settings import DEFAULT_TRIAGE_SETTINGS, TriageSettings

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """Another look at the same clips: a descriptor of their frames, or a second model.

    name     as it is said in findings
    vectors  (clips, d) unit rows, zeros where a clip has none
    known    (clips,) whether a clip has one
    """

    name: str
    vectors: Vectors
    known: Bools


@dataclass(frozen=True, slots=True, eq=False)
class QueryTexts:
    """The text queries before their keywords were read, and what maps them.

    given      every text of the query set, with its keywords where a person gave them
    map        what the mapper makes of texts, in the chosen groups
    threshold  how likely a keyword must be to count
    """

    given: tuple[TextQuery, ...]
    map: Callable[[tuple[str, ...]], tuple[KeywordMapping, ...]]
    threshold: float = MAPPER_THRESHOLD


@dataclass(frozen=True, eq=False)
class Study:
    """What is studied: one model, its clips, and the queries of one mode or of two.

    vectors  (clips, d) float32, unit rows where the similarity is the cosine
    sources  (clips,) the same number for clips of one recording
    visual   how the clips look; None: nobody knows
    second   what judges the ground truth without the model; None: nothing can
    texts    the text queries as they were written; None: no texts are asked
    wanted   ids of findings that are to be listed, though others be worse
    one_per  what has one place in a ranking: a clip, or a source of clips
    beat     is called between pieces of work: an exception that it raises ends the study
    """

    collection: Collection
    selection: Selection
    asked: tuple[ModeQueries, ...]
    vectors: Vectors
    sources: Ints
    settings: TriageSettings = DEFAULT_TRIAGE_SETTINGS
    visual: Reference | None = None
    second: Reference | None = None
    texts: QueryTexts | None = None
    wanted: frozenset[str] = frozenset()
    one_per: OnePerPolicy = "clip"
    beat: Callable[[], None] = lambda: None
    _known: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)

    def wanting(self, ids: Iterable[str]) -> Study:
        """The same study, in which these findings are listed, too; what it computed stays."""
        other = replace(self, wanted=self.wanted | frozenset(ids))
        other._known.update(self._known)
        return other

    def beating(self, beat: Callable[[], None]) -> Study:
        """The same study with another beat; what either computes, both have."""
        other = replace(self, beat=beat)
        object.__setattr__(other, "_known", self._known)
        return other

    @property
    def truth(self) -> GroundTruth:
        return self.collection.truth

    @property
    def groups(self) -> tuple[str, ...]:
        """The chosen groups that have a keyword."""
        return tuple(group for group in self.selection.groups if len(self.columns_of(group)))

    def columns_of(self, group: str) -> Ints:
        """The bit columns of a group's chosen keywords."""
        own = [c for c in self.selection.columns.tolist() if self._group_of(c) == group]
        return np.array(own, np.int64)

    def _group_of(self, column: int) -> str:
        return self.truth.words.keywords[column].group

    def unpack(self, columns: Ints, rows: Ints | None = None) -> Bools:
        """(rows, columns) which clips have which keywords; all clips if no rows are named."""
        return unpack_columns(self.truth.bits if rows is None else self.truth.bits[rows], columns)

    def count_relevant(self, bits: BitWords, own_rows: Ints | None = None) -> Ints:
        """(q,) R: what a ranking could return that has all keywords of each query, clips or sources
        with such a clip. `own_rows`: query clips, which are no results, nor is their source where
        sources are ranked."""
        if self.one_per == "source":
            return count_relevant_sources(self.truth, bits, "all", own_rows)
        return self.truth.relevant_counts(bits, own_rows)

    def count_items(self, own_rows: Ints | None = None) -> int:
        """N: what a ranking could return, clips or sources, at least one."""
        every = count_sources(self.truth) if self.one_per == "source" else len(self.truth)
        return max(1, every - (own_rows is not None))

    def compute_chance(self, bits: BitWords, own_rows: Ints | None = None) -> Floats:
        """(q,) the P@k of results in any order: R / N of clips. A source with one relevant clip
        among many is seldom a hit by chance: of sources it is the mean share of their clips."""
        return self.weigh_relevant(bits, own_rows)[1]

    def weigh_relevant(self, bits: BitWords, own_rows: Ints | None = None) -> tuple[Ints, Floats]:
        """Both at once: R, and the P@k of results in any order."""
        if self.one_per == "source":
            return weigh_relevant_sources(self.truth, bits, own_rows)
        relevant = self.count_relevant(bits, own_rows)
        return relevant, relevant / self.count_items(own_rows)

    def chance_of(self, asked: ModeQueries) -> Floats:
        """(q,) the P@k by chance of the queries of a mode."""
        return self.once(_compute_chances, self.asked.index(asked))

    def once(self, compute: Callable[..., Value], *arguments: Hashable) -> Value:
        """`compute(self, *arguments)`, computed by whoever asks first."""
        key = (compute, arguments)
        if key not in self._known:
            self._known[key] = compute(self, *arguments)
        return cast(Value, self._known[key])

    def make_rng(self, name: str) -> np.random.Generator:
        """A generator of its own for whatever is drawn under a name: what one analysis draws
        never changes what another one does."""
        return np.random.default_rng([self.settings.seed, zlib.crc32(name.encode())])

    def choose_permutations(self, tests: int) -> int:
        """How many an analysis of so many tests needs: see `engine.triage.permutations`."""
        return choose_permutations(tests, self.settings)

    def note_permutations(self, tests: int, permutations: int) -> tuple[str, ...]:
        """That no p can be small enough, where it is so."""
        return note_permutations(tests, permutations, self.settings)

    def resamples(self, asked: ModeQueries) -> Resamples:
        """Resamples of the queries of a mode, the same for every model that they are put to."""
        return self.once(_draw_resamples, self.asked.index(asked))

    def sample_queries(self, asked: ModeQueries) -> Ints:
        """The queries that costly analyses look at, ascending: all, or a sample."""
        most, total = self.settings.most_queries, len(asked)
        if total <= most:
            return np.arange(total)
        drawn = self.make_rng(f"queries {asked.mode}").choice(total, most, replace=False)
        return np.sort(drawn)

    def sample_clips(self, most: int | None = None) -> Ints:
        """The clips that costly analyses learn from, ascending: all, or a sample."""
        most, total = most or self.settings.most_clips, len(self.collection)
        if total <= most:
            return np.arange(total)
        return np.sort(self.make_rng("clips").choice(total, most, replace=False))

    def split_clips(self, clips: Ints) -> Iterator[tuple[Ints, Ints]]:
        """Halves of some clips, as places among them: each source is in one half. As many splits as
        the settings say, the same for every model."""
        source = np.unique(self.sources[clips], return_inverse=True)[1].reshape(-1)
        sources = int(source.max(initial=-1)) + 1
        for number in range(self.settings.splits):
            order = self.make_rng(f"split {number}").permutation(sources)
            first = np.zeros(sources, np.bool_)
            # Sources in a random order, until half of the clips are in the first half.
            sizes = np.bincount(source, minlength=sources)[order]
            first[order[np.cumsum(sizes) - sizes / 2 <= len(clips) / 2]] = True
            yield np.flatnonzero(first[source]), np.flatnonzero(~first[source])

    def score(self, queries: Vectors, clips: Vectors) -> Floats:
        """(queries, clips) similarities of a few vectors, higher is nearer."""
        products: Floats = queries.astype(np.float64) @ clips.T.astype(np.float64)
        if self.collection.model.metric != "l2":
            return products
        squares = np.vecdot(queries, queries)[:, None] + np.vecdot(clips, clips) - 2 * products
        distances: Floats = -np.sqrt(np.maximum(0.0, squares))
        return distances

    def pieces(self, total: int, size: int) -> Iterator[slice]:
        """Pieces of work, with a beat before each."""
        for piece in split_range(total, size):
            self.beat()
            yield piece


def unpack_columns(bits: np.ndarray[Any, np.dtype[np.uint64]], columns: Ints) -> Bools:
    """(n, columns) single columns of packed bits.

    >>> unpack_columns(np.array([[5], [2]], np.uint64), np.array([0, 1])).tolist()
    [[True, False], [False, True]]
    """
    found: Bools = (
        bits[:, columns // WORD] >> (columns % WORD).astype(np.uint64) & np.uint64(1)
    ).astype(np.bool_)
    return found


def _compute_chances(study: Study, mode: int) -> Floats:
    asked = study.asked[mode]
    return study.compute_chance(asked.judged.query_bits, asked.own_rows)


def _draw_resamples(study: Study, mode: int) -> Resamples:
    settings = study.settings
    return Resamples.draw(
        study.asked[mode].clusters, settings.resamples, settings.seed, settings.level
    )
