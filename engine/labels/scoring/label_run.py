"""Label Score@K of every direction and level: how many of the first K have the query's label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Floats, Ints
from engine.base.errors import InputError
from engine.base.messages import quote
from engine.base.progress import ProgressHook, Step
from engine.files.input_file import InputFile
from engine.labels.data.directions import Direction
from engine.labels.data.labelled_items import LabelledItems
from engine.labels.data.level import LabelLevel
from engine.labels.prototypes.prototypes import PrototypeSet
from engine.labels.scoring.label_confusion import LabelConfusion
from engine.labels.scoring.neighbours import ModalityIndexes
from engine.metrics.policies import LABEL_POLICIES, Policies

MeansByDirection: TypeAlias = dict[str, dict[int, float]]
"""The mean Label Score by direction and K: `results["text2sensor"][10]`."""


@dataclass(frozen=True, eq=False)
class LabelScore:
    """One direction judged by the labels of one level.

    names      (q) what each query is called
    codes      (q,) its label
    hits       (q, K) same-label items among its first k, for every k of `ks`
    relevant   (q,) same-label items that it could find
    reachable  how many items it could find
    confusion  for every k: which labels were found for which
    """

    direction: Direction
    level: LabelLevel
    ks: tuple[int, ...]
    names: tuple[str, ...]
    codes: Ints
    hits: Ints
    relevant: Ints
    reachable: int
    confusion: tuple[LabelConfusion, ...]
    policies: Policies = LABEL_POLICIES

    def size(self, k: int) -> int:
        """What the hits at k are divided by."""
        return min(k, self.reachable) if self.policies.fewer_than_k == "adaptive" else k

    def values(self, k: int) -> Floats:
        """LabelScore@k of every query; NaN for one that does not count."""
        values = self.hits[:, self.ks.index(k)] / self.size(k)
        return values if self.counted.all() else np.where(self.counted, values, np.nan)

    @cached_property
    def counted(self) -> npt.NDArray[np.bool_]:
        """Which queries count."""
        if self.policies.no_relevant == "zero":
            return np.ones(len(self.codes), np.bool_)
        counted: npt.NDArray[np.bool_] = self.relevant > 0
        return counted

    @property
    def without_relevant(self) -> int:
        """Queries whose label no item has that they could find."""
        return int(np.count_nonzero(self.relevant == 0))

    def mean(self, k: int) -> float:
        """LabelScore@k: the mean over the queries that count; NaN if none does.

        Whole hits are added up, so that the mean has one rounding only.
        """
        hits = self.hits[self.counted, self.ks.index(k)]
        return float(hits.sum() / (len(hits) * self.size(k))) if len(hits) else float("nan")

    def ceiling(self, k: int) -> float:
        """The mean of a perfect ranking: a label with fewer than k items cannot fill k places."""
        most = np.minimum(self.relevant[self.counted], k)
        return float(most.sum() / (len(most) * self.size(k))) if len(most) else float("nan")


@dataclass(frozen=True, eq=False)
class LabelRun:
    """Everything that was scored: every direction at every level that it has.

    inputs  the files that were read, by role
    """

    scores: tuple[LabelScore, ...]
    items: int
    ks: tuple[int, ...]
    notes: tuple[str, ...] = ()
    inputs: Mapping[str, InputFile] = field(default_factory=dict)

    @property
    def levels(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(score.level.name for score in self.scores))

    def of_level(self, level: str) -> tuple[LabelScore, ...]:
        return tuple(score for score in self.scores if score.level.name == level)

    def results(self, level: str | None = None) -> MeansByDirection:
        """The means of one level (None: the first), by direction and K."""
        chosen = self.of_level(level or self.levels[0])
        return {one.direction.name: {k: one.mean(k) for k in self.ks} for one in chosen}


def check_ks(ks: Sequence[int]) -> tuple[int, ...]:
    """The cut-offs, each once, in the order given."""
    for k in ks:
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
            raise InputError(f"K is {k!r}", hint="K is a whole number from 1 on")
    if not len(ks):
        raise InputError("no K is named", hint="give at least one, such as 10")
    return tuple(dict.fromkeys(int(k) for k in ks))


def score_labels(
    data: LabelledItems,
    directions: Sequence[Direction],
    ks: Sequence[int],
    *,
    prototypes: PrototypeSet | None = None,
    policies: Policies = LABEL_POLICIES,
    report: ProgressHook | None = None,
) -> LabelRun:
    """Rank every direction once and count the labels of all levels in its rankings."""
    ks = check_ks(ks)
    for direction in directions:
        data.check(direction)
    around = ModalityIndexes(data, prototypes)
    scores = [
        one for direction in directions for one in _score(around, direction, ks, policies, report)
    ]
    return LabelRun(tuple(scores), len(data), ks)


def _score(
    around: ModalityIndexes,
    direction: Direction,
    ks: tuple[int, ...],
    policies: Policies,
    report: ProgressHook | None,
) -> list[LabelScore]:
    queries = around.queries(direction)
    names, levels, asked = queries.names, queries.levels, queries.codes
    hits = [np.zeros((len(names), len(ks)), np.int64) for _ in levels]
    tables: list[list[LabelConfusion | None]] = [[None] * len(ks) for _ in levels]
    for part, rows in around.nearest(direction, max(ks)):
        for place, level in enumerate(levels):
            codes, found = asked[place][part], level.codes[rows]
            same = found == codes[:, None]
            for column, k in enumerate(ks):
                hits[place][part, column] = same[:, :k].sum(axis=1)
                table = LabelConfusion.count(codes, found[:, :k], len(level.names))
                before = tables[place][column]
                tables[place][column] = table if before is None else before + table
        if report:
            report(Step(direction.name, "evaluating", part.stop, len(names)))
    return [
        _finished(
            LabelScore(
                direction=direction,
                level=level,
                ks=ks,
                names=names,
                codes=asked[place],
                hits=hits[place],
                relevant=level.support[asked[place]] - direction.is_self,
                reachable=len(around.data) - direction.is_self,
                confusion=tuple(table for table in tables[place] if table is not None),
                policies=policies,
            )
        )
        for place, level in enumerate(levels)
    ]


def _finished(score: LabelScore) -> LabelScore:
    if score.policies.no_relevant == "error" and score.without_relevant:
        row = int((score.relevant == 0).argmax())
        label = score.level.names[int(score.codes[row])]
        raise InputError(
            f"{score.direction.name}: no other item has the label {quote(label)} of "
            f"{quote(score.names[row])}",
            hint="leave such items out, or let them count with --no-relevant zero",
        )
    return score
