"""What validation says of the sources of clips, and of clips that are there twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from engine.base.errors import Severity
from engine.base.messages import pluralise, quote
from engine.dataset.annotations.read import Annotations
from engine.dataset.collection import Collection
from engine.dataset.equal_media import find_equal_media
from engine.dataset.ground_truth import GroundTruth
from engine.search.near_duplicates import (
    MOST_ITEMS_SEARCHED,
    NEIGHBOURS,
    NearDuplicates,
    find_near_duplicates,
)

MOST_LISTED = 1_000
"""Pairs that a document lists; how many there are is said in any case."""

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class ClipPair:
    """Two clips that are, or nearly are, the same.

    similarity   cosine of their embeddings; None: their media were compared
    same_source  whether both are known to be cut from one recording
    """

    clip: str
    other: str
    similarity: float | None
    same_source: bool


@dataclass(frozen=True, slots=True)
class PairList:
    """Some pairs, the most similar first, of so many that were `found`."""

    found: int
    listed: tuple[ClipPair, ...]


def check_sources(annotations: Annotations, truth: GroundTruth) -> Iterator[tuple[Severity, str]]:
    """How many sources there are, where they are known from, and how large the largest is."""
    if truth.sources is None:
        yield (
            "warning",
            "of no clip it is known what it is cut from: clusters, folds and --one-per source take "
            "each as its own; name a column or a pattern under [source], or with --source",
        )
        return
    rule = annotations.source_rule
    named = [source for source in truth.sources if source]
    counts = np.bincount(truth.source_numbers)
    largest = int(counts.argmax())
    distinct = len(set(named))
    said = f"{pluralise(distinct, 'source')} of {pluralise(len(named), 'clip')}"
    most = f"the largest is {quote(truth.sources[largest])} with {int(counts[largest]):,}"
    each = "each clip is one of its own" if distinct == len(named) else most
    yield "info", f"{said}, known from {rule.describe()}; {each}"
    if distinct == 1 and len(named) > 1:
        yield "warning", "all clips are of one source: no clip can find one of another"
    if unknown := len(truth) - len(named):
        counted = "counts as its own" if unknown == 1 else "count as sources of their own"
        yield "warning", f"of {pluralise(unknown, 'clip')} the source is unknown: {counted}"


def check_near_duplicates(
    collection: Collection,
) -> Iterator[tuple[Severity, str, PairList | None]]:
    """Clips whose embeddings are nearly the same."""
    truth, numbers = collection.truth, collection.truth.source_numbers
    has_index = collection.model.metric == "cosine" and len(collection) <= MOST_ITEMS_SEARCHED
    index = collection.index if has_index else None
    near = find_near_duplicates(collection.vectors, numbers, index=index)
    about = _describe_search(near)
    if not len(near):
        yield "info", f"no pair of clips is nearly the same ({about})", None
        return
    across = near.find_across(numbers)
    order = np.argsort(~across, kind="stable")  # first those that no source explains
    pairs = (
        ClipPair(
            truth.ids[int(near.rows[at])],
            truth.ids[int(near.others[at])],
            float(str(near.similarities[at])),
            not across[at],
        )
        for at in order.tolist()
    )
    yield _describe_pairs(pairs, len(near), int(across.sum()), f"nearly the same ({about})")


def _describe_search(near: NearDuplicates) -> str:
    limit = near.limit
    learned = f"calibrated on {pluralise(limit.sampled, 'clip')}"
    said = [f"cosine ≥ {limit.cosine:.6g}, {learned if limit.sampled else 'not calibrated'}"]
    if near.asked < near.items:
        among = "" if near.searched == near.items else f" among {near.searched:,}"
        looked = f"{near.asked:,} of {near.items:,} clips were looked at{among}"
        said.append(f"{looked}, drawn at random")
    if near.crowded:
        said.append(
            f"{pluralise(near.crowded, 'clip')} may have more than the {NEIGHBOURS} nearest that "
            "were looked at"
        )
    return "; ".join(said)


def check_equal_media(
    annotations: Annotations, truth: GroundTruth
) -> Iterator[tuple[Severity, str, PairList | None]]:
    """Clips whose media are the same, byte by byte."""
    equal = find_equal_media(annotations)
    if equal.unread:
        unread = f"{pluralise(equal.unread, 'file')} were not compared with others: together "
        yield "info", f"{unread}they are too large, or cannot be read", None
    if not equal.files:
        return
    if not equal.sets:
        what = pluralise(equal.files, "media file")
        yield "info", f"no two clips are the same bytes ({what} compared)", None
        return
    numbers = truth.source_numbers
    both = [(rows[0], other) for rows in equal.sets for other in rows[1:]]
    both.sort(key=lambda pair: bool(numbers[pair[0]] == numbers[pair[1]]))
    across = sum(bool(numbers[one] != numbers[other]) for one, other in both)
    pairs = (
        ClipPair(truth.ids[a], truth.ids[b], None, bool(numbers[a] == numbers[b])) for a, b in both
    )
    yield _describe_pairs(pairs, len(both), across, "the same bytes of media")


def _describe_pairs(
    pairs: Iterator[ClipPair], found: int, across: int, what: str
) -> tuple[Severity, str, PairList]:
    """A finding with the first pairs in words; across sources it changes numbers."""
    listed = tuple(islice(pairs, MOST_LISTED))
    shown = ", ".join(f"{quote(pair.clip)} = {quote(pair.other)}" for pair in listed[:_SHOWN])
    more = "" if found <= _SHOWN else " …"
    are = "pair of clips is" if found == 1 else "pairs of clips are"
    said = f"{found:,} {are} {what}"
    said += f", {across:,} of different sources: {shown}{more}" if across else f": {shown}{more}"
    if found > MOST_LISTED:
        said += f"; --json lists the first {MOST_LISTED:,}"
    return "warning" if across else "info", said, PairList(found, listed)
