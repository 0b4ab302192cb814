"""`tui-eval inspect`: the inspector, with every option."""

from __future__ import annotations

import typer

from engine.base.choices import OnePerPolicy, RelevancePolicy
from tui.cli.completion.values import complete_clip
from tui.cli.shared import options as o
from tui.cli.shared.dataset_options import DatasetChoice, SingleFiles
from tui.cli.shared.groups import option, takes_groups
from tui.cli.shared.look_options import RESUME, SESSION, LookOptions
from tui.cli.shared.start import open_inspector, resolve_first_query


@takes_groups
def inspect(
    *,
    dataset: DatasetChoice,
    query: str | None = option("Start with this text."),
    video: str | None = option(
        "Start with this clip.", short="-v", metavar="CLIP", autocompletion=complete_clip
    ),
    model: str | None = o.MODEL(),
    groups: str | None = o.GROUPS(),
    min_similarity: float | None = o.MIN_SIMILARITY(),
    one_per: OnePerPolicy = o.ONE_PER("clip"),
    relevance: RelevancePolicy = o.RELEVANCE("all"),
    resume: bool = RESUME(False),
    session: str | None = SESSION(),
    looks: LookOptions,
    files: SingleFiles,
) -> None:
    """Open the inspector: ask queries, step through results, judge them. Everything is saved.

    Examples:
    tui-eval inspect
    tui-eval inspect DATASET --query "cyclist entering ego lane"
    tui-eval inspect --video urban_bicyclist_0002 --groups object_type
    tui-eval inspect --annotations clips.csv --embeddings model.parquet
    tui-eval inspect --resume
    """
    opened = files.open(dataset.named)
    raise typer.Exit(
        open_inspector(
            looks,
            opened,
            resume=resume,
            session=session,
            model=model,
            groups=o.resolve_groups(groups, opened),
            query=resolve_first_query(query, video),
            min_similarity=min_similarity,
            one_per=None if one_per == "clip" else one_per,
            relevance=None if relevance == "all" else relevance,
        )
    )
