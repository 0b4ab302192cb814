"""What a run that was carried out here leaves: its results query by query, and their table."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import numpy as np

from engine.base.arrays import Ints
from engine.base.choices import Mode
from engine.base.ranking import NO_ITEM, shorten_scores
from engine.dataset.ground_truth import GroundTruth
from engine.keywords.evaluate import Evaluation
from engine.keywords.instead import Absence, choose_looked_at, find_evaluation_absences
from engine.keywords.query_table import QueryTable
from engine.keywords.run import Run
from engine.results.first_hits import FirstHits
from engine.results.results import KeptResults, Results, number_queries


def collect_results(run: Run, name: str | None = None) -> Results:
    """Every query that was asked, in order; those that were left out have no values."""
    parts = [_of_evaluation(run, evaluation) for evaluation in run.evaluations]
    return Results(
        name=name or run.collection.model.name,
        language=run.profile,
        measures=parts[0].measures,
        keys=tuple(key for part in parts for key in part.keys),
        values=np.concatenate([part.values for part in parts]),
        keywords=tuple(words for part in parts for words in part.keywords),
        relevant=np.concatenate([part.relevant for part in parts]),
        ranked=tuple(ranked for part in parts for ranked in part.ranked),
        videos=tuple(video for part in parts for video in part.videos),
        first_hits=None
        if any(part.first_hits is None for part in parts)
        else FirstHits.concat([part.first_hits for part in parts if part.first_hits is not None]),
        policies=(
            ("fewer_than_k", run.request.policies.fewer_than_k),
            ("relevance", run.request.policies.relevance),
            ("one_per", run.request.policies.one_per),
        ),
    )


def _of_evaluation(run: Run, evaluation: Evaluation) -> Results:
    queries, scores = evaluation.queries, evaluation.scores
    asked = queries.asked
    names, keywords = [""] * asked, [()] * asked  # type: list[str], list[tuple[str, ...]]
    ranked = [KeptResults((), (), ())] * asked
    values = np.full((asked, len(scores.measures)), np.nan)
    relevant = np.zeros(asked, np.int64)
    for place, name in queries.left_out:
        names[place] = name
    values[queries.places] = scores.values
    relevant[queries.places] = evaluation.judged.relevant
    rows = zip(
        queries.places.tolist(),
        queries.names,
        name_keywords(run, evaluation),
        _ranked(run, evaluation),
        strict=True,
    )
    for place, name, words, results in rows:
        names[place], keywords[place], ranked[place] = name, words, results
    return Results(
        name=run.collection.model.name,
        language=run.profile,
        measures=scores.measures,
        keys=number_queries([evaluation.mode] * asked, names),
        values=values,
        keywords=tuple(keywords),
        relevant=relevant,
        ranked=tuple(ranked),
        videos=_videos(run, evaluation.mode, names),
        first_hits=_first_hits(evaluation),
    )


def _first_hits(evaluation: Evaluation) -> FirstHits | None:
    """Of every query that was asked; those that were left out have none."""
    own, places = evaluation.first_hits, evaluation.queries.places
    if own is None:
        return None
    ranks = np.zeros(evaluation.queries.asked, np.int64)
    beyond = np.zeros_like(ranks)
    ranks[places], beyond[places] = own.ranks, own.beyond
    return FirstHits(ranks, beyond)


def _videos(run: Run, mode: Mode, names: list[str]) -> tuple[str, ...]:
    """The source of each query clip, by default its video; none for texts."""
    sources = run.dataset.truth.sources
    if mode == "text" or sources is None:
        return ("",) * len(names)
    rows = run.dataset.truth.rows_of(names)
    return tuple(sources[row] if row >= 0 else "" for row in rows.tolist())


def name_keywords(run: Run, evaluation: Evaluation) -> list[tuple[str, ...]]:
    """The keywords of every query; queries share keyword sets, so each set is named once."""
    distinct, which = np.unique(evaluation.queries.bits, axis=0, return_inverse=True)
    words = run.collection.truth.words
    named = [tuple(str(keyword) for keyword in words.named(bits)) for bits in distinct]
    return [named[number] for number in which.reshape(-1).tolist()]


def _ranked(run: Run, evaluation: Evaluation) -> list[KeptResults]:
    ids, judged = run.collection.truth.ids, evaluation.judged
    filled = judged.ranking.indices != NO_ITEM
    return [
        KeptResults(
            ids=tuple(ids[row] for row in rows[ok].tolist()),
            scores=tuple(shorten_scores(scores[ok])),
            gains=tuple(gains[ok].astype(float).tolist()),
        )
        for rows, scores, gains, ok in zip(
            judged.ranking.indices, judged.ranking.scores, judged.gains, filled, strict=True
        )
    ]


@dataclass(frozen=True, slots=True, eq=False)
class EvaluatedRun:
    """What an evaluation leaves: the table of its queries, and the top K behind each row.

    made  when it was carried out, if it was kept since; None: just now
    """

    table: QueryTable
    run: Run
    made: datetime | None = None

    @classmethod
    def of(cls, run: Run, made: datetime | None = None) -> EvaluatedRun:
        """Of a run of one mode."""
        (evaluation,) = run.evaluations
        return cls(QueryTable.of(evaluation, run.collection, run.profile), run, made)

    @property
    def evaluation(self) -> Evaluation:
        return self.run.evaluations[0]

    @property
    def truth(self) -> GroundTruth:
        return self.run.collection.truth

    @property
    def label_groups(self) -> tuple[str, ...]:
        """The groups that were judged and are labels: their confusions can be counted."""
        return tuple(g for g in self.run.selection.groups if g in self.truth.label_groups)

    @property
    def mode(self) -> Mode:
        return self.evaluation.mode

    @property
    def k(self) -> int:
        """How many results of each query are kept."""
        return self.evaluation.judged.ranking.depth

    @property
    def min_similarity(self) -> float | None:
        """Below it results count as not retrieved."""
        return self.evaluation.policies.min_similarity

    @property
    def counted_k(self) -> int:
        """The results of each query that the main measure looks at."""
        return choose_looked_at(self.evaluation, self.run.profile)

    def find_absences(self, rows: Ints | None = None) -> tuple[Absence, ...]:
        """What these rows of the table retrieved in place of each keyword that they ask for.

        A query clip has all that it asks for: it is never among the clips that lack a keyword.
        """
        return find_evaluation_absences(self.truth, self.evaluation, k=self.counted_k, rows=rows)

    def results(self) -> Results:
        """Query by query, for comparisons and curves; made again, and not kept."""
        return collect_results(self.run)
