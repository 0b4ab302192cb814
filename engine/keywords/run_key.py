"""What tells one run from every other: its inputs, its settings, and the program that does it.

Two runs of one key give the same numbers, bit by bit. Where that cannot be vouched for, there is no
key.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from engine.base.choices import Mode
from engine.base.errors import InputError
from engine.dataset.dataset import Dataset
from engine.files.envelope import find_tool_version
from engine.files.folder_digest import digest_folder
from engine.files.input_file import FileSet, reading_inputs
from engine.keywords.run import COMBINATIONS, RunRequest
from engine.keywords.searching import adapt_policies
from engine.keywords.workbench import Workbench
from engine.text import EMBEDDED
from engine.text.encoder import PrecomputedEncoder
from engine.text.model_files import EMBEDDED_SHA256, find_model_folder

_ENGINE = Path(__file__).resolve().parents[1]
_COMPUTING = ("numpy", "faiss-cpu")
"""Packages whose other versions may give other last bits."""

_ENCODING = ("tokenizers",)
_ENCODING_WITH_TORCH = ("torch", "sentence-transformers", "transformers", "tokenizers", "keybert")
"""The same, of those that make the vectors of texts: by the embedded encoder, by any other."""

_ASIDE = frozenset(
    "description default_model learned_file learns models name says settings_file source".split()
)
"""What a dataset has beside what its numbers come from; the model has a place of its own."""

_OF_TEXTS = frozenset("synonyms never_means threshold queries_file prototypes".split())
"""What makes no difference to clips that ask."""


def find_queries(request: RunRequest, dataset: Dataset, mode: Mode) -> FileSet:
    """The file that texts are read from, held as it is now; none for clips."""
    if mode == "video" or request.queries == COMBINATIONS:
        return FileSet()
    file = Path(request.queries) if request.queries else dataset.texts_file
    with reading_inputs(file) as files:
        return files


def find_run_key(request: RunRequest, bench: Workbench, mode: Mode, queries: FileSet) -> str | None:
    """The key of a run of one mode; None: it has none.

    The files are those that the workbench has read, whatever lies in their place by now, and the
    `queries` that were found.
    """
    try:
        return _digest(_describe(request, bench, mode, queries))
    except (InputError, OSError, TypeError):
        return None


def _describe(
    request: RunRequest, bench: Workbench, mode: Mode, queries: FileSet
) -> Mapping[str, Any]:
    collection, dataset = bench.collection(request.model), bench.dataset
    model = collection.model
    files = dataset.annotations.files | collection.files | queries
    encoders: list[object] = []
    if mode == "text":
        encoder = bench.text_encoder(model.name)
        encoders = [_identify_encoder(bench.encoder.name)]
        if isinstance(encoder, PrecomputedEncoder):
            files |= encoder.files
        else:
            encoders.append(_identify_encoder(model.encoder))
    prints = files.fingerprints()
    if not prints or None in prints.values():
        raise TypeError("a file could not be opened: nobody knows what is in it")
    aside = _ASIDE if mode == "text" else _ASIDE | _OF_TEXTS
    return {
        "program": _identify_program(_ENGINE),
        "mode": mode,
        "request": {
            **_spell_fields(request),
            "modes": mode,
            "policies": _spell(adapt_policies(collection, request.policies)),
        },
        "dataset": {name: one for name, one in _spell_fields(dataset).items() if name not in aside},
        "model": _spell(model),
        "files": prints,
        "encoders": encoders,
    }


def _digest(described: Mapping[str, Any]) -> str:
    text = json.dumps(described, sort_keys=True, allow_nan=False, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _spell(value: object) -> object:
    """A value as JSON has it, the same in every process; a TypeError of what it does not know."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value.hex()
    if isinstance(value, Path):
        return str(value.absolute())
    if is_dataclass(value) and not isinstance(value, type):
        return {"": type(value).__name__, **_spell_fields(value)}
    if isinstance(value, Mapping):
        return [[_spell(name), _spell(one)] for name, one in value.items()]
    if isinstance(value, Set):
        return sorted(json.dumps(_spell(one)) for one in value)
    if isinstance(value, Sequence):
        return [_spell(one) for one in value]
    raise TypeError(f"{type(value).__name__} has no spelling")


def _spell_fields(value: Any) -> dict[str, object]:
    """What was given to a dataclass; what it makes of it itself is left out."""
    return {one.name: _spell(getattr(value, one.name)) for one in fields(value) if one.init}


def _identify_encoder(name: str) -> object:
    """The weights of an encoder, by their digest or by which files they are, and what runs them."""
    if name == EMBEDDED:
        return [name, EMBEDDED_SHA256, _find_versions(_ENCODING)]
    folder = find_model_folder(name)
    if folder is None:
        raise TypeError("there are no weights to tell from others")
    found = []
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            stat = file.stat()
            times = stat.st_mtime_ns, stat.st_ctime_ns
            found.append([str(file.relative_to(folder)), stat.st_ino, stat.st_size, *times])
    return [name, str(folder), found, _find_versions(_ENCODING_WITH_TORCH)]


@cache
def _identify_program(folder: Path) -> object:
    """The version, and all that is in the folder of the engine: a program that is worked on has one
    version for long, and what texts mean is decided by data as well as by code."""
    return [find_tool_version(), _find_versions(_COMPUTING), digest_folder(folder)]


def _find_versions(packages: Sequence[str]) -> list[str]:
    return [_find_version(package) for package in packages]


def _find_version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
