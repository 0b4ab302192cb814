"""The built-in adapter: a base model's architecture with the weights of a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.base.errors import InputError
from engine.text.checkpoints.weight_names import Projection, find_projection, find_weights
from engine.text.sentence_model import open_sentence_model

_DEEPEST = 8  # mappings within mappings; a pickle can hold one that contains itself


class ProjectedModel:
    """A sentence-transformers model, and the linear layer after it if there is one."""

    def __init__(
        self, model: Any, weight: npt.NDArray[Any] | None, bias: npt.NDArray[Any] | None
    ) -> None:
        self._model = model
        self._weight = weight
        self._bias = bias

    def encode(self, texts: list[str]) -> npt.NDArray[Any]:
        """x, or W x + b, for the vector x of every text."""
        vectors: npt.NDArray[Any] = self._model.encode(texts, show_progress_bar=False)
        if self._weight is not None:
            vectors = vectors @ self._weight.T
        return vectors if self._bias is None else vectors + self._bias


def load_onto_base_model(state: Mapping[str, Any], base: str) -> ProjectedModel:
    """Put the checkpoint's weights into the base model, all of them, and find its projection.

    The projection is applied to what the base model gives: if that ends in a normalisation, to
    vectors of length 1.
    """
    import torch

    model = open_sentence_model(base)
    tensors = flatten_tensors(state)
    shapes = {name: tuple(tensor.shape) for name, tensor in tensors.items()}
    wanted = {name: tuple(tensor.shape) for name, tensor in model.state_dict().items()}
    weights = find_weights(
        wanted,
        shapes,
        optional=_unused(model, wanted),
        same=lambda one, other: torch.equal(tensors[one], tensors[other]),
    )
    projection = find_projection(shapes, weights)
    model.load_state_dict({n: tensors[there] for n, there in weights.names.items()}, strict=False)
    if projection is None:
        return ProjectedModel(model, None, None)
    return ProjectedModel(model, *_linear(projection, tensors, model))


def flatten_tensors(state: Mapping[str, Any], prefix: str = "", depth: int = 0) -> dict[str, Any]:
    """All tensors by their path: {"model": {"w": tensor}} is "model.w"."""
    import torch

    found: dict[str, Any] = {}
    for key, value in state.items():
        if isinstance(value, torch.Tensor):
            found[f"{prefix}{key}"] = value
        elif isinstance(value, Mapping) and depth < _DEEPEST:
            found.update(flatten_tensors(value, f"{prefix}{key}.", depth + 1))
    return found


def _unused(model: Any, names: Mapping[str, Any]) -> frozenset[str]:
    """BERT's pooler says nothing where token embeddings are pooled; often it is not saved."""
    from sentence_transformers.models import Pooling

    pools_tokens = any(isinstance(module, Pooling) for module in model)
    return frozenset(n for n in names if pools_tokens and ".pooler.dense." in n)


def _linear(
    projection: Projection, tensors: Mapping[str, Any], model: Any
) -> tuple[npt.NDArray[Any], npt.NDArray[Any] | None]:
    weight = tensors[projection.weight].float().numpy()
    bias = tensors[projection.bias].float().numpy() if projection.bias else None
    given = int(model.encode(["a"], show_progress_bar=False).shape[1])
    if weight.shape[1] != given or (bias is not None and bias.shape != weight.shape[:1]):
        raise InputError(
            f"{projection.weight!r} has the shape {weight.shape}; the base model gives {given} "
            "dimensions",
            hint="choose the base model that it was trained from, or write an adapter",
        )
    return np.ascontiguousarray(weight), bias
