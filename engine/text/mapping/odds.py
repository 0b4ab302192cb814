"""From evidence to probabilities: a logistic choice in every group between its keywords and none.

    p(k) = exp(w · features(k)) / (exp(v · none) + Σ exp(w · features(j)))

over the keywords j of the group: mostly a query means one of them. A keyword that words of its own
speak for is also judged by them alone, with a plain logistic model, so that "stags and grizzlies"
means two. The weights are fitted by `python -m training.fit` on queries of many fields.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from engine.base.arrays import Floats
from engine.text.mapping.features import FEATURES, NONE_FEATURES

BY_WORDNET = ("wordnet", "kind", "span_other")
BY_SPAN = ("span", "span_other")
"""What is said of the words that speak for a keyword, whatever else stands in the query."""

_RIVAL = FEATURES.index("span_rival")
_COVERED = NONE_FEATURES.index("covered")
_CLEAR = 0.85
"""How likely a keyword must be by its own words alone to be taken beside others of its group."""

WEIGHTS = Path(__file__).with_name("weights.json")


@dataclass(frozen=True, slots=True, eq=False)
class OddsWeights:
    """What each feature adds to the log-odds: in the choice of a group, and by own words alone.

    `by_wordnet` and `by_span` begin with their constants.
    """

    features: Floats
    none: Floats
    by_wordnet: Floats
    by_span: Floats

    def as_json(self) -> str:
        named = {
            "features": _named(FEATURES, self.features),
            "none": _named(NONE_FEATURES, self.none),
            "by_wordnet": _named(("constant", *BY_WORDNET), self.by_wordnet),
            "by_span": _named(("constant", *BY_SPAN), self.by_span),
        }
        return json.dumps(named, indent=1) + "\n"


def _named(names: Sequence[str], values: Floats) -> dict[str, float]:
    return dict(zip(names, values.round(4).tolist(), strict=True))


@lru_cache(maxsize=1)
def load_weights() -> OddsWeights:
    named = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return OddsWeights(
        np.array([named["features"][name] for name in FEATURES]),
        np.array([named["none"][name] for name in NONE_FEATURES]),
        np.array([named["by_wordnet"][name] for name in ("constant", *BY_WORDNET)]),
        np.array([named["by_span"][name] for name in ("constant", *BY_SPAN)]),
    )


def compute_odds(features: Floats, none: Floats, weights: OddsWeights) -> Floats:
    """The probabilities of one group's keywords."""
    scores = features @ weights.features
    nothing = float(none @ weights.none)
    top = max(nothing, float(scores.max(initial=nothing)))
    own = np.exp(scores - top)
    chosen: Floats = own / (np.exp(nothing - top) + own.sum())
    if none[_COVERED]:
        return chosen  # the table would know the words
    judged = _judge_alone(features, weights)
    clear = (judged >= _CLEAR) & (features[:, _RIVAL] >= 0)
    return np.where(clear, np.maximum(chosen, judged), chosen)


def _judge_alone(features: Floats, weights: OddsWeights) -> Floats:
    """By own words: WordNet or the vectors may each be right by themselves (a noisy or)."""
    wrong = np.ones(len(features))
    for names, values in ((BY_WORDNET, weights.by_wordnet), (BY_SPAN, weights.by_span)):
        columns = features[:, [FEATURES.index(name) for name in names]]
        right = 1 / (1 + np.exp(-values[0] - columns @ values[1:]))
        wrong *= 1 - np.where(columns[:, 0] > 0, right, 0.0)
    return 1 - wrong
