"""The marks of one query where one clip of each source stays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.base.arrays import Ints
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.matching import count_keywords, count_matched
from engine.keywords.judge import JudgedRanking
from engine.metrics.gain_levels import GainLevels


def adjudicate_sources(
    judged: JudgedRanking, truth: GroundTruth, added: Ints, taken: Ints, own: str | None
) -> JudgedRanking:
    """One query's judged ranking, corrected: clips that are `added` have all that is asked for,
    those `taken` nothing, and which sources have a relevant clip is counted again; that of the
    query clip `own` does not count."""
    rows, bits = judged.ranking.indices, judged.query_bits[:1]
    asked = int(count_keywords(bits)[0])
    worth = count_matched(truth, np.arange(len(truth))[None], bits)[0]
    if judged.rule == "all":
        worth = np.where(worth == asked, asked, 0)
    worth[added], worth[taken] = asked, 0
    best = np.zeros(len(truth), np.int64)
    np.maximum.at(best, truth.source_numbers, worth)
    if own is not None:
        best[truth.source_numbers[truth.row_of(own)]] = 0
    hits = (worth[rows] > 0) & judged.retrieved
    relevant = np.array([np.count_nonzero(best)], np.int64)
    corrected = replace(judged, hits=hits, relevant=relevant)
    if judged.shares is None:
        return corrected
    by_matched = np.bincount(best, minlength=asked + 1)[None, 1:]
    return replace(
        corrected,
        shares=np.where(hits, worth[rows] / asked, 0.0),
        levels=GainLevels.of_matched(by_matched, np.array([asked])),
    )
