"""What m would be if doubtful labels were corrected: every query is judged again."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from engine.base.arrays import Bools, Floats, Ints
from engine.dataset.clip_set import WORD, BitWords, set_bit
from engine.keywords.judge import judge
from engine.stats import Interval
from engine.triage.mode_queries import ModeQueries, compute_precision
from engine.triage.study import Study
from engine.triage.workings.label_doubts import LabelDoubts


@dataclass(frozen=True, slots=True, eq=False)
class CorrectedMode:
    """How far the mean of m of a mode could move.

    now      the mean of m
    then     the same, with all of the labels corrected
    between  the least and the most of: none corrected, those that are missing, those that are
             wrong, all of them
    values   (q,) m of each query with all of them corrected; NaN: it would not count
    """

    now: float
    then: float
    between: Interval
    values: Floats

    @property
    def moved(self) -> float:
        return self.then - self.now

    @property
    def range(self) -> Interval:
        """Of the difference."""
        low, high = self.between.low - self.now, self.between.high - self.now
        return Interval(low, high, self.between.level)


def correct_labels(study: Study, asked: ModeQueries, doubts: LabelDoubts) -> CorrectedMode:
    """Judge the queries of a mode against corrected labels."""
    every = np.ones(len(doubts), np.bool_)
    values = _judge_again(study, asked, doubts, every)
    now = _average(asked.values)
    tried = [now, _average(values)]
    for some in (doubts.wrong, ~doubts.wrong):
        study.beat()
        if some.any() and not some.all():
            tried.append(_average(_judge_again(study, asked, doubts, some)))
    return CorrectedMode(now, tried[1], Interval(min(tried), max(tried), float("nan")), values)


def _judge_again(study: Study, asked: ModeQueries, doubts: LabelDoubts, some: Bools) -> Floats:
    """(q,) m when some of the labels are turned round; query clips have other keywords then."""
    turned = turn_bits(study.truth.bits.shape, doubts.rows[some], doubts.columns[some])
    truth = replace(study.truth, bits=study.truth.bits ^ turned)
    own, bits = asked.queries.rows, asked.queries.bits
    if own is not None:
        bits = bits ^ (turned[own] & study.selection.mask)
    ranking = asked.judged.ranking.cut(study.settings.k)
    judged = judge(ranking, truth, bits, own_rows=asked.own_rows, one_per=study.one_per)
    return compute_precision(judged, study.settings.k)


def turn_bits(shape: tuple[int, ...], rows: Ints, columns: Ints) -> BitWords:
    """Bits that are set where a label is to be turned round.

    >>> turn_bits((2, 1), np.array([1, 1]), np.array([0, 2])).tolist()
    [[0], [5]]
    """
    bits = np.zeros(shape, np.uint64)
    np.bitwise_or.at(bits, (rows, columns // WORD), set_bit(columns))
    return bits


def _average(values: Floats) -> float:
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else float("nan")
