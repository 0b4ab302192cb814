"""What each half of the clips teaches: probes for every keyword, and erasers of every group, with a
control of each that learned from shuffled labels.

The other half is where they are tried. Halves and shuffles are the same for every model.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.base.arrays import AnyFloats, Floats, Ints
from engine.triage.study import Study
from engine.triage.workings.shrunk_covariance import LinearEraser, ShrunkCovariance

FEWEST_CLIPS = 20
"""Of which a half is one to learn from."""


@dataclass(frozen=True, slots=True, eq=False)
class LearnedHalf:
    """What one half of the clips teaches about the keywords of the selection.

    split     the number of the split
    train     places among the sampled clips
    held      the others
    shuffled  (sampled clips, keywords) the labels of the control
    probes    (d, keywords) one direction for each keyword; `controls` those of shuffled labels
    erasers   one for each group; `sham` those of shuffled labels
    """

    split: int
    train: Ints
    held: Ints
    shuffled: Floats
    probes: Floats
    controls: Floats
    erasers: tuple[LinearEraser, ...]
    sham: tuple[LinearEraser, ...]


@dataclass(frozen=True, slots=True, eq=False)
class LearnedHalves:
    """Both halves of every split, in order; none where there is too little to split.

    clips    rows of the study from which all this was learned
    labels   (clips, keywords) whether a clip has each keyword of the selection
    sources  (clips,) numbered from 0
    """

    clips: Ints
    labels: Floats
    sources: Ints
    halves: tuple[LearnedHalf, ...]


def measure_halves(study: Study) -> LearnedHalves:
    """Learn from each half of the sampled clips."""
    clips = study.sample_clips()
    labels = study.unpack(study.selection.columns, clips).astype(np.float64)
    sources = np.unique(study.sources[clips], return_inverse=True)[1].reshape(-1)
    halves = []
    for split, (one, other) in enumerate(study.split_clips(clips)):
        if min(len(one), len(other)) < FEWEST_CLIPS:
            break
        rng = study.make_rng(f"shuffled labels {split}")
        shuffled = labels[shuffle_by_source(sources, rng)]
        for train, held in ((one, other), (other, one)):
            study.beat()
            vectors = study.vectors[clips[train]]
            halves.append(_learn(study, split, vectors, train, held, labels, shuffled))
    return LearnedHalves(clips, labels, sources, tuple(halves))


def _learn(
    study: Study,
    split: int,
    vectors: AnyFloats,
    train: Ints,
    held: Ints,
    labels: Floats,
    shuffled: Floats,
) -> LearnedHalf:
    covariance = ShrunkCovariance.of(vectors)
    columns = [find_group_places(study, group) for group in study.groups]
    return LearnedHalf(
        split=split,
        train=train,
        held=held,
        shuffled=shuffled,
        probes=covariance.fit_probes(labels[train]),
        controls=covariance.fit_probes(shuffled[train]),
        erasers=tuple(covariance.fit_eraser(labels[np.ix_(train, own)]) for own in columns),
        sham=tuple(covariance.fit_eraser(shuffled[np.ix_(train, own)]) for own in columns),
    )


def find_group_places(study: Study, group: str) -> Ints:
    """Where a group's keywords stand among those of the selection."""
    return np.flatnonzero(np.isin(study.selection.columns, study.columns_of(group)))


def shuffle_by_source(sources: Ints, rng: np.random.Generator) -> Ints:
    """(n,) from which clip each gets its labels: those of a source come from one other source, in
    its order, again from the first where it has fewer.

    >>> shuffle_by_source(np.array([0, 0, 1, 1]), np.random.default_rng(3)).tolist()
    [2, 3, 0, 1]
    """
    order = np.argsort(sources, kind="stable")
    sizes = np.bincount(sources)
    starts = np.cumsum(sizes) - sizes
    giver = rng.permutation(len(sizes))[sources[order]]
    within = np.arange(len(order)) - starts[sources[order]]
    found = np.empty(len(order), np.int64)
    found[order] = order[starts[giver] + within % sizes[giver]]
    return found
