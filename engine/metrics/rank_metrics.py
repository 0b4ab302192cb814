"""Measures of where relevant items stand: reciprocal rank, median and mean rank."""

from __future__ import annotations

import numpy as np

from engine.base.arrays import Floats
from engine.metrics.definition import Definition
from engine.metrics.tally import Tally, divide


def reciprocal_rank(tally: Tally, k: int) -> Floats:
    exact = tally.relevance.first_rank
    if exact is None:
        return tally.reciprocal_rank(k)
    return divide((exact > 0).astype(np.float64), exact)


def reciprocal_rank_cut(tally: Tally, k: int) -> Floats:
    return tally.reciprocal_rank(k)


def first_rank(tally: Tally, k: int) -> Floats:
    return tally.first_rank()


def median_rank(tally: Tally, k: int) -> Floats:
    return tally.median_rank()


RANK_DEFINITIONS = (
    Definition("RR", "1 / rank of the first hit", reciprocal_rank, needs_list=False),
    Definition("RR@k", "1 / rank of the first hit, 0 beyond {k}", reciprocal_rank_cut),
    Definition(
        "MedR",
        "median over queries of the rank of the first relevant item",
        first_rank,
        aggregate="median",
        bounds=Tally.first_rank_unknown,
        needs_list=False,
        lower_is_better=True,
    ),
    Definition(
        "MnR",
        "mean over queries of the rank of the first relevant item",
        first_rank,
        bounds=Tally.first_rank_unknown,
        needs_list=False,
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
