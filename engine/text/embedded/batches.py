"""Tokenized texts in batches: sorted by length, about the same number of tokens in each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

_MOST_TOKENS = 512
"""Tokens in a batch: 50 ms on one core. Larger ones are hardly faster, and take more memory."""

_FEWEST_TOKENS = 128
"""So many are worth a thread of their own."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Some of the texts: where they stand, their lengths, and the tokens of all in one row."""

    places: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int64]
    tokens: npt.NDArray[np.int64]


def split_batches(texts: Sequence[Sequence[int]], workers: int) -> list[Batch]:
    """Texts, each as its tokens, in batches for so many workers; the longest texts come first."""
    lengths = np.array([len(tokens) for tokens in texts], np.int64)
    order = np.argsort(-lengths, kind="stable")
    share = -(-int(lengths.sum()) // workers)
    most = min(max(share, _FEWEST_TOKENS), _MOST_TOKENS)
    return [
        Batch(places, lengths[places], np.concatenate([texts[place] for place in places]))
        for places in _split_order(order, lengths, most)
    ]


def _split_order(
    order: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64], most: int
) -> Iterator[npt.NDArray[np.int64]]:
    begin = tokens = 0
    for place, length in enumerate(lengths[order].tolist()):
        if place > begin and tokens + length > most:
            yield order[begin:place]
            begin, tokens = place, 0
        tokens += length
    if begin < len(order):
        yield order[begin:]
