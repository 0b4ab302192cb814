"""Relevance typed by hand: named clips decide what is relevant to a query, not its keywords.

clip_7            relevant
clip_7=2          relevant with the grade 2, which nDCG counts
clip_7=0          looked at, and not relevant
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from engine.base.arrays import Floats, Ints
from engine.base.errors import InputError, Place
from engine.base.ranking import Ranking
from engine.dataset.collection import Collection
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.query_set import QuerySet
from engine.files.reader import reads
from engine.files.text import read_filled_lines, read_text
from engine.keywords.evaluate import assess
from engine.keywords.judge import JudgedRanking
from engine.metrics import (
    Measure,
    Relevance,
    Scores,
    gains_from_sets,
    ideal_from_sets,
    score,
)
from engine.metrics.chance import ChanceLevels, compute_chance
from engine.metrics.policies import Policies

RELEVANT_GRADE = 1.0
"""The grade of a clip that was typed without one."""


@dataclass(frozen=True, slots=True)
class TypedClip:
    """A clip as it was written, perhaps with a grade, and where that stands."""

    text: str
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class TypedRelevance:
    """Clips with their grades, in the order in which they were typed; above 0 is relevant.

    left_out    the query clip, if it was typed: it is no answer to itself
    of_sources  where one clip of each source stays: the best grade of each that can be found
    """

    clips: tuple[str, ...]
    grades: tuple[float, ...]
    left_out: str | None = None
    of_sources: tuple[float, ...] | None = None

    @property
    def graded(self) -> bool:
        """Some relevant clip is worth more than another."""
        return any(grade not in (0, RELEVANT_GRADE) for grade in self.grades)

    @property
    def relevant_grades(self) -> Floats:
        grades = self.grades if self.of_sources is None else self.of_sources
        return np.array([grade for grade in grades if grade > 0], np.float64)

    def without(self, clip: str) -> TypedRelevance:
        """The same without one clip; itself if the clip is not there."""
        if clip not in self.clips:
            return self
        kept = [pair for pair in zip(self.clips, self.grades, strict=True) if pair[0] != clip]
        return TypedRelevance(
            tuple(name for name, _ in kept), tuple(grade for _, grade in kept), clip
        )

    def keep_one_per_source(self, truth: GroundTruth, query: str | None) -> TypedRelevance:
        """What a ranking with one clip per source is judged by: all clips decide about themselves,
        but of each source at most the best one counts. `query`: the clip that asks, nothing of
        whose source is an answer.

        >>> truth = GroundTruth.from_columns(list("abc"), {"g": [[], [], []]}, ["1", "1", "2"])
        >>> typed = TypedRelevance(("a", "b", "c"), (1.0, 2.0, 1.0))
        >>> typed.keep_one_per_source(truth, None).relevant_grades
        array([2., 1.])
        >>> typed.keep_one_per_source(truth, "c").left_out
        'c'
        """
        numbers = truth.source_numbers[truth.rows_of(self.clips)]
        own = -1 if query is None else int(truth.source_numbers[truth.row_of(query)])
        best: dict[int, float] = {}
        for number, grade in zip(numbers.tolist(), self.grades, strict=True):
            if grade > 0 and number != own:
                best[number] = max(best.get(number, 0.0), grade)
        return replace(
            self,
            left_out=query if query in self.clips else None,
            of_sources=tuple(best.values()),
        )

    def of_ranked(self, rows: Ints, truth: GroundTruth) -> Floats:
        """The grade of every ranked row, 0 for those that were not typed."""
        own = truth.rows_of(self.clips)
        indptr = np.array([0, len(own)], np.int64)
        found = gains_from_sets(rows[None, :], indptr, own, np.array(self.grades, np.float64))
        grades: Floats = found[0].astype(np.float64)
        return grades


@reads("judgements of clips")
def read_typed_clips(path: Path) -> tuple[TypedClip, ...]:
    """The clips of a file, one per line; empty lines do not count."""
    lines = read_filled_lines(read_text(path))
    return tuple(TypedClip(text.strip(), Place(path, number)) for number, text in lines)


def find_typed_clips(written: Iterable[TypedClip], truth: GroundTruth) -> TypedRelevance:
    """The clips that were meant; `InputError` for one that is not there, or has two grades.

    >>> truth = GroundTruth.from_columns(["a", "b", "b=2"], {"g": [[], [], []]})
    >>> find_typed_clips([TypedClip("a=3"), TypedClip("b"), TypedClip("b=2")], truth)
    TypedRelevance(clips=('a', 'b', 'b=2'), grades=(3.0, 1.0, 1.0), left_out=None, of_sources=None)
    """
    grades: dict[str, float] = {}
    for item in written:
        clip, grade = _clip_and_grade(item, truth)
        if grades.setdefault(clip, grade) != grade:
            raise InputError(
                f'the clip "{clip}" is given the grades {grades[clip]:g} and {grade:g}',
                item.place,
                hint="name it once",
            )
    return TypedRelevance(tuple(grades), tuple(grades.values()))


def _clip_and_grade(item: TypedClip, truth: GroundTruth) -> tuple[str, float]:
    # An id may itself hold an equals sign.
    if truth.rows_of([item.text])[0] >= 0:
        return item.text, RELEVANT_GRADE
    clip, equals, number = item.text.rpartition("=")
    if not equals:
        clip, number = item.text, str(RELEVANT_GRADE)
    clip = clip.strip()
    try:
        truth.row_of(clip)
    except InputError as error:
        raise error.at(item.place) from error
    try:
        grade = float(number)
    except ValueError:
        grade = math.nan
    if not math.isfinite(grade):
        raise InputError(
            f'the grade "{number.strip()}" of the clip "{clip}" is not a number',
            item.place,
            hint="write clip=2, or the clip alone",
        )
    return clip, grade


def assess_typed(
    collection: Collection,
    queries: QuerySet,
    ranking: Ranking,
    measures: Sequence[Measure],
    policies: Policies,
    *,
    typed: TypedRelevance,
) -> tuple[Scores, JudgedRanking]:
    """Judge and score the ranking of the one query by the typed clips, all of the collection."""
    by_clips = replace(policies, no_relevant="skip", relevance="all")
    _, by_keywords = assess(collection, queries, ranking, (), by_clips)
    grades = typed.of_ranked(ranking.indices[0], collection.truth)
    relevant = typed.relevant_grades
    judged = replace(
        by_keywords,
        hits=(grades > 0)[None, :] & by_keywords.retrieved,
        relevant=np.array([len(relevant)], np.int64),
    )
    seen = _see(judged, typed, policies)
    if typed.graded:
        seen = replace(seen, gains=np.where(judged.hits, grades, 0.0))
    rule, ties = policies.no_relevant, policies.ties
    return score(seen, measures, no_relevant=rule, ties=ties, names=queries.names), judged


def _see(judged: JudgedRanking, typed: TypedRelevance | None, policies: Policies) -> Relevance:
    """What the metrics know of the one query; of typed grades, the ideal order."""
    complete = judged.ranking.depth >= int(judged.collection[0])
    seen = judged.relevance(complete=complete, short=policies.fewer_than_k)
    if typed is None or not typed.graded:
        return seen
    grades = typed.relevant_grades
    return replace(seen, ideal=ideal_from_sets(np.array([0, len(grades)], np.int64), grades))


def compute_query_chance(
    judged: JudgedRanking, scores: Scores, policies: Policies, typed: TypedRelevance | None
) -> ChanceLevels:
    """What a random ranking would score in place of the one query's."""
    seen = _see(judged, typed, policies)
    return compute_chance(
        seen, scores.measures, no_relevant=policies.no_relevant, ties=policies.ties
    )


