"""Opening the systems that a command line names: saved runs, per-query files, or run files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.base.errors import InputError

if TYPE_CHECKING:
    from engine.rankings.request import ScoreRequest
    from engine.results.results import Results


def open_systems(
    files: Sequence[Path],
    names: Sequence[str] | None = None,
    profile: str | None = None,
    scored: ScoreRequest | None = None,
) -> list[Results]:
    """The results in the files, under names that tell them apart.

    With `scored` the files are run files of any tool, scored by it; else saved runs, which are
    called after their models. Where two would be called the same, all are called after their files.
    """
    from engine.metrics import find_profile
    from engine.rankings.request import score_all
    from engine.results.read_results import read_results

    if names is not None and len(names) != len(files):
        raise InputError(
            f"{len(names)} names for {len(files)} files", hint="give --names one name per file"
        )
    if scored is not None:
        found = [
            replace(run.scored.results(run.name, run.language), file=run.inputs["run"])
            for run in score_all(scored)
        ]
    else:
        language = find_profile(profile) if profile else None
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
