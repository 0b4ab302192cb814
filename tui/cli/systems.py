"""Opening the systems that a command line names: saved runs and per-query files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import InputError

if TYPE_CHECKING:
    from engine.compare import Clustering
    from engine.metrics import Profile
    from engine.results import Results


def open_systems(
    files: Sequence[Path], names: Sequence[str] | None = None, profile: str | None = None
) -> list[Results]:
    """The results in the files, under names that tell them apart.

    Saved runs are called after their models; where two would be called the same, all are called
    after their files.
    """
    from dataclasses import replace

    from engine.metrics import profile as profile_named
    from engine.results_file import read_results

    if names is not None and len(names) != len(files):
        raise InputError(
            f"{len(names)} names for {len(files)} files", hint="give --names one name per file"
        )
    language: Profile | None = profile_named(profile) if profile else None
    found = [read_results(file, language=language) for file in files]
    if names is None:
        own = [results.name for results in found]
        names = own if len(set(own)) == len(own) else _file_names(files)
    return [replace(results, name=name) for results, name in zip(found, names, strict=True)]


def _file_names(files: Sequence[Path]) -> list[str]:
    """Stems, or as much of the paths as is needed to tell them apart; one file given twice
    keeps its stem."""
    for depth in range(1, 1 + max(len(file.parts) for file in files)):
        names = ["/".join((*file.parts[-depth:-1], file.stem)) for file in files]
        if len(set(names)) == len(names):
            return names
    return [file.stem for file in files]


def parse_clusters(text: str) -> Clustering:
    """none, keywords, video, or what a file says of each query."""
    known: dict[str, Clustering] = {"none": "none", "keywords": "keywords", "video": "video"}
    if text in known:
        return known[text]
    from engine.compare.clusters_file import read_clusters

    return read_clusters(Path(text))
