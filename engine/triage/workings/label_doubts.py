"""Label doubts: which labels a second look at the clips contradicts.

The probability that a clip has a keyword comes from a probe of the second vectors that did not
learn from the clip's source (five folds, ridge, then a logistic of the score: Platt, 1999, with his
smoothed targets). A label is doubtful by confident learning (Northcutt, Jiang and Chuang, 2021):
the clip looks at least as much like the other kind as clips of that kind do on average,

    missing   not labelled, p ≥ t₁ = mean of p over the labelled clips, and p > 0.8
    wrong     labelled, 1 − p ≥ t₀ = mean of 1 − p over the others, and 1 − p > 0.8

The second of each keeps out labels that nobody could call probable: where the second look knows a
keyword badly, t is low. Of keywords that it hardly knows it could only guess, so they are left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.base.arrays import Bools, Floats, Ints
from engine.triage.study import Reference, Study
from engine.triage.workings.readability import (
    FEWEST_KEYWORD_SOURCES,
    place_scores,
    sum_by_source,
    weigh_places,
)
from engine.triage.workings.shrunk_covariance import ShrunkCovariance

KNOWN_AUC = 0.8
"""From which AUC on, out of fold, the second look knows a keyword. Wrong labels lower it too: with
one in twenty wrong, a look without any fault has 0.9 of a keyword of every fourth clip."""

PROBABLE = 0.8
"""How probable the other label must be."""

_FOLDS = 5
_PIECE = 20_000
_STEPS = 30


@dataclass(frozen=True, slots=True, eq=False)
class LabelDoubts:
    """Doubtful labels, the most doubtful first.

    rows         clips
    columns      bit columns of the keywords
    probability  that the clip has the keyword, as the second look sees it
    wrong        whether it is labelled and probably should not be; else it is probably missing
    judged       bit columns of the keywords that were judged
    rare         bit columns of those that too few sources have, or lack
    unclear      bit columns of those that the second look does not know
    clips        how many were judged
    """

    rows: Ints
    columns: Ints
    probability: Floats
    wrong: Bools
    judged: Ints
    rare: Ints
    unclear: Ints
    clips: int

    def __len__(self) -> int:
        return len(self.rows)

    def of(self, column: int) -> Ints:
        """The places of a keyword's doubts, the most doubtful first."""
        return np.flatnonzero(self.columns == column)


def measure_doubts(study: Study) -> LabelDoubts:
    """The labels that `study.second` contradicts; none if nobody looks a second time."""
    columns, second = study.selection.columns, study.second
    none = np.empty(0, np.int64)
    if second is None or not second.known.any():
        return LabelDoubts(none, none, np.empty(0), np.empty(0, np.bool_), none, columns, none, 0)
    rows = np.flatnonzero(second.known)
    labels = study.unpack(columns, rows)
    sources = np.unique(study.sources[rows], return_inverse=True)[1].reshape(-1)
    frequent = _find_frequent(labels, sources)
    scores, learned = score_out_of_fold(study, second, rows, labels[:, frequent], sources)
    own = labels[learned][:, frequent]
    auc = weigh_places(place_scores(scores[learned], own), own)[0]
    clear = auc >= KNOWN_AUC
    judged = np.flatnonzero(frequent)[clear]
    p = calibrate(scores[:, clear], labels[:, judged], learned)
    missing, wrong = find_doubtful(p, labels[:, judged])
    at, which = np.nonzero(missing | wrong)
    given = np.where(labels[:, judged], p, 1 - p)[at, which]
    order = np.lexsort((at, which, given))
    at, which = at[order], which[order]
    return LabelDoubts(
        rows=rows[at],
        columns=columns[judged[which]],
        probability=p[at, which],
        wrong=wrong[at, which],
        judged=columns[judged],
        rare=columns[~frequent],
        unclear=columns[np.flatnonzero(frequent)[~clear]],
        clips=len(rows),
    )


