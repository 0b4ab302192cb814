"""Opening the systems that a command line names: saved runs, per-query files, or run files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from engine.base.errors import InputError

_CLUSTERS: dict[str, Literal["none", "keywords", "video"]] = {
    "none": "none",
    "keywords": "keywords",
    "video": "video",
}

if TYPE_CHECKING:
    from engine.compare.compare_settings import Clustering
    from engine.metrics import TiePolicy
    from engine.results.results import Results


@dataclass(frozen=True, slots=True)
class RunScoring:
    """How run files are scored before they are compared."""

    qrels: Path
    metrics: tuple[str, ...] | None
    ks: tuple[int, ...]
    ties: TiePolicy


def open_systems(
    files: Sequence[Path],
    names: Sequence[str] | None = None,
    profile: str | None = None,
    judged: RunScoring | None = None,
) -> list[Results]:
    """The results in the files, under names that tell them apart.

    With `judged` the files are run files of any tool, scored here; else saved runs, which are
    called after their models. Where two would be called the same, all are called after their files.
    """
    from engine.metrics import find_profile as profile_named
    from engine.results.read_results import read_results

    if names is not None and len(names) != len(files):
        raise InputError(
            f"{len(names)} names for {len(files)} files", hint="give --names one name per file"
        )
    if judged is not None:
        found = _score(files, judged, profile or "ir")
    else:
        language = profile_named(profile) if profile else None
        found = [read_results(file, language=language) for file in files]
    if names is None:
        own = [results.name for results in found]
        names = own if len(set(own)) == len(own) else _file_names(files)
    return [replace(results, name=name) for results, name in zip(found, names, strict=True)]


def _score(files: Sequence[Path], judged: RunScoring, profile: str) -> list[Results]:
    from engine.metrics.policies import Policies
    from engine.rankings.request import ScoreRequest, score_all

    request = ScoreRequest(
        runs=tuple(files),
        qrels=judged.qrels,
        profile=profile,
        metrics=judged.metrics,
        ks=judged.ks,
        policies=Policies(ties=judged.ties),
    )
    return [
        replace(run.scored.results(run.name, run.language), file=run.inputs["run"])
        for run in score_all(request)
    ]


def _file_names(files: Sequence[Path]) -> list[str]:
    """Stems, or as much of the paths as is needed to tell them apart; one file given twice
    keeps its stem."""
    for depth in range(1, 1 + max(len(file.parts) for file in files)):
        names = ["/".join((*file.parts[-depth:-1], file.stem)) for file in files]
        if len(set(names)) == len(names):
            return names
    return [file.stem for file in files]


def clusters_file(text: str) -> Path | None:
    """The file that --clusters names, if it names one."""
    return None if text in _CLUSTERS else Path(text)


def parse_clusters(text: str) -> Clustering:
    """none, keywords, video, or what a file says of each query."""
    file = clusters_file(text)
    if file is None:
        return _CLUSTERS[text]
    from engine.compare.compare_settings import read_clusters

    return read_clusters(file)
