"""Features → vectors: ridge regression to the embeddings of training captions.

Two models that differ only in what they see. `alfa-0.1` sees one frame, so it cannot tell a
parked car from one that drives ahead; `alfa-0.2` also sees how the frames differ. Both are fitted
on scenes that are not shipped; a shipped clip enters only as pixels, to be embedded.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sample_data.features import APPEARANCE, MOTION, Filters, Floats, View, learn_filters, responses
from sample_data.render import Frames

VIEWS: dict[str, tuple[View, ...]] = {
    "alfa-0.1": (APPEARANCE,),
    "alfa-0.2": (APPEARANCE, MOTION),
}
PENALTIES = (0.1, 0.3, 1.0, 3.0, 10.0)
CAPTION_WEIGHTS = (1.0, 1.0, 0.5)
"""What happens counts for more than where: the third caption describes the setting alone."""


def encode_texts(texts: Sequence[str]) -> Floats:
    """Unit MiniLM embeddings of the texts. The only place that needs the language model."""
    from engine.text.opening import open_encoder
    from engine.text.vector_cache import VectorCache

    with open_encoder(cache=VectorCache(None)) as encoder:
        return unit(encoder.encode(texts))


def unit(rows: NDArray[np.floating]) -> Floats:
    """Rows scaled to length 1."""
    scaled: Floats = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return scaled


def caption_targets(captions: Sequence[tuple[str, str, str]]) -> Floats:
    """One unit vector per scene: the weighted mean of its three captions' embeddings."""
    distinct = sorted({text for texts in captions for text in texts})
    vectors = dict(zip(distinct, encode_texts(distinct), strict=True))
    return unit(
        np.array(
            [
                sum(w * vectors[text] for w, text in zip(CAPTION_WEIGHTS, texts, strict=True))
                for texts in captions
            ]
        )
    )


@dataclass(frozen=True)
class Ridge:
    """target ≈ intercept + stretch · standardised features · weights."""

    centre: Floats
    scale: Floats
    weights: Floats
    intercept: Floats
    stretch: float
    penalty: float
    explained: float
    """Share of the captions' variance explained on scenes held out while choosing `penalty`."""

    def predict(self, features: Floats) -> Floats:
        """Vectors for rows of features."""
        rows = (features - self.centre) / self.scale
        return (self.intercept + self.stretch * (rows @ self.weights)).astype(np.float32)


def fit_ridge(features: Floats, targets: Floats, held_out: float = 0.12) -> Ridge:
    """Choose the penalty on the last `held_out` share of the scenes, then fit on all of them.

    A ridge shrinks what it predicts towards the mean; `stretch` undoes that on average, so that
    clips do not huddle around the mean caption, where a few would be neighbours of all.
    """
    centre, spread = features.mean(axis=0), features.std(axis=0)
    scale = np.maximum(spread, 0.1 * np.median(spread) + 1e-6) * np.sqrt(features.shape[1])
    rows = (features - centre) / scale
    gram = (rows @ rows.T).astype(np.float64)
    cut = len(rows) - max(1, int(held_out * len(rows)))
    mean = targets[:cut].mean(axis=0)
    values, axes = np.linalg.eigh(gram[:cut, :cut])
    turned = axes.T @ (targets[:cut] - mean)
    truth = targets[cut:] - mean
    guesses = {p: gram[cut:, :cut] @ (axes @ (turned / (values + p)[:, None])) for p in PENALTIES}
    errors = {p: float(((guess - truth) ** 2).sum()) for p, guess in guesses.items()}
    penalty = min(PENALTIES, key=lambda p: errors[p])
    length = np.linalg.norm(guesses[penalty], axis=1).mean()
    intercept = targets.mean(axis=0)
    dual = np.linalg.solve(gram + penalty * np.eye(len(gram)), targets - intercept)
    return Ridge(
        centre=centre,
        scale=scale.astype(np.float32),
        weights=rows.T @ dual.astype(np.float32),
        intercept=intercept,
        stretch=float(np.linalg.norm(truth, axis=1).mean() / length),
        penalty=penalty,
        explained=1 - errors[penalty] / float((truth**2).sum()),
    )


@dataclass(frozen=True)
class Model:
    """What a clip looks like → a unit vector in the space of texts."""

    views: tuple[View, ...]
    filters: tuple[Filters, ...]
    ridge: Ridge

    def embed(self, glances: Frames) -> Floats:
        """Unit vectors of clips, from their pixels alone."""
        return unit(self.ridge.predict(_features(self.views, self.filters, glances)))


def _features(views: tuple[View, ...], filters: tuple[Filters, ...], glances: Frames) -> Floats:
    seen = [responses(view.look(glances), own) for view, own in zip(views, filters, strict=True)]
    return np.concatenate(seen, axis=1)


def fit(views: tuple[View, ...], glances: Frames, targets: Floats) -> Model:
    """A model from training clips and the embeddings of their captions."""
    filters = tuple(learn_filters(v.look(glances), v.filters, v.faint) for v in views)
    return Model(views, filters, fit_ridge(_features(views, filters, glances), targets))
