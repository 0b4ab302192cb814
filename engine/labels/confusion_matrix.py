"""ConfusionMatrix: of an evaluation, which labels were retrieved for the queries of each label.

A group can be looked at so if no clip has two of its keywords: then a result has one label in place
of another. What is counted are the results that the main measure looks at, the first K of every
query.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Floats, Ints
from engine.base.choices import RelevancePolicy
from engine.base.keyword import Keyword
from engine.dataset.clip_set import WORD, BitWords
from engine.dataset.ground_truth import GroundTruth
from engine.files.csv_cells import escape_formula
from engine.keywords.evaluated_run import EvaluatedRun
from engine.labels.scoring.label_confusion import LabelConfusion

ConfusionSortKey: TypeAlias = Literal["score", "queries", "label"]

LABEL_SCORE = "LabelScore"
NO_LABEL = "no label"
"""What results are called that have no keyword of the group."""


@dataclass(frozen=True, eq=False)
class ConfusionMatrix:
    """Label × label counts, with how well the queries of each label do.

    names      of the labels; one more than `labels` if some results have none
    labels     how many labels a query can have
    means      (labels,) mean of the main measure over the queries of each label; NaN: none counts.
               A label score is that of this group, also where others were judged with it
    k          results of each query that are counted
    left_out   queries that are in no row, because they have no or several labels
    unscored   queries that are in a row, and in no mean, because nothing is relevant to them
    asks_more  whether the means judge by more than the label: a result with the same label need
               not be a hit then
    rule       what makes a result a hit, where the means judge by more than the label
    """

    group: str
    names: tuple[str, ...]
    labels: int
    table: LabelConfusion
    means: Floats
    k: int
    left_out: int = 0
    unscored: int = 0
    asks_more: bool = False
    rule: RelevancePolicy = "all"

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def rows(self) -> Ints:
        """The labels that some query has."""
        return np.flatnonzero(self.table.queries)

    def keyword(self, label: int) -> Keyword:
        return Keyword(self.group, self.names[label])

    def order(self, by: ConfusionSortKey = "score", *, reverse: bool = False) -> Ints:
        """The rows: the worst mean first, or the most queries, or by label as the file has them."""
        rows = self.rows
        if by == "score":
            worst = np.where(np.isnan(self.means[rows]), np.inf, self.means[rows])
            rows = rows[np.lexsort((rows, -self.table.queries[rows], worst))]
        elif by == "queries":
            rows = rows[np.lexsort((rows, -self.table.queries[rows]))]
        return rows[::-1] if reverse else rows

    @cached_property
    def columns(self) -> Ints:
        """Every label that was retrieved, those that stand most where others belong first."""
        found = np.flatnonzero(self.table.right + self.table.intruding)
        order = np.lexsort((found, -self.table.right[found], -self.table.intruding[found]))
        return found[order]

    def shares(self, label: int, columns: Ints) -> Floats:
        """Shares of a label's results that have each of these labels, and last of all others."""
        counts = self.table.counts(label)[columns]
        total = self.table.total(label)
        with_rest = np.append(counts, total - counts.sum())
        return with_rest / total if total else np.zeros(len(with_rest))

    def as_cells(self, rows: Ints) -> Iterator[list[str]]:
        """A header and one line per pair of labels that occurs, for a CSV file."""
        yield ["group", "query_label", "queries", "retrieved_label", "count", "share"]
        for label in rows.tolist():
            total = self.table.total(label)
            for other, count in self.table.top(label, len(self.names)):
                yield [
                    escape_formula(self.group),
                    escape_formula(self.names[label]),
                    str(int(self.table.queries[label])),
                    escape_formula(self.names[other]),
                    str(count),
                    repr(count / total),
                ]


def count_confusions(
    evaluated: EvaluatedRun, group: str, rows: Ints | None = None
) -> ConfusionMatrix:
    """Count what these rows of the evaluation's table retrieved (None: all of them)."""
    truth, judged = evaluated.truth, evaluated.evaluation.judged
    names = tuple(keyword.name for keyword in truth.words.of([group]))
    chosen = np.arange(len(judged.query_bits)) if rows is None else rows
    asked = number_labels(truth, group, judged.query_bits[chosen])
    own = number_labels(truth, group, truth.bits)
    k = evaluated.table.main.cutoff or evaluated.k
    ranked = judged.ranking.indices[chosen, :k]
    found = np.where(judged.retrieved[chosen, :k], own[ranked], len(names) + 1)
    unlabelled = bool((found < 0).any())
    found[found < 0] = len(names)
    found[found > len(names)] = -1
    table = LabelConfusion.count(asked, found, len(names) + unlabelled)
    values = evaluated.table.scores.column(evaluated.table.main)[chosen]
    several = len(evaluated.run.selection.groups) > 1
    by_label = evaluated.table.main.name == LABEL_SCORE
    if by_label and several:
        values = _scores_of_group(values, asked[:, None] == found, k)
    return ConfusionMatrix(
        group=group,
        names=(*names, NO_LABEL) if unlabelled else names,
        labels=len(names),
        table=table,
        means=_means(asked, values, len(names)),
        k=k,
        left_out=int(np.count_nonzero(asked < 0)),
        unscored=int(np.count_nonzero((asked >= 0) & np.isnan(values))),
        asks_more=several and not by_label,
        rule=judged.rule,
    )


def _scores_of_group(values: Floats, same: npt.NDArray[np.bool_], k: int) -> Floats:
    """The label score of each query by this group alone, where others were judged as well."""
    return np.where(np.isnan(values), np.nan, same.sum(axis=1) / k)


def number_labels(truth: GroundTruth, group: str, bits: BitWords) -> Ints:
    """(n,) the number of each row's keyword among the group's; -1 for none, or for several."""
    own = bits & _mask(truth, group)
    place = (own != 0).argmax(axis=1)
    word = own[np.arange(len(own)), place]
    below = (word - np.uint64(1)) & ~word
    column = place * WORD + np.bitwise_count(below).astype(np.int64)
    columns = truth.words.select([group]).columns  # those of a group lie together
    first = int(columns[0]) if len(columns) else 0
    return np.where(np.bitwise_count(own).sum(axis=1) == 1, column - first, -1)


def _mask(truth: GroundTruth, group: str) -> BitWords:
    return truth.words.select([group]).mask


def _means(codes: Ints, values: Floats, labels: int) -> Floats:
    counts = (codes >= 0) & ~np.isnan(values)
    sums = np.bincount(codes[counts], values[counts], minlength=labels)
    n = np.bincount(codes[counts], minlength=labels)
    return np.where(n > 0, sums / np.maximum(n, 1), np.nan)