def _find_frequent(labels: Bools, sources: Ints) -> Bools:
    having = (sum_by_source(labels.astype(np.float64), sources) > 0).sum(axis=0)
    lacking = (sum_by_source((~labels).astype(np.float64), sources) > 0).sum(axis=0)
    found: Bools = np.minimum(having, lacking) >= FEWEST_KEYWORD_SOURCES
    return found


def score_out_of_fold(
    study: Study, second: Reference, rows: Ints, labels: Bools, sources: Ints
) -> tuple[Floats, Bools]:
    """(n, k) what probes say that did not learn from a clip's source; and from which clips they
    learned: all, or a sample."""
    learned = np.isin(rows, study.sample_clips())
    order = study.make_rng("doubt folds").permutation(int(sources.max(initial=0)) + 1)
    fold = (order % _FOLDS)[sources]
    scores = np.zeros(labels.shape)
    for number in range(_FOLDS):
        study.beat()
        train = np.flatnonzero(learned & (fold != number))
        held = np.flatnonzero(fold == number)
        if not len(train):
            continue
        covariance = ShrunkCovariance.of(second.vectors[rows[train]])
        probes = covariance.fit_probes(labels[train].astype(np.float64))
        for piece in study.pieces(len(held), _PIECE):
            some = held[piece]
            scores[some] = (second.vectors[rows[some]] - covariance.mean) @ probes
    return scores, learned


def calibrate(scores: Floats, labels: Bools, learned: Bools) -> Floats:
    """(n, k) probabilities σ(a s + b), each column by maximum likelihood with Platt's targets
    (n₁ + 1) / (n₁ + 2) and 1 / (n₀ + 2), so that scores that separate stay finite; by Newton's
    steps, all columns at once."""
    s = scores[learned]
    mean, scale = s.mean(axis=0), np.maximum(s.std(axis=0), np.finfo(float).tiny)
    s = (s - mean) / scale
    own = labels[learned]
    having = own.sum(axis=0)
    lacking = len(own) - having
    wanted = np.where(own, (having + 1) / (having + 2), 1 / (lacking + 2))
    slope, offset = np.zeros(s.shape[1]), np.log((having + 1) / (lacking + 1))
    for _ in range(_STEPS):
        p = _sigmoid(slope * s + offset)
        off, weight = wanted - p, p * (1 - p)
        g1, g0 = (off * s).sum(axis=0), off.sum(axis=0)
        h11, h10, h00 = (weight * s * s).sum(axis=0), (weight * s).sum(axis=0), weight.sum(axis=0)
        h11, h00 = h11 + 1e-9, h00 + 1e-9
        det = h11 * h00 - h10**2
        step1, step0 = (h00 * g1 - h10 * g0) / det, (h11 * g0 - h10 * g1) / det
        # Newton's steps may leap where nearly all are certain: no further than a unit at a time.
        size = np.maximum(1.0, np.maximum(abs(step1), abs(step0)))
        slope, offset = slope + step1 / size, offset + step0 / size
    return _sigmoid((scores - mean) / scale * slope + offset)


def _sigmoid(x: Floats) -> Floats:
    found: Floats = 0.5 * (1 + np.tanh(x / 2))
    return found


def find_doubtful(p: Floats, labels: Bools, least: float = PROBABLE) -> tuple[Bools, Bools]:
    """(n, k) which labels are probably missing, and which are probably wrong.

    >>> p = np.array([[0.9], [0.8], [0.85], [0.1], [0.1], [0.0]])
    >>> labels = np.array([[1], [1], [0], [1], [0], [0]]) > 0
    >>> [found[:, 0].astype(int).tolist() for found in find_doubtful(p, labels)]
    [[0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0]]
    """
    having = labels.sum(axis=0)
    like = np.where(labels, p, 0.0).sum(axis=0) / np.maximum(1, having)
    unlike = np.where(labels, 0.0, 1 - p).sum(axis=0) / np.maximum(1, len(labels) - having)
    missing: Bools = ~labels & (p >= like) & (p > least)
    wrong: Bools = labels & (1 - p >= unlike) & (1 - p > least)
    return missing, wrong
