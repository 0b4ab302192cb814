"""Measures of the order of results, and of where relevant items stand.

A definition computes from the tally `t`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.base.arrays import Floats
from engine.metrics.definition import Definition
from engine.metrics.tally import Gain, Tally, divide


def _average_precision(tally: Tally, k: int) -> Floats:
    return divide(tally.precision_sum(k), tally.relevant)


def _reciprocal_rank(tally: Tally, k: int) -> Floats:
    return tally.reciprocal_rank(k)


def _ndcg(gain: Gain, cut: bool) -> Callable[[Tally, int], Floats]:
    """nDCG with this gain; its ideal is cut where the list is, or not at all."""
    return lambda t, k: divide(t.dcg(k, gain), t.ideal_dcg(k if cut else None, gain))


_NDCG = "DCG / ideal DCG, DCG = Σ g_i/log2(i+1)"
_NDCG_CUT = "DCG@{k} / ideal DCG@{k}, DCG = Σ g_i/log2(i+1)"
_EXP = ("g_i", "(2^g_i − 1)")

LIST_DEFINITIONS = (
    Definition("AP", "Σ P@i · rel_i / R", _average_precision, implied="norm=R"),
    Definition("AP@k", "Σ(i ≤ {k}) P@i · rel_i / R", _average_precision, implied="norm=R"),
    Definition(
        "AP@k(norm=min)",
        "Σ(i ≤ {k}) P@i · rel_i / min(R, {size})",
        lambda t, k: divide(t.precision_sum(k), np.minimum(t.relevant, t.size(k))),
    ),
    Definition("nDCG", _NDCG, _ndcg("linear", cut=False), implied="gain=linear"),
    Definition("nDCG@k", _NDCG_CUT, _ndcg("linear", cut=True), implied="gain=linear"),
    Definition("nDCG(gain=exp)", _NDCG.replace(*_EXP), _ndcg("exp", cut=False)),
    Definition("nDCG@k(gain=exp)", _NDCG_CUT.replace(*_EXP), _ndcg("exp", cut=True)),
    Definition(
        "Rprec",
        "hits@R / R",
        lambda t, k: divide(t.hits_at_own_cutoff(t.relevant), t.relevant),
    ),
)

RANK_DEFINITIONS = (
    Definition("RR", "1 / rank of the first hit", _reciprocal_rank),
    Definition("RR@k", "1 / rank of the first hit, 0 beyond {k}", _reciprocal_rank),
    Definition(
        "MedR",
        "median over queries of the rank of the first relevant item",
        lambda t, k: t.first_rank(),
        aggregate="median",
        bounds=Tally.first_rank_unknown,
        lower_is_better=True,
    ),
    Definition(
        "MnR",
        "mean over queries of the rank of the first relevant item",
        lambda t, k: t.first_rank(),
        bounds=Tally.first_rank_unknown,
        lower_is_better=True,
    ),
    Definition(
        "MedR(all)",
        "median rank of every relevant item, all queries pooled",
        lambda t, k: t.median_rank(),
        aggregate="pooled",
        bounds=Tally.unfound,
        lower_is_better=True,
    ),
)
