"""Everybody's files of judgements and rankings.

    file ─▶ Triples ─▶ Qrels | RunFile ─▶ engine.rankings.score

`read_qrels` and `read_run` find out the format by themselves; a new format is a new file and a line
in `registry.py`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.rankings.formats.id_table import IdTable
    from engine.rankings.formats.registry import (
        RANKING_FORMATS,
        RankingFormat,
        read_qrels,
        read_run,
    )
    from engine.rankings.formats.run_and_qrels import Qrels, RunFile

__all__ = [
    "RANKING_FORMATS",
    "IdTable",
    "Qrels",
    "RankingFormat",
    "RunFile",
    "read_qrels",
    "read_run",
]

# Imported when they are asked for: who only reads a file's bytes must not wait for all formats.
_HOMES = {
    "IdTable": "id_table",
    "Qrels": "run_and_qrels",
    "RANKING_FORMATS": "registry",
    "RankingFormat": "registry",
    "RunFile": "run_and_qrels",
    "read_qrels": "registry",
    "read_run": "registry",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
