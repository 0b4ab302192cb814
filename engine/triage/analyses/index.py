"""What an index that does not compare with every clip loses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from engine.base.arrays import Floats, Vectors
from engine.base.messages import format_percentage, pluralise
from engine.base.ranking import NO_ITEM, Ranking
from engine.search.exhaustive import score_candidates
from engine.triage.analysis import Analysis
from engine.triage.effect import Effect
from engine.triage.finding import Exhibit, Finding, Topic
from engine.triage.mode_queries import ModeQueries
from engine.triage.study import Study
from engine.triage.workings.exact_search import (
    choose_product,
    is_exact,
    measure_precision,
    rank_exactly,
    rank_sample,
)
from engine.triage.workings.paired_loss import (
    PairedLoss,
    describe_no_loss,
    format_loss,
    measure_paired_loss,
)

LOW_RECALL = 0.9
"""A query whose share of the exact results is below this is counted."""

_MOST_SHOWN = 10


@dataclass(frozen=True, slots=True, eq=False)
class IndexLoss:
    """An index against the exact search of the same queries.

    lost    m of the exact search minus m of the index
    recall  (q,) the share of the exact first k that the index returns; NaN: not looked at
    """

    lost: PairedLoss
    recall: Floats

    @property
    def points(self) -> Effect:
        """m of the exact search minus m of the index."""
        return self.lost.effect

    @property
    def mean_recall(self) -> float:
        return float(np.nanmean(self.recall))

    @property
    def share_low(self) -> float:
        """The share of queries that get less than `LOW_RECALL` of the exact results."""
        looked_at = self.recall[np.isfinite(self.recall)]
        return float((looked_at < LOW_RECALL).mean())


def measure_index_loss(study: Study, mode: int) -> IndexLoss | None:
    """What the index loses in a mode; None: it is exact by construction."""
    if is_exact(study):
        return None
    asked, k = study.asked[mode], study.settings.k
    rows, exact = study.once(rank_sample, mode)
    kept = asked.judged.ranking
    returned = Ranking(kept.indices[rows, :k], kept.scores[rows, :k])
    metric = choose_product(study.collection.model.metric)
    there = returned.indices != NO_ITEM
    scores = score_candidates(
        asked.vectors[rows], study.vectors, np.where(there, returned.indices, 0), metric
    )
    recall = np.full(len(asked), np.nan)
    recall[rows] = compute_recall(exact.scores, np.where(there, scores, np.float32(-np.inf)))
    best = measure_precision(study, asked, rows, exact)
    now = measure_precision(study, asked, rows, returned)
    modes = len(study.asked)
    lost = measure_paired_loss(study, asked, now, best, f"index {asked.mode}", modes)
    return IndexLoss(lost, recall)


def compute_recall(exact: Vectors, returned: Vectors) -> Floats:
    """(q,) the share of the exact results that were returned, from the scores of both: whatever
    scores as high as the last exact result is as good. −inf stands where nothing was returned.

    >>> compute_recall(np.float32([[0.9, 0.5, 0.5]]), np.float32([[0.5, 0.5, 0.4]])).tolist()
    [0.6666666666666666]
    """
    # Sums in another order may differ in the last digit.
    least = np.nextafter(exact[:, -1:], np.float32(-np.inf))
    return np.asarray((returned >= least).sum(axis=1) / exact.shape[1], np.float64)


def find_index(study: Study) -> Iterator[Finding]:
    for mode, asked in enumerate(study.asked):
        loss = study.once(measure_index_loss, mode)
        yield _say_exact(study, asked) if loss is None else _describe(study, asked, loss)


def _say_exact(study: Study, asked: ModeQueries) -> Finding:
    said = "The search is exact: nothing is lost to an index."
    return Finding(
        analysis="index",
        subject=Topic("model"),
        mode=asked.mode,
        claim=said,
        otherwise=said,
        effect=0.0,
        unit=study.settings.measure,
        support=int(asked.counted.sum()),
        outcome="fact",
    )


def _describe(study: Study, asked: ModeQueries, loss: IndexLoss) -> Finding:
    settings, lost = study.settings, loss.lost
    looked_at = int(np.isfinite(loss.recall).sum())
    recall = (
        f"it returns {format_percentage(loss.mean_recall) or '0'} % of the exact first {settings.k}"
    )
    notes = []
    if looked_at < len(asked):
        notes.append(f"a sample of {looked_at:,} of {pluralise(len(asked), 'query')}")
    nothing, unsure = describe_no_loss("The index", lost, "costs")
    return Finding(
        analysis="index",
        subject=Topic("model"),
        mode=asked.mode,
        claim=f"The index costs {format_loss(lost)} of {settings.measure}: {recall}.",
        otherwise=f"{nothing.removesuffix('.')}; {recall}.",
        unsure=f"{unsure.removesuffix('.')}; {recall}.",
        effect=lost.effect.value,
        unit=settings.measure,
        interval=lost.effect.interval,
        p=min(1.0, len(study.asked) * lost.p),
        cost=1.0,
        support=lost.support,
        share=1.0,
        evidence=_collect_evidence(study, asked, loss),
        remedy="let the index look at more of its clips (IVF: nprobe, HNSW: efSearch), or search "
        'exactly with index = "faiss"',
        numbers=(
            ("recall", loss.mean_recall),
            (f"share of queries with a recall below {LOW_RECALL:g}", loss.share_low),
        ),
        notes=(*notes, *study.note_permutations(len(study.asked), lost.permutations)),
        draws=lost.effect.draws,
    )


def _collect_evidence(study: Study, asked: ModeQueries, loss: IndexLoss) -> Exhibit:
    """The queries that lose most, and the relevant clips that the first of them does not get."""
    worst = loss.lost.find_losers(_MOST_SHOWN)
    if not len(worst):
        return Exhibit()
    exact = rank_exactly(study, asked, worst[:1], study.settings.k).indices
    hits = study.truth.has_all(exact, asked.queries.bits[worst[:1]])
    missed = hits[0] & ~np.isin(exact[0], asked.top(study.settings.k)[0][worst[0]])
    return Exhibit(
        tuple(asked.queries.names[row] for row in worst.tolist()),
        tuple(study.truth.ids[row] for row in exact[0][missed].tolist()),
    )


INDEX_LOSS = Analysis(
    "index",
    "Does the index lose what the embedding would find?",
    "The share of the exact first k that the index returns, equal scores counting as equal, and m "
    "of the exact search minus m of the index. Clustered sign flips.",
    "An index that is not exact; the exact ones of this program lose nothing.",
    find_index,
)
