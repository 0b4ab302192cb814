"""What is installed: the project and all that it needs, with licences."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from supply.pins import ROOT

_OF_A_GPU_BUILD = re.compile(r"(nvidia|cuda|triton)(-|$)")


def comes_with_a_gpu_build(name: str) -> bool:
    """Whether a package is one that PyTorch with CUDA brings: no version of it is pinned, and no
    hash known, as no other build is tested than that for the CPU.

    >>> [comes_with_a_gpu_build(name) for name in ("nvidia-cudnn-cu13", "triton", "torch")]
    [True, True, False]
    """
    return _OF_A_GPU_BUILD.match(str(canonicalize_name(name))) is not None


def find_needed(requirements: Iterable[str]) -> list[Distribution]:
    """Installed packages that fulfil the requirements, and all that they need in turn.

    What is not installed is left out.
    """
    found: dict[str, Distribution] = {}
    seen: set[tuple[str, frozenset[str]]] = set()
    waiting = [Requirement(text) for text in requirements]
    while waiting:
        asked = waiting.pop()
        name, extras = str(canonicalize_name(asked.name)), frozenset(asked.extras) | {""}
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:
            continue
        waiting += _list_needs(found[name], extras)
    return list(found.values())


def find_needs(package: Distribution, extras: Iterable[str] = ()) -> set[str]:
    """The canonical names of what a package asks for on this machine."""
    needs = _list_needs(package, frozenset(extras) | {""})
    return {str(canonicalize_name(needed.name)) for needed in needs}


def _list_needs(package: Distribution, extras: Iterable[str]) -> list[Requirement]:
    return [
        needed
        for needed in map(Requirement, package.requires or ())
        if needed.marker is None or any(needed.marker.evaluate({"extra": e}) for e in extras)
    ]


def read_project() -> dict[str, Any]:
    """What pyproject.toml says of the project."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    project: dict[str, Any] = tomllib.loads(text)["project"]
    return project


def list_requirements(*extras: str) -> list[str]:
    """What pyproject.toml asks for, with some of its extras."""
    project = read_project()
    wanted = list(project["dependencies"])
    for extra in extras:
        for text in project["optional-dependencies"][extra]:
            own = Requirement(text)
            is_ours = own.name == project["name"]
            wanted += list_requirements(*own.extras) if is_ours else [text]
    return wanted


def find_licence(package: Distribution) -> str:
    """The licence that a package declares: as an expression, in words, as a classifier, or by the
    title of its text.

    >>> find_licence(distribution("numpy")).startswith("BSD-3-Clause")
    True
    """
    expression, words, titles = (
        package.metadata.get_all(field) or []
        for field in ("License-Expression", "License", "Classifier")
    )
    # Some put the whole text there.
    short = [text for text in words if "\n" not in text.strip() and len(text) < 60]
    names = [title.rpartition(" :: ")[2] for title in titles if title.startswith("License ::")]
    texts = map(read_licence_title, words)
    return next(filter(None, [*expression, *short, "; ".join(names), *texts]), "")


def read_licence_title(text: str) -> str:
    """What the text of a licence calls itself, if it begins with that: its first paragraph without
    addresses.

    >>> read_licence_title("Apache License\\nVersion 2.0\\nhttps://www.apache.org\\n\\nYou may")
    'Apache License Version 2.0'
    >>> read_licence_title("Copyright 2026 A. Body\\n\\nUse it under no license")
    ''
    """
    first = re.split(r"\n\s*\n", text.strip())[0]
    title = " ".join(word for word in first.split() if "://" not in word)
    return title if "license" in title.lower() and len(title) < 60 else ""
