"""Adapters: how the text encoder in a checkpoint is built, found by name.

A checkpoint holds numbers; what to do with them is code, and code is only ever taken from what is
installed or named outright, never from the checkpoint.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Protocol, cast

from engine.base.errors import InputError
from engine.base.messages import list_names, suggest

BUILT_IN = "sentence-transformers"
ENTRY_POINT_GROUP = "tui_eval.checkpoint_adapters"

_NAMED_OUTRIGHT = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")
_FORM = "package.module:function"


class AdapterEncoder(Protocol):
    """What an adapter makes: one vector per text, as an array or a torch tensor."""

    def encode(self, texts: list[str], /) -> Any: ...


class CheckpointAdapter(Protocol):
    """Makes a text encoder of a checkpoint.

    `state` is what `torch.load(path, map_location="cpu", weights_only=True)` or safetensors read:
    tensors, numbers, texts, lists and mappings of them. `base` is the folder of the
    sentence-transformers model that was chosen as the base, for its tokenizer or architecture.
    It is called once, in the process of the encoder.
    """

    def __call__(self, state: Mapping[str, Any], base: str, /) -> AdapterEncoder: ...


def list_adapters() -> tuple[str, ...]:
    """The adapters that have a name: the one built in, then those of installed packages."""
    return (BUILT_IN, *sorted({entry.name for entry in _entry_points()} - {BUILT_IN}))


def check_adapter(name: str) -> None:
    """Refuse a name that stands for no adapter; imports nothing.

    >>> check_adapter("sentence-transformers"), check_adapter("my_project.encoders:text")
    (None, None)
    """
    names = list_adapters()
    if name not in names and not _NAMED_OUTRIGHT.fullmatch(name):
        near = suggest(name, names)
        raise InputError(
            f"no checkpoint adapter {name!r}; there is {list_names(names)}",
            hint=f"{near} an adapter of your own is named {_FORM}".strip(),
        )


def load_adapter(name: str) -> CheckpointAdapter:
    """The adapter itself; this imports its module, so it belongs into the encoder's process."""
    check_adapter(name)
    if name == BUILT_IN:
        from engine.text.checkpoints.base_weights import load_onto_base_model

        return load_onto_base_model
    named = [entry for entry in _entry_points() if entry.name == name]
    if len({entry.value for entry in named}) > 1:
        raise InputError(
            f"several packages have an adapter {name!r}: {list_names(e.value for e in named)}",
            hint="name one of these outright",
        )
    adapter = _load(named[0] if named else EntryPoint(name, name, ENTRY_POINT_GROUP))
    if not callable(adapter):
        raise InputError(f"the adapter {name!r} is a {type(adapter).__name__}, no function")
    return cast(CheckpointAdapter, adapter)


def _entry_points() -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=ENTRY_POINT_GROUP))


def _load(entry: EntryPoint) -> object:
    try:
        import_module(entry.module)
    except ModuleNotFoundError as error:
        raise InputError(
            f"the adapter {entry.name!r} needs the module {error.name!r}, which is not found",
            hint="install its package, or name its folder in PYTHONPATH",
        ) from error
    except Exception as error:
        raise InputError(
            f"the adapter {entry.name!r} cannot be imported ({type(error).__name__}: {error})",
            hint=f"try: python -c 'import {entry.module}'",
        ) from error
    try:
        return entry.load()
    except AttributeError as error:
        raise InputError(
            f"the adapter {entry.name!r} is not there: {error}",
            hint=f"name it as {_FORM}",
        ) from error
