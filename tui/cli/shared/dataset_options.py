"""Options that name a dataset, the queries to ask of it, and policies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from engine.base.choices import (
    NoKeywordPolicy,
    NoRelevantPolicy,
    SelfClipPolicy,
    ShortListPolicy,
    TiePolicy,
)
from engine.base.errors import InputError
from tui.cli.shared import options as o
from tui.cli.shared.groups import option
from tui.cli.shared.options import ENCODER, QUERY_VECTORS
from tui.opening.source import open_from_options

if TYPE_CHECKING:
    from engine.dataset.dataset import Dataset
    from engine.metrics.policies import Policies


_FOLDER = "Folder with a dataset.toml. The sample dataset if left out."
DatasetArgument = Annotated[str | None, typer.Argument(metavar="DATASET", help=_FOLDER)]
DATASET = partial(option, _FOLDER, short="-d")

_PANEL = "Single files in place of a dataset folder"
_file = partial(option, panel=_PANEL)
ANNOTATIONS = partial(_file, "CSV or parquet with slice_id and keyword columns.")
DUPLICATES = partial(
    _file, "A slice_id on two lines: an error, or one clip with the keywords of both."
)


@dataclass(frozen=True)
class SingleFiles:
    """Single files in place of a dataset folder."""

    annotations: Path | None = ANNOTATIONS()
    embeddings: Path | None = _file("parquet, .npy (with an ids file) or .npz.")
    ids: Path | None = _file("Ids of an .npy file.")
    metric: str | None = _file("cosine, ip or l2. Default: cosine.")
    encoder: str | None = ENCODER(panel=_PANEL)
    query_vectors: Path | None = QUERY_VECTORS(panel=_PANEL)
    duplicates: Literal["error", "merge"] | None = DUPLICATES()

    def open(self, dataset: str | None) -> Dataset:
        """The dataset that is meant: a folder, these files, or the sample."""
        return open_from_options(dataset, **vars(self))


_query = partial(option, panel="Which queries")


@dataclass(frozen=True)
class QueryOptions:
    """Which queries are asked."""

    queries: str | None = _query(
        "Text queries: CSV (query,keywords), JSON lines (q, kw) or plain lines; or "
        "'combinations': one query per observed combination of keywords, one of each chosen "
        "group. Default: the dataset's file, else combinations."
    )
    videos: str | None = _query(
        "Clip ids to query with, or a file with one per line. Default: all clips."
    )
    sample: int | None = _query("Query with this many clips drawn at random.")
    seed: int = _query("Seed of --sample.", 0)
    limit: int | None = _query("Evaluate the first N queries of each mode only.")

    @property
    def files(self) -> list[Path]:
        """Those that are named."""
        return [Path(text) for text in (self.queries, self.videos) if text and o.is_file(text)]

    @property
    def clips(self) -> tuple[str, ...] | None:
        """Clip ids written out, or read from a file."""
        if self.videos is None:
            return None
        if self.sample is not None:
            raise InputError("--videos and --sample were given", hint="choose one of the two")
        if o.is_file(self.videos):
            from engine.files.text import read_filled_lines, read_text

            text = read_text(Path(self.videos))
            return tuple(line.strip() for _, line in read_filled_lines(text))
        return o.split_list(self.videos)


@dataclass(frozen=True)
class RunPolicyOptions:
    """What is done where definitions differ."""

    ties: TiePolicy = o.TIES("insertion")
    no_relevant: NoRelevantPolicy = o.NO_RELEVANT("skip")
    no_keyword: NoKeywordPolicy = o.policy("A query without keyword.", "skip")
    fewer_than_k: ShortListPolicy = o.FEWER_THAN_K("fixed")
    self_clip: SelfClipPolicy = o.policy("The query clip among its results.", "remove")
    depth: int | None = o.policy(
        "Rank this deep for metrics over the full ranking. Default: all of it up to "
        "20,000 clips, else 1,000."
    )

    def policies(self, min_similarity: float | None) -> Policies:
        from engine.metrics.policies import Policies

        policies = {name: value for name, value in vars(self).items() if name != "depth"}
        return Policies(**policies, min_similarity=min_similarity)
