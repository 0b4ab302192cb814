"""Measures of the order of results, and of where relevant items stand."""

from __future__ import annotations

import numpy as np

from engine.base.arrays import Floats
from engine.metrics.definition import Definition
from engine.metrics.tally import Tally, divide


def average_precision(tally: Tally, k: int) -> Floats:
    return divide(tally.precision_sum(k), tally.relevant)


def average_precision_min(tally: Tally, k: int) -> Floats:
    return divide(tally.precision_sum(k), np.minimum(tally.relevant, tally.size(k)))


def ndcg(tally: Tally, k: int) -> Floats:
    return divide(tally.dcg(k, "linear"), tally.ideal_dcg(k, "linear"))


def ndcg_exp(tally: Tally, k: int) -> Floats:
    return divide(tally.dcg(k, "exp"), tally.ideal_dcg(k, "exp"))


def ndcg_uncut(tally: Tally, k: int) -> Floats:
    return divide(tally.dcg(k, "linear"), tally.ideal_dcg(None, "linear"))


def ndcg_exp_uncut(tally: Tally, k: int) -> Floats:
    return divide(tally.dcg(k, "exp"), tally.ideal_dcg(None, "exp"))


def r_precision(tally: Tally, k: int) -> Floats:
    return divide(tally.hits_at_own_cutoff(tally.relevant), tally.relevant)


_NDCG = "DCG / ideal DCG, DCG = Σ g_i/log2(i+1)"
_NDCG_CUT = "DCG@{k} / ideal DCG@{k}, DCG = Σ g_i/log2(i+1)"

LIST_DEFINITIONS = (
    Definition("AP", "Σ P@i · rel_i / R", average_precision, implied="norm=R"),
    Definition("AP@k", "Σ(i ≤ {k}) P@i · rel_i / R", average_precision, implied="norm=R"),
    Definition("AP@k(norm=min)", "Σ(i ≤ {k}) P@i · rel_i / min(R, {size})", average_precision_min),
    Definition("nDCG", _NDCG, ndcg_uncut, implied="gain=linear"),
    Definition("nDCG@k", _NDCG_CUT, ndcg, implied="gain=linear"),
    Definition("nDCG(gain=exp)", _NDCG.replace("g_i", "(2^g_i − 1)"), ndcg_exp_uncut),
    Definition("nDCG@k(gain=exp)", _NDCG_CUT.replace("g_i", "(2^g_i − 1)"), ndcg_exp),
    Definition("Rprec", "hits@R / R", r_precision),
)


def reciprocal_rank(tally: Tally, k: int) -> Floats:
    return tally.reciprocal_rank(k)


def first_rank(tally: Tally, k: int) -> Floats:
    return tally.first_rank()


def median_rank(tally: Tally, k: int) -> Floats:
    return tally.median_rank()


RANK_DEFINITIONS = (
    Definition("RR", "1 / rank of the first hit", reciprocal_rank),
    Definition("RR@k", "1 / rank of the first hit, 0 beyond {k}", reciprocal_rank),
    Definition(
        "MedR",
        "median over queries of the rank of the first relevant item",
        first_rank,
        aggregate="median",
        bounds=Tally.first_rank_unknown,
        lower_is_better=True,
    ),
    Definition(
        "MnR",
        "mean over queries of the rank of the first relevant item",
        first_rank,
        bounds=Tally.first_rank_unknown,
        lower_is_better=True,
    ),
    Definition(
        "MedR(all)",
        "median rank of every relevant item, all queries pooled",
        median_rank,
        aggregate="pooled",
        bounds=Tally.unfound,
        lower_is_better=True,
    ),
)
