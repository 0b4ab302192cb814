"""Phrases that have nothing to do with any vocabulary: `python -m training.unrelated_phrases`.

Drawn from WordNet: half of them words that have senses in several parts of speech or are otherwise
common, a quarter any lemma of up to three words, a quarter pairs of common words. Writes the list,
and the mean and covariance of their vectors by the embedded encoder.
"""

from __future__ import annotations

import random
import re

import numpy as np
from safetensors.numpy import save_file

from engine.text.mapping.likeness import NULL, PHRASES, NullDistribution
from engine.text.opening import open_encoder
from engine.text.vector_cache import VectorCache
from engine.text.wordnet.table import load_wordnet

COUNT = 3_000
SEED = 7


def draw_phrases() -> list[str]:
    chance = random.Random(SEED)
    lemmas = [n for n in load_wordnet().list_lemmas() if re.fullmatch("[a-z]+(_[a-z]+){0,2}", n)]
    common = [lemma for lemma in lemmas if sum(map(len, load_wordnet().senses(lemma).values())) > 2]
    drawn = [*chance.sample(common, COUNT // 2), *chance.sample(lemmas, COUNT // 4)]
    drawn += [f"{chance.choice(common)}_{chance.choice(common)}" for _ in range(COUNT // 4)]
    return [phrase.replace("_", " ") for phrase in drawn]


if __name__ == "__main__":
    phrases = draw_phrases()
    PHRASES.write_text("\n".join(phrases) + "\n", encoding="utf-8")
    with open_encoder(cache=VectorCache(None)) as encoder:
        unrelated = NullDistribution.of(encoder.encode(phrases))
    arrays = {"mean": unrelated.mean, "covariance": unrelated.covariance}
    save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, NULL)
    print(f"{PHRASES.name}: {len(phrases):,} phrases")
