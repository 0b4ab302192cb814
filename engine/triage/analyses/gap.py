"""The gap between texts and clips: how far apart they lie, and whether that costs anything."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from engine.base.arrays import Bools, Ints, Vectors
from engine.base.messages import pluralise
from engine.dataset.clip_set import BitWords
from engine.search import FaissIndex
from engine.search.exhaustive import compute_row_lengths
from engine.triage.analysis import Analysis
from engine.triage.finding import Exhibit, Finding, Topic, make_unknown
from engine.triage.mode_queries import ModeQueries
from engine.triage.study import Study
from engine.triage.wording import format_points
from engine.triage.workings.exact_search import (
    choose_product,
    measure_precision,
    rank_as_it_is,
    rank_in_pieces,
)
from engine.triage.workings.paired_loss import (
    PairedLoss,
    describe_no_loss,
    format_loss,
    measure_paired_loss,
)

FEWEST_TEXTS = 10
"""Below this a mean of half of the texts says where single texts lie."""

_MOST_SHOWN = 10
_CLIPS_AT_ONCE = 8192


@dataclass(frozen=True, slots=True, eq=False)
class ModalityGap:
    """How far apart texts and clips lie. All vectors have length 1, d = (1 − cosine) / 2.

    between_means  the Euclidean distance of the mean text and the mean clip
    pairs          mean d of a text and its relevant clips, each text counting once
    texts, clips   mean d of two different texts, and of two different clips
    """

    between_means: float
    pairs: float
    texts: float
    clips: float

    @property
    def relative(self) -> float:
        """RMG = d_pair / (d_pair + ½ (d_texts + d_clips)): ½ where a text is no nearer to its clips
        than two of one kind are to each other, 0 where it lies on them."""
        whole = self.pairs + (self.texts + self.clips) / 2
        return self.pairs / whole if whole > 0 else float("nan")


@dataclass(frozen=True, slots=True, eq=False)
class GapLoss:
    """The gap, and what it costs: m once both modalities are centred minus m."""

    gap: ModalityGap
    lost: PairedLoss
    looked_at: int


def measure_gap_loss(study: Study, mode: int) -> GapLoss:
    """Of the texts of a mode, or a sample of them."""
    asked, k = study.asked[mode], study.settings.k
    rows = study.sample_queries(asked)
    now = measure_precision(study, asked, rows, rank_as_it_is(study, asked, rows, k))
    texts = centre_by_halves(asked.vectors[rows], study.make_rng("gap halves"))
    clips = study.vectors - study.vectors.mean(axis=0, dtype=np.float64).astype(np.float32)
    metric = study.collection.model.metric
    if metric == "cosine":  # a vector that lies at the mean has no direction: it is near to none
        scale_rows(clips)
        scale_rows(texts)
    index = FaissIndex(clips, choose_product(metric))
    centred = measure_precision(study, asked, rows, rank_in_pieces(study, index, texts, k))
    lost = measure_paired_loss(study, asked, now, centred, "gap", tests=1)
    return GapLoss(measure_gap(study, asked, rows[asked.counted[rows]]), lost, len(rows))


def centre_by_halves(texts: Vectors, rng: np.random.Generator) -> Vectors:
    """The texts less the mean of the half that they are not in: no text moves its own centre."""
    first = rng.permutation(len(texts)) < len(texts) // 2
    centred = np.empty_like(texts)
    for own in (first, ~first):
        centred[own] = texts[own] - texts[~own].mean(axis=0, dtype=np.float64)
    return centred


def measure_gap(study: Study, asked: ModeQueries, rows: Ints) -> ModalityGap:
    """Over these texts, and over the clips or a sample of them."""
    clips = study.sample_clips()
    texts, found = asked.vectors[rows], study.vectors[clips]  # copies
    scale_rows(texts)
    scale_rows(found)
    return ModalityGap(
        between_means=float(
            np.linalg.norm(texts.mean(axis=0, dtype=float) - found.mean(axis=0, dtype=float))
        ),
        pairs=(1 - _average_pairs(study, asked.queries.bits[rows], clips, texts, found)) / 2,
        texts=average_distance(texts),
        clips=average_distance(found),
    )


def average_distance(units: Vectors) -> float:
    """Mean d of two different rows of length 1, from the sum of all: Σᵢⱼ xᵢ·xⱼ = |Σ x|².

    >>> average_distance(np.float32([[1, 0], [0, 1], [-1, 0]]))
    0.6666666666666666
    """
    count = len(units)
    if count < 2:
        return float("nan")
    total = units.sum(axis=0, dtype=np.float64)
    own = float(np.vecdot(units, units).sum(dtype=np.float64))
    return (1 - (float(total @ total) - own) / (count * (count - 1))) / 2


def _average_pairs(
    study: Study, bits: BitWords, clips: Ints, texts: Vectors, found: Vectors
) -> float:
    """The mean cosine of a text and its relevant clips, over the texts that have any."""
    sums, counts = np.zeros(len(texts)), np.zeros(len(texts))
    of_clips = study.truth.bits[clips]
    for part in study.pieces(len(texts), max(1, _CLIPS_AT_ONCE * 256 // len(clips))):
        relevant: Bools = np.ones((part.stop - part.start, len(clips)), np.bool_)
        for word in range(bits.shape[1]):
            wanted = bits[part, word, None]
            relevant &= (of_clips[None, :, word] & wanted) == wanted
        sums[part] = np.where(relevant, texts[part] @ found.T, 0).sum(axis=1, dtype=np.float64)
        counts[part] = relevant.sum(axis=1)
    has_any = counts > 0
    return float((sums[has_any] / counts[has_any]).mean()) if has_any.any() else float("nan")


def scale_rows(vectors: Vectors) -> None:
    """Make every row of length 1, in place; those of no length stay as they are.

    >>> vectors = np.float32([[3, 4], [0, 0]])
    >>> scale_rows(vectors)
    >>> vectors.tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    lengths = compute_row_lengths(vectors)
    vectors /= np.where(lengths > 0, lengths, 1.0).astype(np.float32)[:, None]


