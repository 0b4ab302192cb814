"""Which queries an evaluation asks: the same options wherever a query set is asked."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from engine.base.errors import InputError
from engine.files.protection import protect_input
from tui.cli.completion.values import complete_clips, offer_typed
from tui.cli.shared import options as o
from tui.cli.shared.groups import option

_query = partial(option, panel="Which queries")


@dataclass(frozen=True)
class QueryOptions:
    """Which queries are asked."""

    queries: str | None = _query(
        "Text queries: a file (CSV with query,keywords, JSON lines with q and kw, or plain lines) "
        "or 'combinations': one query for every combination of keywords, one from each chosen "
        "group, that some clip has. Default: the dataset's file, or combinations if it has none.",
        metavar="FILE",
        autocompletion=offer_typed("combinations"),
    )
    videos: str | None = _query(
        "Clips to query with: ids, or a file with one id per line. Default: all clips.",
        metavar="CLIPS",
        autocompletion=complete_clips,
    )
    sample: int | None = _query("Query with this many clips, drawn at random.")
    seed: int = _query("Random seed for --sample.", 0)
    limit: int | None = _query("Evaluate only the first N queries of each mode.")

    def __post_init__(self) -> None:
        """Files that are named are not written over, though they are read later."""
        for text in (self.queries, self.videos):
            if text is not None and o.is_file(text):
                protect_input(Path(text))

    @property
    def clips(self) -> tuple[str, ...] | None:
        """Clip ids written out, or read from a file."""
        if self.videos is None:
            return None
        if self.sample is not None:
            raise InputError("--videos and --sample were given", hint="choose one of the two")
        if o.is_file(self.videos):
            from engine.dataset.query_files import read_clip_list

            return read_clip_list(Path(self.videos))
        return o.split_list(self.videos)
