"""Which tensors of a checkpoint are which weights of a text encoder: by name and shape alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from engine.base.errors import InputError
from engine.base.messages import list_names

Shapes = Mapping[str, tuple[int, ...]]

_TRANSFORMER = ("0.model.", "0.auto_model.")  # as sentence-transformers called it since 6, before
_BUFFERS = ("embeddings.position_ids", "embeddings.token_type_ids")  # saved by old versions
_ANOTHER_BASE = "choose the base model that it was trained from, or write an adapter"
_OWN_ADAPTER = "write an adapter, which knows what to do with it"
_TEXT_PROJECTION = re.compile(r"text_?proj\w*", re.IGNORECASE)
_PROJECTION = re.compile(r"(clip_?)?proj(ection|ector)?(_head|_layer)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Weights:
    """Tensor names by the names that the base model gives its weights, and their common prefix."""

    prefix: str
    names: dict[str, str]


@dataclass(frozen=True, slots=True)
class Projection:
    """The names of a linear layer that leads from the text encoder into the shared space."""

    weight: str
    bias: str | None


def find_weights(
    base: Shapes,
    tensors: Shapes,
    *,
    optional: Collection[str] = (),
    same: Callable[[str, str], bool] = lambda one, other: False,
) -> Weights:
    """The weights below the prefix by which the most of them match, all of them, all in shape.

    `optional` ones may be missing; `same` tells whether two tensors are equal.

    >>> find_weights({"0.model.w": (2,)}, {"text.w": (2,), "head.b": (1,)})
    Weights(prefix='text.', names={'0.model.w': 'text.w'})
    """
    found = _best(_candidates(base, tensors), base, tensors, same)
    lost = [name for name in base if name not in found.names and name not in optional]
    where = f"below {found.prefix!r}" if found.prefix else "at the top"
    if lost:
        raise InputError(
            f"lacks {len(lost)} of the {len(base)} weights of the base model {where}, first "
            f"{lost[0]!r}",
            hint=_ANOTHER_BASE,
        )
    odd = [name for name, there in found.names.items() if tensors[there] != base[name]]
    if odd:
        name = found.names[odd[0]]
        raise InputError(
            f"{len(odd)} of {len(base)} weights have another shape than in the base model, first "
            f"{name!r}: {tensors[name]} instead of {base[odd[0]]}",
            hint=_ANOTHER_BASE,
        )
    _refuse_more(found, tensors)
    return found


def _candidates(base: Shapes, tensors: Shapes) -> list[Weights]:
    """Every prefix below which some weight of the base is, in any of the spellings."""
    found: dict[tuple[int, str], dict[str, str]] = {}
    spellings = _spellings(base)
    for tensor in tensors:
        parts = tensor.split(".")
        for start in range(len(parts)):
            tail = ".".join(parts[start:])
            prefix = tensor.removesuffix(tail)
            for number, spelling in enumerate(spellings):
                if tail in spelling:
                    found.setdefault((number, prefix), {})[spelling[tail]] = tensor
    return [Weights(prefix, names) for (_, prefix), names in found.items()]


def _spellings(base: Shapes) -> list[dict[str, str]]:
    """How the weights of the base may be called: as they are, as they were, and without a frame."""
    own = next((start for start in _TRANSFORMER if any(n.startswith(start) for n in base)), "")
    if all(name.startswith(own) for name in base):  # a prefix, which is looked for anyway
        return [{name.removeprefix(own): name for name in base}]
    return [
        {(start + name.removeprefix(own) if name.startswith(own) else name): name for name in base}
        for start in (*_TRANSFORMER, "")
    ]


def _best(
    candidates: list[Weights],
    base: Shapes,
    tensors: Shapes,
    same: Callable[[str, str], bool],
) -> Weights:
    if not candidates:
        raise InputError(
            f"has none of the {len(base)} weights of the base model; it holds "
            f"{list_names(tensors, 3) or 'no tensors'}",
            hint=_ANOTHER_BASE,
        )

    def fit(weights: Weights) -> tuple[int, int]:
        alike = sum(tensors[there] == base[name] for name, there in weights.names.items())
        return alike, len(weights.names)

    most = max(map(fit, candidates))
    best = [weights for weights in candidates if fit(weights) == most]
    best = [weights for weights in best if "text" in weights.prefix.lower()] or best
    first = best[0]
    if not all(_equal(first, other, same) for other in best[1:]):
        raise InputError(
            f"has the weights {len(best)} times, below "
            f"{list_names([repr(weights.prefix) for weights in best])}",
            hint="save the text encoder alone, or write an adapter",
        )
    return first


def _equal(one: Weights, other: Weights, same: Callable[[str, str], bool]) -> bool:
    if one.names.keys() != other.names.keys():
        return False
    pairs = [(tensor, other.names[name]) for name, tensor in one.names.items()]
    return all(first == second or same(first, second) for first, second in pairs)


def _refuse_more(found: Weights, tensors: Shapes) -> None:
    """More layers than the base has would be left out in silence; other parts are no matter."""
    used = set(found.names.values())
    frames = {name.removeprefix(found.prefix).split(".")[0] for name in used}
    more = [
        name
        for name in tensors
        if name not in used
        and name.startswith(found.prefix)
        and name.removeprefix(found.prefix).split(".")[0] in frames
        and not name.endswith(_BUFFERS)
    ]
    if more:
        raise InputError(
            f"has {len(more)} weights that the base model has not, first {more[0]!r}",
            hint=_ANOTHER_BASE,
        )


def find_projection(tensors: Shapes, weights: Weights) -> Projection | None:
    """The linear layer after the text encoder, if there is one.

    >>> shapes = {"text.w": (2,), "text_projection.weight": (3, 2)}
    >>> find_projection(shapes, Weights("text.", {"0.model.w": "text.w"}))
    Projection(weight='text_projection.weight', bias=None)
    """
    used = set(weights.names.values())
    roots: dict[str, list[str]] = {}
    for name in tensors:
        root = None if name in used else _projection_root(name.split("."), weights.prefix)
        if root is not None:
            roots.setdefault(root, []).append(name)
    nearest = max((_shared(root, weights.prefix) for root in roots), default=0)
    near = [root for root in roots if _shared(root, weights.prefix) == nearest]
    if not near:
        return None
    if len(near) > 1:
        raise InputError(f"has several text projections: {list_names(near)}", hint=_OWN_ADAPTER)
    root, names = near[0], roots[near[0]]
    weight, bias = f"{root}.weight", f"{root}.bias"
    if not {weight} <= set(names) <= {weight, bias} or len(tensors[weight]) != 2:
        raise InputError(
            f"the text projection is not one linear layer, but {list_names(names, 4)}",
            hint=_OWN_ADAPTER,
        )
    return Projection(weight, bias if bias in names else None)


def _projection_root(parts: Sequence[str], prefix: str) -> str | None:
    """The name up to the part that says projection: of text anywhere, else of the encoder's own."""
    for place, part in enumerate(parts):
        above = "".join(f"{each}." for each in parts[:place])
        own = "text" in above.lower() and prefix.startswith(above)
        if _TEXT_PROJECTION.fullmatch(part) or (own and _PROJECTION.fullmatch(part)):
            return ".".join(parts[: place + 1])
    return None


def _shared(root: str, prefix: str) -> int:
    """How many leading parts two names have in common."""
    count = 0
    for one, other in zip(root.split("."), prefix.split("."), strict=False):
        if one != other:
            break
        count += 1
    return count
