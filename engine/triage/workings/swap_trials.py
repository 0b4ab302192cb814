"""Trials: who asks has to tell the right one of two from the other, which differs in one keyword.

    video    a clip asks; the right clip has its keywords, of the wrong one r is swapped for w
    text     a text query that names r asks; the right clip has what it names, the wrong one w for r
    reverse  a clip asks; the right text names what it has, the wrong one w in place of r

A clip, text or recording is in many trials, which are not independent of each other: a clip that
is near to everything wins or loses all of its trials.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from engine.base.arrays import Floats, Ints
from engine.dataset.clip_set import WORD, find_bits, set_bit
from engine.keywords.instead_counts import number_groups
from engine.keywords.minimal_pairs import MinimalPairs, find_clip_pairs, find_text_pairs
from engine.keywords.pair_margins import PairMargins, compute_similarities, score_clip_pairs
from engine.triage.mode_queries import ModeQueries
from engine.triage.study import Study

TrialKind: TypeAlias = Literal["video", "text", "reverse"]

MOST_TRIALS = 2_000
MOST_SWAPPED = 20_000
"""Among which swaps are looked for."""

_CLIPS_OF_TEXT = 8
_PARTNERS = 4
"""Clips for each text, and texts to tell it from, at most."""


@dataclass(frozen=True, slots=True, eq=False)
class SwapTrials:
    """Trials in the order in which they were drawn.

    wins     (p,) 1 where the right one is more similar, 0 where the wrong one is, half for a tie
    margins  (p,) s of the right one − s of the wrong one
    group    (p,) the number of the group in the vocabulary's `groups`
    right    (p,) the bit column of r, `wrong` that of w
    shared   (p, n) numbers of what a trial consists of: recordings, and texts, numbered after those
    clip     (p,) the clip that won wrongly, or that asks where texts are told apart
    asker    (p,) the row of the clip or text query that asks
    """

    kind: TrialKind
    wins: Floats
    margins: Floats
    group: Ints
    right: Ints
    wrong: Ints
    shared: Ints
    clip: Ints
    asker: Ints

    def __len__(self) -> int:
        return len(self.wins)


def collect_trials(study: Study, kind: TrialKind) -> SwapTrials | None:
    """None where nobody asks in this way, or no two differ in one keyword."""
    mode = "video" if kind == "video" else "text"
    asked = next((one for one in study.asked if one.mode == mode), None)
    if asked is None:
        return None
    collect = {"video": _collect_video, "text": _collect_text, "reverse": _collect_reverse}
    found = collect[kind](study, asked)
    return found if len(found) else None


def _collect_video(study: Study, asked: ModeQueries) -> SwapTrials:
    rows = study.sample_clips(MOST_SWAPPED)
    pairs = find_clip_pairs(
        study.truth.take(rows), study.selection, limit=MOST_TRIALS, seed=study.settings.seed
    )
    study.beat()
    pairs = _place(pairs, rows)
    margins = score_clip_pairs(pairs, study.collection)
    sources = study.sources
    return SwapTrials(
        "video",
        margins.wins,
        margins.margins,
        pairs.group,
        pairs.right_keyword,
        pairs.wrong_keyword,
        np.column_stack([sources[pairs.anchors], sources[pairs.right], sources[pairs.wrong]]),
        pairs.wrong,
        pairs.anchors,
    )


def _place(pairs: MinimalPairs, rows: Ints) -> MinimalPairs:
    """From clips of a sample to those of the study."""
    anchors = np.where(pairs.anchors >= 0, rows[pairs.anchors], pairs.anchors)
    return replace(pairs, right=rows[pairs.right], wrong=rows[pairs.wrong], anchors=anchors)


def _collect_text(study: Study, asked: ModeQueries) -> SwapTrials:
    rows = study.sample_clips(MOST_SWAPPED)
    pairs = find_text_pairs(
        study.truth.take(rows), study.selection, limit=MOST_TRIALS, seed=study.settings.seed
    )
    study.beat()
    pairs = _place(pairs, rows)
    query = _choose_texts(study, asked, pairs)
    some = np.flatnonzero(query >= 0)
    query, right, wrong = query[some], pairs.right[some], pairs.wrong[some]
    metric, vectors = study.collection.model.metric, study.collection.vectors
    near = compute_similarities(asked.vectors[query], vectors[right], metric)
    margins = PairMargins(near - compute_similarities(asked.vectors[query], vectors[wrong], metric))
    return SwapTrials(
        "text",
        margins.wins,
        margins.margins,
        pairs.group[some],
        pairs.right_keyword[some],
        pairs.wrong_keyword[some],
        np.column_stack([study.sources[right], study.sources[wrong], _number_texts(study, query)]),
        wrong,
        query,
    )


def _choose_texts(study: Study, asked: ModeQueries, pairs: MinimalPairs) -> Ints:
    """(p,) for each pair a text that names r, and otherwise only what both clips have: in turn one
    of those that fit; -1 where there is none."""
    bits = asked.queries.bits & study.selection.mask
    query, column = find_bits(bits)
    naming = {int(c): query[column == c] for c in np.unique(column).tolist()}
    found = np.full(len(pairs), -1, np.int64)
    for pair, (keyword, clip) in enumerate(
        zip(pairs.right_keyword.tolist(), pairs.right.tolist(), strict=True)
    ):
        some = naming.get(keyword)
        if some is None:
            continue
        fitting = some[(bits[some] & ~study.truth.bits[clip] == 0).all(axis=1)]
        if len(fitting):
            found[pair] = fitting[pair % len(fitting)]
    return found


def _collect_reverse(study: Study, asked: ModeQueries) -> SwapTrials:
    """Texts whose keywords are equal but for one, and clips that one of the two describes."""
    bits, truth = asked.queries.bits & study.selection.mask, study.truth
    swaps = _find_swapped_texts(study, asked)
    rng = study.make_rng("pairs reverse")
    trials: list[tuple[int, int, int, int, int]] = []
    described: dict[int, Ints] = {}
    for one, other, has, lacks in swaps:
        if one not in described:
            relevant = truth.relevant(truth.words.named(bits[one])).indices()
            described[one] = rng.permutation(relevant)[:_CLIPS_OF_TEXT]
        clips = described[one]
        apart = truth.bits[clips, lacks // WORD] & set_bit(np.array([lacks]))[0] == 0
        trials += [(one, other, row, has, lacks) for row in clips[apart].tolist()]
        if len(trials) >= MOST_TRIALS:
            break
    table = np.array(trials, np.int64).reshape(-1, 5)
    own, other_text, asker, has_column, lacks_column = rng.permutation(table).T
    metric, vectors = study.collection.model.metric, study.collection.asking[asker]
    near = compute_similarities(vectors, asked.vectors[own], metric)
    far = compute_similarities(vectors, asked.vectors[other_text], metric)
    margins = PairMargins(near - far)
    texts = (_number_texts(study, own), _number_texts(study, other_text))
    return SwapTrials(
        "reverse",
        margins.wins,
        margins.margins,
        number_groups(truth)[has_column],
        has_column,
        lacks_column,
        np.column_stack([study.sources[asker], *texts]),
        asker,
        own,
    )


def _find_swapped_texts(study: Study, asked: ModeQueries) -> list[tuple[int, int, int, int]]:
    """Two texts, and the keywords that the first and the second alone has; each text is told from a
    few others."""
    bits, group = asked.queries.bits & study.selection.mask, number_groups(study.truth)
    query, column = find_bits(bits)
    alike: dict[tuple[bytes, int], list[tuple[int, int]]] = {}
    for own, keyword in zip(query.tolist(), column.tolist(), strict=True):
        rest = bits[own].copy()
        rest[keyword // WORD] ^= set_bit(np.array([keyword]))[0]
        alike.setdefault((rest.tobytes(), int(group[keyword])), []).append((own, keyword))
    found = []
    for members in alike.values():
        for place, (own, keyword) in enumerate(members):
            others = (members[(place + step) % len(members)] for step in range(1, len(members)))
            several = [(other, w) for other, w in others if w != keyword][:_PARTNERS]
            found += [(own, other, keyword, w) for other, w in several]
    order = study.make_rng("pairs texts").permutation(len(found))
    return [found[place] for place in order.tolist()]


def _number_texts(study: Study, query: Ints) -> Ints:
    """Texts have numbers of their own, beyond those of the recordings."""
    numbers: Ints = query + int(study.sources.max(initial=0)) + 1
    return numbers