def find_gap(study: Study) -> Iterator[Finding]:
    for mode, asked in enumerate(study.asked):
        if asked.mode != "text":
            continue
        if int(asked.counted.sum()) < FEWEST_TEXTS:
            yield make_unknown(
                "gap",
                f"What the gap between texts and clips costs cannot be told from "
                f"{pluralise(int(asked.counted.sum()), 'text')}.",
                f"ask at least {FEWEST_TEXTS} texts that some clip answers",
                mode="text",
            )
        else:
            yield _describe(study, asked, study.once(measure_gap_loss, mode))
        return
    yield make_unknown(
        "gap",
        "There is no gap to look at: no texts are asked, and clips are of one kind.",
        "ask texts as well: --mode both",
    )


def _describe(study: Study, asked: ModeQueries, loss: GapLoss) -> Finding:
    settings, lost, gap = study.settings, loss.lost, loss.gap
    said = f"the relative gap is {format_points(gap.relative, 2)}"
    notes = ["texts are centred by the other half of the texts, clips by all clips"]
    if loss.looked_at < len(asked):
        notes.append(f"a sample of {loss.looked_at:,} of {pluralise(len(asked), 'text')}")
    subject = "The gap between texts and clips"
    nothing, unsure = describe_no_loss(subject, lost, "costs")
    worst = lost.find_losers(_MOST_SHOWN).tolist()
    return Finding(
        analysis="gap",
        subject=Topic("model"),
        mode="text",
        claim=f"{subject} costs {format_loss(lost)} of {settings.measure}: {said}.",
        otherwise=f"{nothing.removesuffix('.')}; {said}.",
        unsure=f"{unsure.removesuffix('.')}; {said}.",
        effect=lost.effect.value,
        unit=settings.measure,
        interval=lost.effect.interval,
        p=lost.p,
        cost=1.0,
        support=lost.support,
        share=1.0,
        evidence=Exhibit(tuple(asked.queries.names[row] for row in worst)),
        remedy="take the mean text off every text and the mean clip off every clip before they are "
        "compared, both from data that is not evaluated",
        numbers=(
            ("relative gap", gap.relative),
            ("distance of the means", gap.between_means),
            ("distance of a text and its clips", gap.pairs),
            ("distance of two texts", gap.texts),
            ("distance of two clips", gap.clips),
        ),
        notes=(*notes, *study.note_permutations(1, lost.permutations)),
        draws=lost.effect.draws,
    )


MODALITY_GAP = Analysis(
    "gap",
    "Do texts and clips lie apart, and does that cost anything?",
    "RMG = d_pair / (d_pair + ½ (d_texts + d_clips)) with d = (1 − cosine) / 2. What counts is m "
    "once the mean text is taken off every text and the mean clip off every clip, minus m; a text "
    "is centred by the half of the texts that it is not in. Clustered sign flips.",
    f"{FEWEST_TEXTS} text queries.",
    find_gap,
)