def assess_query(
    collection: Collection,
    queries: QuerySet,
    ranking: Ranking,
    measures: Sequence[Measure],
    policies: Policies,
    typed: TypedRelevance | None,
    k: int,
) -> tuple[Scores, JudgedRanking]:
    """Typed clips decide before keywords do; without both there are similarities only."""
    if typed is not None:
        return assess_typed(collection, queries, ranking, measures, policies, typed=typed)
    if queries.bits.any():
        return assess(collection, queries, ranking, measures, policies)
    no_truth = replace(policies, no_relevant="zero")
    return assess(collection, queries, ranking, choose_truthless_measures(measures, k), no_truth)


def choose_truthless_measures(measures: Sequence[Measure], k: int) -> tuple[Measure, ...]:
    """What can be said of a query without ground truth: those of the measures that need none, or
    else the mean similarity at each of their cut-offs.

    >>> [
    ...     str(measure)
    ...     for measure in choose_truthless_measures(
    ...         [Measure.parse("P@3"), Measure.parse("R@5")], 5
    ...     )
    ... ]
    ['AvgSim@3', 'AvgSim@5']
    """
    own = tuple(measure for measure in measures if not measure.needs_truth)
    cutoffs = {measure.cutoff for measure in measures if measure.cutoff is not None} or {k}
    return own or tuple(Measure.parse(f"AvgSim@{cutoff}") for cutoff in sorted(cutoffs))
